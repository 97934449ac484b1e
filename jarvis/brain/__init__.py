"""The brain in a process of its own: it plans, searches and remembers; its client acts and prints."""
