"""Lays a table out by rich for a terminal's width: in columns, or where that is narrow a block for each row.

Words wrap to two lines. A column that says the same in every row stands below the rows instead. Where columns
still have no room, whole ones go, the highest rank first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import groupby
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..core.cell_text import UNKNOWN, told_cell
from ..core.tables import DATE, LINK, NUMBER, PERCENT, RATING, STATE, TEXT, TIME, Column, Table
from ..core.text import one_line, shortened

NARROW = 56  # columns of a terminal, below which there is no grid
BETWEEN = " · "
_ALL = "all: "  # what is said of every row
_GAP = 2  # cells between two columns
_LINES = 2  # of a cell
_HEAD = 24  # characters of a column's name
_TITLE, _STATE, _WORD = 24, 11, 10  # cells that words are left at least: the title, a state, others
_WORDS = (TEXT, STATE)  # kinds of cells that wrap; all else is whole
_LEFT = (*_WORDS, LINK, DATE, TIME)  # kinds that stand on the left; numbers stand on the right
_NAMED = (NUMBER, PERCENT)  # kinds that say nothing without the name of their column
_BARE = (*_WORDS, LINK, RATING)  # kinds that need none
_PLAIN = Console(file=StringIO(), color_system=None, legacy_windows=False)  # by which words are wrapped


class Layout(NamedTuple):
    """A table as it is printed, and the names of the columns that it had no room for."""

    text: str
    gone: tuple[str, ...] = ()


class _Column(NamedTuple):
    """A column in words."""

    of: Column
    label: str
    cells: tuple[str, ...]  # of the rows, then of the sums below them
    is_title: bool

    @property
    def natural(self) -> int:
        """The cells of a terminal that its widest line takes."""
        return max(map(cell_len, (self.label, *self.cells)))

    @property
    def least(self) -> int:
        """The cells that it needs."""
        if self.of.kind not in _WORDS:
            return self.natural
        return min(self.natural, _TITLE if self.is_title else _STATE if self.of.kind == STATE else _WORD)


def layout_of(
    table: Table,
    width: int,
    first: int = 1,
    tally: str = "",
    checks: Iterable[tuple[str, bool]] = (),
    *,
    colour: bool = False,
) -> Layout:
    """Return the page of *table* that is shown now.

    first: the number of the table's first line; 0: lines have none. tally: how much is shown. checks: each
    with whether it is not met.
    """
    columns = _columns(table)
    alike = [each for each in columns if _is_alike(each, table)]
    columns = [each for each in columns if each not in alike]
    body, gone = _body(columns, table, first, width)
    parts = [*[body] * bool(table.rows), *_caption(alike, width), *[Text(tally)] * bool(tally)]
    text = _rendered(Group(*parts, *_checks(checks, width)), width, colour=colour)
    return Layout(text, tuple(each.label for each in gone))


def _body(
    columns: Sequence[_Column], table: Table, first: int, width: int
) -> tuple[RenderableType, list[_Column]]:
    """Return the lines of *columns*, and those of them that have no room."""
    numbers = [str(first + table.start + at) if first else "" for at in range(len(table.page))]
    margin = max(2, *map(len, numbers)) if any(numbers) else 0
    numbers += [""] * len(table.foot)
    shown = _with_room(columns, margin, width)
    if width < NARROW or _needed(shown, margin) > width:
        return _blocks(columns, numbers, margin, width), []
    return _grid(shown, numbers, margin, width), [each for each in columns if each not in shown]


def _caption(alike: Sequence[_Column], width: int) -> Iterator[RenderableType]:
    """Return what is the same in every row."""
    told = [f"{each.label} {each.cells[0]}" for each in alike]
    for at, line in enumerate(side_by_side(told, width - len(_ALL), ", ")):
        yield Text(f"{' ' * len(_ALL) if at else _ALL}{line}", "dim")


def _checks(checks: Iterable[tuple[str, bool]], width: int) -> Iterator[RenderableType]:
    """Return *checks* beside each other, but those that are not met."""
    for is_broken, group in groupby(checks, key=lambda check: check[1]):
        for line in side_by_side((said for said, _ in group), 0 if is_broken else width, "   "):
            yield Text(line, "bold" if is_broken else "")


def _rendered(what: RenderableType, width: int, *, colour: bool) -> str:
    """Return *what* as lines for a terminal, without spaces at their ends. Foreign text is no markup."""
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    with console.capture() as capture:
        console.print(what)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def side_by_side(pieces: Iterable[str], room: int, between: str = BETWEEN) -> list[str]:
    """Return *pieces* beside each other, in as few lines as *room* allows."""
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{between}{piece}" if lines else ""
        if longer and cell_len(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines


def _columns(table: Table) -> list[_Column]:
    """Return the columns of which this page knows something; of them the first of words is the title."""
    shown = (*table.page, *table.foot)
    known = [c for c in table.columns if any(each.cells.get(c.key) not in (None, "") for each in shown)]
    title = next((column for column in known if column.kind == TEXT), None)
    columns = []
    for each in known:
        cells = [told_cell(row.cells.get(each.key), each) for row in table.page]
        # Most columns have no sum, which is nothing unknown.
        summed = [row.cells.get(each.key) for row in table.foot]
        sums = ["" if cell in (None, "") else told_cell(cell, each) for cell in summed]
        columns.append(_Column(each, one_line(each.label, _HEAD), (*cells, *sums), each is title))
    return columns


def _is_alike(column: _Column, table: Table) -> bool:
    """Return whether *column* says the same of every row, so that to say it once is enough."""
    can_go = bool(column.of.rank) and not column.is_title and len(table.page) > 1
    return can_go and len({*column.cells} - {""}) == 1


def _needed(columns: Sequence[_Column], margin: int) -> int:
    """Return the width of a terminal that *columns* need behind the numbers, which take *margin* cells."""
    return _beside(columns, margin) + sum(each.least for each in columns)


def _beside(columns: Sequence[_Column], margin: int) -> int:
    """Return the cells that the numbers take, and the gaps between all columns."""
    return margin + _GAP * (len(columns) - (not margin))


def _with_room(columns: Sequence[_Column], margin: int, width: int) -> list[_Column]:
    """Return as many of *columns* as *width* has room for; those of rank 0 stay in any case."""
    shown = [*columns]
    while _needed(shown, margin) > width and any(each.of.rank for each in shown):
        shown.remove(max(reversed(shown), key=lambda each: each.of.rank))
    return shown


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """Return the cells that each of *columns* gets of *room*: words give way, the widest first."""
    widths = [each.natural for each in columns]
    while sum(widths) > room:
        can_give = [at for at, each in enumerate(columns) if widths[at] > each.least]
        widths[max(can_give, key=widths.__getitem__)] -= 1
    return widths


def _grid(columns: Sequence[_Column], numbers: Sequence[str], margin: int, width: int) -> Grid:
    """Return a head, and the lines of *columns* below it."""
    grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    if margin:
        grid.add_column("#", justify="right", style="bold", width=margin)
    widths = _widths(columns, width - _beside(columns, margin))
    for each, cells in zip(columns, widths, strict=True):
        side: Literal["left", "right"] = "left" if each.of.kind in _LEFT else "right"
        grid.add_column(Text(each.label), justify=side, width=cells)
    for at, number in enumerate(numbers):
        told = [_cell(each.cells[at], cells) for each, cells in zip(columns, widths, strict=True)]
        grid.add_row(*[number] * bool(margin), *told)
    return grid


def _cell(text: str, width: int) -> Text:
    """Return *text* in as many lines as a cell has; `…` stands for what is cut."""
    lines = [line.plain.rstrip() for line in Text(text).wrap(_PLAIN, width)] or [""]
    if len(lines) > _LINES:
        lines = [lines[0], shortened(text.removeprefix(lines[0]).lstrip(), width)]
    return Text("\n".join(lines), "dim" if text == UNKNOWN else "")


def _blocks(columns: Sequence[_Column], numbers: Sequence[str], margin: int, width: int) -> Grid:
    """Return each line below the one before it: its number and title, then all else that is known of it."""
    blocks = Grid.grid(padding=(0, 1, 0, 0))
    if margin:
        blocks.add_column(justify="right", style="bold", width=margin)
    blocks.add_column()
    room = width - margin - bool(margin)
    for at, number in enumerate(numbers):
        title = [each.cells[at] for each in columns if each.is_title]
        lines = [_cell(line, room).plain for line in [*title, *side_by_side(_pieces(columns, at), room)]]
        blocks.add_row(*[number] * bool(margin), Text("\n".join(lines) or UNKNOWN))
    return blocks


def _pieces(columns: Sequence[_Column], at: int) -> Iterator[str]:
    """Return what is known of a line besides its title: with the name of the column where it is needed."""
    kinds = [each.of.kind for each in columns]
    for place, each in enumerate(columns):
        kind, text = each.of.kind, each.cells[at]
        is_named = kind in _NAMED or (kind not in _BARE and kind in kinds[:place])
        if not each.is_title and text not in ("", UNKNOWN):
            yield f"{each.label} {text}" if is_named else text
