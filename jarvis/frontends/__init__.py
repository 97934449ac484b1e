"""Where events meet the person: a terminal, a pipe, a program."""
