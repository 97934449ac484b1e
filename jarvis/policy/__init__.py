"""What may be done: the guard, the person's rules, what they are asked and what they said."""
