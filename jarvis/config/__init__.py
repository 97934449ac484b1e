"""Reads the settings from options, environment, and files, and knows where the files are."""
