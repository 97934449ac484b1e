"""What people type; one file a command."""
