"""Reads a line that a person types or pastes without showing it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from .screen import Screen


def hidden_line(screen: Screen, label: str) -> str:
    """Return the line that is typed behind *label*; what was typed before is thrown away."""
    try:
        with _without_echo(screen):
            screen.prompt(label)  # not before: it may be answered at once
            return _line(screen)
    finally:
        screen.end_prompt()  # their Enter was not shown


def _line(screen: Screen) -> str:
    if sys.platform == "win32":
        from getpass import getpass  # reads keys one by one: there is no echo to turn off

        typed = getpass("")
    else:
        typed = screen.stdin.readline()
    return typed


@contextlib.contextmanager
def _without_echo(screen: Screen) -> Iterator[None]:
    """Show nothing that is typed in this block. Raises OSError where the terminal can't be told so."""
    if sys.platform == "win32":
        yield
    else:
        import termios  # Windows has none

        terminal = screen.stdin.fileno()
        try:
            before = termios.tcgetattr(terminal)
            hidden = termios.tcgetattr(terminal)
            hidden[3] &= ~(termios.ECHO | termios.ECHONL)
            hidden[6][termios.VSUSP] = b"\0"  # stopped by Ctrl-Z, it would go on with the echo of the shell
            termios.tcsetattr(terminal, termios.TCSAFLUSH, hidden)
        except termios.error as error:
            raise OSError(*error.args) from None
        try:
            yield
        finally:
            # What else was pasted is thrown away: the shell would show it, and take it for a command.
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
