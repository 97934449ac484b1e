"""Reads the settings: options, environment, files; and says where the files are."""
