"""What every folder builds on: values, events, errors, texts, addresses. Imports nothing of ours."""
