"""Completion of what is typed: for the shells, and for a chat."""
