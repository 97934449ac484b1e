"""Code between fences in a reply: as it was written, but for what stands before all its lines."""

from __future__ import annotations

import re

_FENCE = re.compile(r"(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*\Z")
TAB = 4  # columns, in front of a line


class Fence:
    """The code that is open, if any is."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._end = ""  # that ends the code; empty: none is open
        self._indent = self._quotes = 0  # that stand before each line of it
        self._language = ""
        self._owes_end = False  # of its last line

    @property
    def is_open(self) -> bool:
        return bool(self._end)

    def open(self, line: str, indent: int, quotes: int) -> bool:
        """Begin code, if *line* is a fence; return whether it is. indent, quotes: what stands before it."""
        rest = line.strip(" ")
        fence = _FENCE.match(rest) if is_fence(rest) else None
        if fence is None:
            return False
        self._end, self._language = fence[1], fence[2]
        self._indent, self._quotes = indent + indent_of(line), quotes
        return True

    def line(self, line: str) -> str:
        """Return what to print of *line*: code, or nothing where it is the fence that ends it."""
        for _ in range(self._quotes):
            line = line.lstrip(" ").removeprefix(">").removeprefix(" ")
        bare = line.strip(" \t")
        if bare.strip(self._end[0]) == "" and bare.startswith(self._end):
            self._end = ""
            return ""
        said, self._owes_end = self.owed_end() + self._shown(_unindented(line, self._indent)), True
        return said

    @property
    def owes_end(self) -> bool:
        """Whether the code has ended, but for the end of its last line."""
        return self._owes_end and not self._end

    def owed_end(self) -> str:
        """Return the end of the last line, which waits for the next: a reply may end with code."""
        owed, self._owes_end = self._owes_end, False
        return "\n" if owed else ""

    def _shown(self, line: str) -> str:
        if not self._colour or not self._language:
            return line
        from .code import highlighted  # few replies have code, and fewer say in which language

        return highlighted(line, self._language)


def is_fence(rest: str) -> bool:
    """Return whether *rest* of a line may be a fence."""
    return rest.startswith(("```", "~~~"))


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _unindented(line: str, columns: int) -> str:
    """Return *line* without so many columns of its indent, as far as it has them."""
    column = 0
    while column < columns and line[:1] in (" ", "\t"):
        column += 1 if line[0] == " " else TAB - column % TAB
        line = line[1:]
    return line
