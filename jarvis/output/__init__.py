"""Shows things to a person, a pipe, or a program."""
