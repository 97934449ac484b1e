"""Tables of Markdown, laid out for a terminal's width."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.text import cells
from .inline import BOLD, Run, joined, runs_of

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*\Z")
_GAP = 2  # cells between two columns

Line = list[Run]


class Table:
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
    table = [[runs_of(cell) for cell in _fitted(row, count)] for row in (head, *rows)]
    widths = [max(_cells(row[at]) for row in table) for at in range(count)]
    if sum(widths) + _GAP * (count - 1) > width:
        return _blocks(table)
    ends = [(cell[:1] == ":", cell[-1:] == ":") for cell in (rule + ["-"] * count)[:count]]
    titles = [[(text, f"{BOLD};{style}".rstrip(";")) for text, style in cell] for cell in table[0]]
    line: Line = [((" " * _GAP).join(dash * each for each in widths), "2")]
    return [_row(titles, widths, ends), line, *(_row(row, widths, ends) for row in table[1:])]


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


def _fitted(row: Sequence[str], count: int) -> list[str]:
    """Return *row* with *count* cells: what is too much stands in the last, so that nothing is lost."""
    return [*row[: count - 1], " | ".join(row[count - 1 :]), *[""] * count][:count]


def _row(row: Sequence[Line], widths: Sequence[int], ends: Sequence[tuple[bool, bool]]) -> Line:
    line: Line = []
    for at, (cell, width, (left, right)) in enumerate(zip(row, widths, ends, strict=True)):
        room = width - _cells(cell)
        before = room // 2 if left and right else room if right else 0
        after = room - before + _GAP if at < len(widths) - 1 else 0
        line += [(" " * before, ""), *cell, (" " * after, "")]
    return joined(run for run in line if run[0])


def _blocks(table: Sequence[Sequence[Line]]) -> list[Line]:
    """Return a block for each row: a line for each cell, with the column's title."""
    titles, rows = table[0], table[1:]
    lines: list[Line] = []
    for row in rows or [titles]:
        lines += [[]] if lines else []
        for title, cell in zip(titles, row, strict=True):
            named = [(text, f"{BOLD};{style}".rstrip(";")) for text, style in title]
            if cell:
                lines.append(joined([*named, (": ", ""), *cell]) if title and row is not titles else cell)
    return lines


def _cells(line: Line) -> int:
    return sum(cells(character) for text, _ in line for character in text)
