"""The commands, a file each, as Typer declares them; what words ask is done by ../request.py."""
