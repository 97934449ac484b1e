"""A turn, from the words to its end: plain, in the loop, or answered later."""
