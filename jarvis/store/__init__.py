"""What outlives a turn: history, and who holds which thread."""
