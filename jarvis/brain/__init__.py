"""The brain in a process of its own: plans, searches and remembers for a client, which acts and prints."""
