"""The command line, its commands, and the chat."""
