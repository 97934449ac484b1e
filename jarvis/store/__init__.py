"""Keeps what outlives a turn: history, and the locks on threads."""
