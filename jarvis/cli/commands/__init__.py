"""The commands, one file each, declared for Typer. ../ask.py runs requests."""
