"""Tables of what was found, laid out for a terminal's width: a grid, or where that is narrow a block a row.

In a grid titles are cut first. Then whole columns go, the highest rank first; those are named below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ..core.cell_text import UNKNOWN, told_cell, told_reason
from ..core.tables import (
    BEST_RATED,
    COUNTING,
    DATE,
    LINK,
    NUMBER,
    PERCENT,
    RATING,
    STATE,
    TEXT,
    TIME,
    Column,
    Row,
    Table,
)
from ..core.text import cells_in, counted, one_line, shortened
from .checks import told_checks
from .lines import cut
from .runs import BOLD, DIM, GAP, LEFT, RIGHT, Line, row

NARROW = 56  # columns of a terminal, below which there is no grid
_WORDS = (TEXT, STATE, LINK)  # kinds of cells that may be cut; all else is a number, and whole
_TITLE, _STATE, _WORD = 24, 11, 10  # cells that are left of words at least: of the title, a state, others
_MOMENTS = (DATE, TIME)  # kinds that stand on the left, as words do
_NAMED = (NUMBER, PERCENT)  # kinds that say nothing without the name of their column
_BARE = (*_WORDS, RATING)  # kinds that need none
_BETWEEN = " · "
_LONGEST_NOTE = 400  # characters


class _Grid(NamedTuple):
    """What is shown of a table, all in words."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]  # the head first, then the rows with a number, then the foot
    numbers: tuple[str, ...]  # of the head, the rows and the foot
    naturals: tuple[int, ...]  # the cells that each column would take

    @property
    def number_width(self) -> int:
        return max(2, *map(len, self.numbers))

    @property
    def least(self) -> list[int]:
        """The cells that each column needs."""
        title = _title(self.columns)
        mosts = [_STATE if column.kind == STATE else _WORD for column in self.columns]
        if title is not None:
            mosts[title] = _TITLE
        cut = [column.kind in _WORDS for column in self.columns]
        return [min(n, most) if c else n for n, most, c in zip(self.naturals, mosts, cut, strict=True)]

    @property
    def needed(self) -> int:
        """The columns of a terminal that it needs."""
        return self.number_width + sum(self.least) + GAP * len(self.columns)

    def without(self, at: int) -> _Grid:
        """Return it without one of its columns."""
        rows = tuple((*cells[:at], *cells[at + 1 :]) for cells in self.rows)
        columns = (*self.columns[:at], *self.columns[at + 1 :])
        return self._replace(
            columns=columns, rows=rows, naturals=(*self.naturals[:at], *self.naturals[at + 1 :])
        )


def laid_out(table: Table, width: int, first: int = 1) -> list[Line]:
    """Return the page of *table* that is shown now, and below it what was left out of it, for a *width*.

    first: the number of the table's first line. No line is wider than *width*, nor has any a line end.
    """
    whole = _grid(table, first)
    grid = _dropped(whole, width)
    if not table.rows:
        lines: list[Line] = []
    elif width < NARROW or grid.needed > width:
        lines = [line for at in range(len(table.page)) for line in _block(whole, at + 1, width)]
        lines += _sums(whole, len(table.foot), width)
    else:
        lines = list(_lines(grid, width))
    return [*lines, *_broken(tally(table, first), width), *told_checks(table.checks, width)]


def remarks(table: Table, width: int, first: int = 1) -> list[str]:
    """Return what else is to be known of the page that is shown, in lines for a *width*, on stderr."""
    whole = _grid(table, 1)
    grid = _dropped(whole, width)
    gone = [column.label for column in whole.columns if column not in grid.columns]
    is_grid = table.rows and width >= NARROW and grid.needed <= width
    lines = [first + table.start + at for at, each in enumerate(table.page) if each.url]
    said = [
        seen(table),
        COUNTING if table.order == BEST_RATED and table.rows else "",
        f"also: {', '.join(gone)}; at {whole.needed} columns" if gone and is_grid else "",
        "jarvis more" if table.end < len(table.rows) else "",
        f"jarvis open {lines[0]}" if lines else "",
    ]
    packed = _packed([each for each in said if each], width)
    return [text for each in packed for line in _broken(each, width) for text, _ in line]


def seen(table: Table) -> str:
    """Return what is to be known of all of *table*, and when that was so, by the clock of this machine."""
    try:
        at = datetime.fromisoformat(table.seen_at).astimezone()
    except ValueError:  # it is not known
        return one_line(table.note, _LONGEST_NOTE)
    is_today = at.date() == datetime.now().astimezone().date()
    when = f"seen {at:%H:%M}" if is_today else f"seen {at:%Y-%m-%d %H:%M}"
    note = one_line(table.note, _LONGEST_NOTE).rstrip(".")
    return _BETWEEN.join(filter(None, (note, when)))


def _grid(table: Table, first: int) -> _Grid:
    """Return the page of *table* that is shown now, with the columns in which something is known."""
    shown = (*table.page, *table.foot)
    columns = tuple(
        c for c in table.columns if any(each.cells.get(c.key) not in (None, "") for each in shown)
    )
    head = tuple(shortened(one_line(column.label), _TITLE) for column in columns)
    rows = tuple(tuple(told_cell(each.cells.get(c.key), c) for c in columns) for each in table.page)
    foot = tuple(tuple(_summed(each, c) for c in columns) for each in table.foot)
    numbers = [str(first + table.start + at) for at in range(len(rows))]
    cells = (head, *rows, *foot)
    naturals = tuple(max(cells_in(each[at]) for each in cells) for at in range(len(columns)))
    return _Grid(columns, cells, ("#", *numbers, *[""] * len(foot)), naturals)


