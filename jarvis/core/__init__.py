"""The base of every folder: values, events, errors, texts, addresses. Imports nothing of ours."""
