"""What a person's words ask for, read from their own text alone. English only."""
