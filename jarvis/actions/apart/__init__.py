"""Actions that are not in the catalogue: every plain command imports all that is."""
