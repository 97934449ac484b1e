"""What `jarvis doctor` looks at. Nothing is changed by looking."""
