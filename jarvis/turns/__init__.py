"""A turn, from the words to its end: direct, in the loop, or answered later."""
