"""What is known of a stream: what it is joined to, how wide it is, and what can be written to it."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from typing import IO

# What stands for the signs of ours that a terminal from before Unicode lacks.
_INSTEAD = {"✓": "+", "✗": "x", "…": "~", "·": "-", "–": "-", "—": "-", "“": '"', "”": '"', "’": "'"}


class Closed(io.StringIO):
    """A stdout that was closed before we started: writing to it fails, which is told."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "stdout is closed")


def write_utf8() -> None:
    """Have each stream of this process in UTF-8: on Windows a pipe is in the code page of old programs."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # one that was closed before we started is None
            stream.reconfigure(encoding="utf-8")


def is_tty(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def holds_material(stream: IO[str]) -> bool:
    """Return whether *stream* is a pipe, a file or a socket: neither a terminal nor /dev/null."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # closed, or none of this system's
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def columns(stream: IO[str]) -> int:
    """Return the columns of the terminal that *stream* is; 0 where it is none, or does not know them."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0


def can_print(stream: IO[str], text: str) -> bool:
    """Return whether *stream* has a way to write *text*."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def in_signs_of(stream: IO[str], text: str) -> str:
    """Return *text* in characters that *stream* can write: our own signs in others as wide, else a ?."""
    lacking = {character for character in set(text) if not can_print(stream, character)}
    return text.translate({ord(character): _INSTEAD.get(character, "?") for character in lacking})
