"""The commands, a file each: its row of the registry, and what it does."""
