"""Read English, which no other folder does: orders, their words, short names, known sites."""
