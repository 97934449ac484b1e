"""Tables of Markdown, laid out for a terminal's width."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .inline import runs_of
from .runs import DIM, GAP, Line, bolder, joined, length, row

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*\Z")


class MarkdownTable:
    """What looks like a table, as long as more of its lines may come."""

    def __init__(self) -> None:
        self.lines: list[str] = []  # as they are written: the head, the rule, the rows
        self.quotes = self.indent = 0  # that each of them stands behind

    def add(self, line: str, quotes: int, indent: int) -> None:
        if not self.lines:
            self.quotes, self.indent = quotes, indent
        self.lines.append(line)

    @property
    def may_go_on(self) -> bool:
        """Whether another line may belong to it."""
        return len(self.lines) < 2 or is_rule(self.lines[1])

    def laid_out(self, width: int, dash: str) -> list[Line]:
        """Return its lines for a terminal's *width*; as they are, if it is none. dash: draws its rule."""
        if len(self.lines) > 1 and is_rule(self.lines[1]):
            return _laid_out(self.lines, width, dash)
        return [runs_of(line.strip()) for line in self.lines]


def is_rule(line: str) -> bool:
    """Return whether *line* stands between the head of a table and its rows."""
    return "-" in line and _RULE.match(line) is not None


def _laid_out(lines: Sequence[str], width: int, dash: str) -> list[Line]:
    """Return the lines of a table, or of a block for each of its rows where *width* has no room for it.

    lines: as they are written: the head, the rule, the rows. dash: draws the rule.
    """
    head, rule, *rows = [split(line) for line in lines]
    count = len(head)
    table = [[runs_of(cell) for cell in _fitted(cells, count)] for cells in (head, *rows)]
    widths = [max(length(cells[at]) for cells in table) for at in range(count)]
    if sum(widths) + GAP * (count - 1) > width:
        return _blocks(table)
    ends = [(cell[:1] == ":", cell[-1:] == ":") for cell in (rule + ["-"] * count)[:count]]
    titles = [bolder(cell) for cell in table[0]]
    line: Line = [((" " * GAP).join(dash * each for each in widths), DIM)]
    return [row(titles, widths, ends), line, *(row(cells, widths, ends) for cells in table[1:])]


def split(line: str) -> list[str]:
    """Return the cells of a row. A bar behind a backslash, or in a code span, ends none."""
    pieces: list[list[str]] = [[]]
    for piece in re.findall(r"\\.|`+[^`]*`+|[^\\`|]+|.", line.strip()):
        if piece == "|":
            pieces.append([])
        else:
            pieces[-1].append(piece.replace("\\|", "|"))
    found = ["".join(cell).strip() for cell in pieces]
    found = found[1:] if not found[0] else found
    found = found[:-1] if len(found) > 1 and not found[-1] else found
    return [re.sub(r"<br ?/?>", " ", cell) for cell in found]


def _fitted(cells: Sequence[str], count: int) -> list[str]:
    """Return *count* of *cells*: what is too much stands in the last, so that nothing is lost."""
    return [*cells[: count - 1], " | ".join(cells[count - 1 :]), *[""] * count][:count]


def _blocks(table: Sequence[Sequence[Line]]) -> list[Line]:
    """Return a block for each row: a line for each cell, with the column's title."""
    titles, rows = table[0], table[1:]
    lines: list[Line] = []
    for cells in rows or [titles]:
        lines += [[]] if lines else []
        for title, cell in zip(titles, cells, strict=True):
            if cell:
                is_named = title and cells is not titles
                lines.append(joined([*bolder(title), (": ", ""), *cell]) if is_named else cell)
    return lines
