"""Reads what `export` printed, a line of JSON for each thread or thing, and loads what moves it."""

from __future__ import annotations

from collections.abc import Iterator
from json import loads
from typing import Any

from ..core.errors import UsageError
from .material import STDIN
from .work import current


def transfer() -> Any:
    """Return store/transfer.py."""
    from ..store import transfer  # pydantic, which all else here does without

    return transfer


def lines_in(path: str, again: str) -> Iterator[tuple[int, str]]:
    """Return the lines of the export at *path*, numbered, but for empty ones. `-` is stdin.

    Bytes that are no text become surrogates, as in no record. again: the command that exports.
    Raises UsageError.
    """
    try:
        if path == STDIN:
            text = current().screen.stdin.read()
        else:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read: {error}.", hint=again) from None
    # not splitlines(): JSON may hold what that takes for an end
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def record_in(line: str, what: str, again: str) -> object:
    """Return the record that *line* is. what: what it should be, in words. Raises UsageError."""
    try:
        return loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"That is not {what}.", hint=again) from None
