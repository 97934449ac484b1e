"""Pages and files, made into text that can be read."""
