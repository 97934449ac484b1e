"""The background process that plans, searches, and remembers. Its client acts and prints."""
