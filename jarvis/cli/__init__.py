"""What people type: the command line, its commands, and the chat."""
