"""A chat at a terminal."""
