"""The work of the commands, a file each. Their rows stand in registry.py."""
