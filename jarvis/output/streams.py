"""What is known of the streams that a program prints to, and a stdout that was closed."""

from __future__ import annotations

import errno
import io
import os

from ..core.stdlib import IO


class Closed(io.StringIO):
    """A stdout that was closed before we started: writing to it fails, which is told."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "stdout is closed")


def can_print(stream: IO[str], text: str) -> bool:
    """Return whether *stream* has a way to write *text*."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def columns(stream: IO[str]) -> int:
    """Return the columns of the terminal that *stream* is; 0 where it is none, or does not know them."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0


def is_tty(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False
