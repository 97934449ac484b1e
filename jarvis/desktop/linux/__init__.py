"""The desktop of Linux: portals, desktop entries, the shell of the session."""
