"""What is shown to a person, a pipe or a program."""
