"""Breaks messages into lines between their words, for a terminal's width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.text import HINT, cells_in, shortened

_COLOUR = r"\x1b\[[0-9;]*m"


def broken(text: str, width: int) -> str:
    """Return *text* with its lines broken at spaces, none wider than *width* but for a word that is.

    So an address stays whole, and the terminal itself wraps one that is longer: it can be copied. So does a
    command at the end of a line, which would do something else if it were pasted in two.
    """
    return "\n".join(each for line in text.split("\n") for each in _lines(line, width))


def cut(text: str, width: int) -> list[str]:
    """Return *text* in lines as `broken` does, but with a word that is wider than *width* cut."""
    return [shortened(line, width) for line in broken(text, width).split("\n")]


def _lines(line: str, width: int) -> Iterator[str]:
    if _columns(line) <= width:
        yield line
        return
    indent, hang = _indents(line, width)
    line = line.lstrip(" ")
    left, gap, right = line.partition("  ")
    if gap and not hang:  # its second column begins too far to the right
        yield from _lines(" " * indent + left, width)
        yield from _lines(" " * (indent + 4) + right.lstrip(" "), width)
        return
    begun, is_empty = " " * indent, True
    for word in _words(line):
        if not is_empty and _columns(begun) + 1 + _columns(word) > width:
            yield begun.rstrip(" ")
            begun, is_empty = " " * hang, True
        if word or not is_empty:  # or it is of the gap between two columns
            begun += word if is_empty else f" {word}"
            is_empty = False
    yield begun


def _indents(line: str, width: int) -> tuple[int, int]:
    """Return how far *line* is indented, and its further lines: to its second column, if that leaves room."""
    rest = line.lstrip(" ")
    indent = len(line) - len(rest)
    _, gap, right = rest.partition("  ")
    if gap:
        column = len(line) - len(right.lstrip(" "))
        return indent, column if column <= width // 2 else 0
    if indent > width // 2:  # that column alone
        return 6, 6
    return indent, indent + 2 if indent else 0


def _words(line: str) -> list[str]:
    """Return the parts between which *line* may be broken: its words, and the command at its end as one."""
    head, sign, last = line.rpartition(": ")
    is_hint = line.startswith(HINT.strip())
    # A hint that ends with a full stop is a sentence, or a list.
    if sign and (last.startswith("jarvis ") or (is_hint and not last.endswith("."))):
        return [*f"{head}:".split(" "), last]
    return line.split(" ")


def _columns(text: str) -> int:
    if text.isascii() and text.isprintable():
        return len(text)
    return cells_in(re.sub(_COLOUR, "", text) if "\x1b" in text else text)
