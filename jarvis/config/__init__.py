"""What settings are read from, and the parts of them."""
