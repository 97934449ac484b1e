"""Grammars of what is read without a model: plain commands, dates, what is asked of a list."""
