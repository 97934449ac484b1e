"""Grammars for texts that need no model: plain commands, dates, follow-ups on a list."""
