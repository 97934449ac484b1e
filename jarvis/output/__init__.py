"""What is shown: on a terminal, on a pipe, to a program."""
