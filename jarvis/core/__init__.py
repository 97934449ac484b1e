"""What every folder builds on: the words of the house, errors, texts, addresses. Imports nothing of ours."""
