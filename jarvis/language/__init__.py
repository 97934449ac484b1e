"""What reads English, and nothing else that does: orders, their words, short names, known sites."""