def _summed(foot: Row, column: Column) -> str:
    """Return what a cell of the foot says: most columns have no sum, which is nothing unknown."""
    cell = foot.cells.get(column.key)
    return "" if cell is None else told_cell(cell, column)


def _dropped(grid: _Grid, width: int) -> _Grid:
    """Return *grid* with as many columns as *width* has room for; those of rank 0 stay in any case."""
    while grid.needed > width and any(column.rank > 0 for column in grid.columns):
        at = max(range(len(grid.columns)), key=lambda at: (grid.columns[at].rank, at))
        grid = grid.without(at)
    return grid


def _lines(grid: _Grid, width: int) -> Iterator[Line]:
    """Return the head, the rows and the foot of *grid*, in columns."""
    widths = [grid.number_width, *_widths(grid, width - grid.number_width - GAP * len(grid.columns))]
    ends = [RIGHT, *(LEFT if column.kind in _WORDS + _MOMENTS else RIGHT for column in grid.columns)]
    for number, cells in zip(grid.numbers, grid.rows, strict=True):
        is_head = number == grid.numbers[0]
        texts = [shortened(text, most) for text, most in zip(cells, widths[1:], strict=True)]
        styled = [(text, BOLD if is_head else DIM if text == UNKNOWN else "") for text in texts]
        yield row([[(number, BOLD)], *([run] for run in styled)], widths, ends)


def _widths(grid: _Grid, room: int) -> list[int]:
    """Return the cells that each column gets of *room*: those of words are cut, the widest first."""
    widths, least = [min(each, max(room, 1)) for each in grid.naturals], grid.least
    while sum(widths) > room:
        can_be_cut = [at for at in range(len(widths)) if widths[at] > least[at]]
        widths[max(can_be_cut, key=widths.__getitem__)] -= 1
    return widths


def _block(grid: _Grid, at: int, width: int) -> Iterator[Line]:
    """Return a row of *grid* below each other: its number and title, then all else that is known of it."""
    indent = grid.number_width + 1
    room, title = width - indent, _title(grid.columns)
    pieces = [shortened(piece, room) for piece in _pieces(grid, at, title)]
    head = "" if title is None else shortened(grid.rows[at][title], room)
    lines = [*([head] if head else []), *_packed(pieces, room)] or [UNKNOWN]
    yield [(grid.numbers[at].rjust(indent - 1), BOLD), (f" {lines[0]}", "")]
    for line in lines[1:]:
        yield [(" " * indent + line, "")]


def _sums(grid: _Grid, count: int, width: int) -> Iterator[Line]:
    """Return the last *count* rows of *grid*, its foot: the amounts below each other, beside their names."""
    indent, title = grid.number_width + 1, _title(grid.columns)
    feet = grid.rows[len(grid.rows) - count :]
    names = ["" if title is None else shortened(cells[title], width - indent) for cells in feet]
    amounts = [_BETWEEN.join(text for at, text in enumerate(cells) if at != title and text) for cells in feet]
    both = max(map(cells_in, names), default=0) + GAP + max(map(cells_in, amounts), default=0)
    for whole, told in zip(names, amounts, strict=True):
        name, room = whole, min(both, width - indent)
        if cells_in(name) + GAP + cells_in(told) > room:
            yield [(" " * indent + name, "")]
            name = ""
        amount = shortened(told, room)
        between = room - cells_in(name) - cells_in(amount)
        yield [(" " * indent + name + " " * between + amount, "")]


def _pieces(grid: _Grid, at: int, title: int | None) -> Iterator[str]:
    """Return what is known of a row besides its title: with the name of the column where it is needed."""
    kinds = [column.kind for column in grid.columns]
    for place, (kind, text) in enumerate(zip(kinds, grid.rows[at], strict=True)):
        is_named = kind in _NAMED or (kind not in _BARE and kind in kinds[:place])
        if place != title and text not in ("", UNKNOWN):
            yield f"{grid.rows[0][place]} {text}" if is_named else text


def _packed(pieces: Sequence[str], room: int) -> list[str]:
    """Return *pieces* beside each other, in as few lines as *room* allows."""
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{_BETWEEN}{piece}" if lines else piece
        if lines and cells_in(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines


def _title(columns: Sequence[Column]) -> int | None:
    """Return the place of the column that says what a row is: the first of words."""
    return next((at for at, column in enumerate(columns) if column.kind == TEXT), None)


def tally(table: Table, first: int) -> str:
    """Return how much of the list is shown, and what was left out of it, by its reasons."""
    count, gone = len(table.rows), sum(table.left_out.values())
    reasons = told_reasons(table.left_out)
    if not count:
        return f"Nothing is left of {counted(gone, 'lines')}: {reasons}." if gone else "Nothing was found."
    if len(table.page) < count:
        start, end = first + table.start, first + table.start + len(table.page) - 1
        lines = f"Lines {start} to {end}, of {count:,} in all."
        return f"{lines} Left out of {count + gone:,}: {reasons}." if gone else lines
    return f"{count:,} of {count + gone:,}. Left out: {reasons}." if gone else ""


def told_reasons(left_out: Mapping[str, int]) -> str:
    """Return how many were left out for which reason."""
    return ", ".join(f"{count:,} {told_reason(reason, count)}" for reason, count in left_out.items())


def _broken(text: str, width: int) -> list[Line]:
    """Return *text* in lines for *width*."""
    return [[(line, "")] for line in cut(one_line(text), width)] if text else []
