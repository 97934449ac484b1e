"""Permissions: the guard, the user's rules, the questions, and the answers."""
