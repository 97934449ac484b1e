"""The desktop of macOS."""
