"""The commands, a file each, as Typer declares them; ask.py does what words ask."""
