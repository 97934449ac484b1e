"""Lines as runs of text, each in a style, and how the cells of a table stand beside each other in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..core.text import cells_in

Run = tuple[str, str]  # a text and its style: the numbers of an SGR sequence
Line = list[Run]

BOLD, DIM = "1", "2"
GAP = 2  # cells between two columns
# On which sides a cell has room: to its left, to its right. Both: it stands in the middle.
LEFT, RIGHT = (False, False), (False, True)


def joined(runs: Iterable[Run]) -> Line:
    """Return *runs* with neighbours of one style put together."""
    of_one_style = groupby(runs, key=lambda run: run[1])
    return [("".join(text for text, _ in each), style) for style, each in of_one_style]


def bolder(line: Line) -> Line:
    return [(text, f"{BOLD};{style}".rstrip(";")) for text, style in line]


def length(line: Line) -> int:
    """Return how many columns of a terminal *line* takes."""
    return sum(cells_in(text) for text, _ in line)


def row(cells: Sequence[Line], widths: Sequence[int], ends: Sequence[tuple[bool, bool]]) -> Line:
    """Return *cells* beside each other, each in its column's width. ends: as the colons of Markdown."""
    line: Line = []
    for at, (cell, width, (left, right)) in enumerate(zip(cells, widths, ends, strict=True)):
        room = width - length(cell)
        before = room // 2 if left and right else room if right else 0
        after = room - before + GAP if at < len(widths) - 1 else 0
        line += [(" " * before, ""), *cell, (" " * after, "")]
    return joined(run for run in line if run[0])


def printed(line: Line, *, colour: bool) -> str:
    """Return *line* as it goes to a terminal, without spaces at its end."""
    text = "".join(f"\x1b[{style}m{text}\x1b[0m" if style and colour else text for text, style in line)
    return text.rstrip(" ")
