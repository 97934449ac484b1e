"""The desktop of Windows, from Windows itself and from WSL."""
