"""Lays out columns of rich's text for a terminal's width, and the tables of results.

Words wrap to two lines. A column with the same cell in every row moves below the rows. If there still isn't
room, columns go, the highest rank first. On a terminal under 50 columns, each row becomes a block.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import zip_longest
from typing import Literal, NamedTuple

from rich.align import AlignMethod
from rich.cells import cell_len
from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.segment import Segments
from rich.text import Text

from ..core.events import Changes, always
from ..core.tables import (
    CHANGE,
    DATE,
    LINK,
    NUMBER,
    PERCENT,
    RATING,
    STATE,
    TEXT,
    TIME,
    UNKNOWN,
    Check,
    Column,
    Table,
    format_cell,
    format_check,
    format_reasons,
    tally,
)
from ..core.text import one_line, side_by_side, truncate
from .chart import taken_out
from .styles import BOLD, FAINT, GREEN, RED

GAP = 2  # cells between two columns
_NARROW = 50  # columns of a terminal, below which there is no grid
_LINES = 2  # of a cell
_BAR = 20  # cells of a bar
_HEAD = 24  # characters of a column's name
_TITLE, _WORD, _TIGHT = 24, 11, 8  # least cells for words: of the title, of others, if no column can go
_WORDS = (TEXT, STATE)  # kinds of cells that wrap; all else is whole
_LEFT = (*_WORDS, LINK, DATE, TIME)  # kinds aligned left; numbers are aligned right
_NAMED = (NUMBER, PERCENT)  # kinds that mean nothing without their column's name
_BARE = (*_WORDS, LINK, RATING)  # kinds that need none
_NUMBER = Column("", "#", NUMBER, rank=0)  # the column of the lines' numbers

Cell = Sequence[Text]  # its lines


def console_for(*, color: bool) -> Console:
    """Return a console that turns styles into escape codes, if the terminal has colors."""
    system: Literal["256"] | None = "256" if color else None
    # All is captured. A real stdout would be flushed too, and fails if its terminal is closed.
    return Console(file=StringIO(), force_terminal=color, color_system=system, legacy_windows=False)


def rendered(lines: Iterable[Text], console: Console) -> str:
    """Return *lines* as they are printed, tabs and all."""
    segments = Text("\n").join(lines).render(console)
    with console.capture() as captured:
        console.print(Segments(segments), end="", soft_wrap=True)
    return captured.get()


def bar(done: int, total: int) -> str:
    """Return a bar that is as long as *done* is of *total*, without colors."""
    with _PLAIN.capture() as captured:
        _PLAIN.print(ProgressBar(total, done, _BAR), end="")
    return f"{captured.get().rstrip():─<{_BAR}}"


def wrap(line: Text, width: int) -> list[Text]:
    """Return *line* wrapped to *width*. Long words break, unless `overflow` is “ignore”."""
    pieces = [*line.wrap(_PLAIN, width, no_wrap=False)]
    for piece in pieces:
        piece.rstrip()
    return pieces


def shrunk(widths: Iterable[int], least: Sequence[int], room: int) -> list[int]:
    """Return *widths* that fit into *room*. The widest shrink first, none below its *least*."""
    given = [*widths]
    while sum(given) > room:
        can_give = [at for at, width in enumerate(given) if width > least[at]]
        given[max(can_give, key=given.__getitem__)] -= 1
    return given


def row_lines(
    cells: Sequence[Cell], widths: Sequence[int], sides: Sequence[AlignMethod], gap: int = GAP
) -> Iterator[Text]:
    """Yield the lines of a row. Each cell is aligned to its side of its column."""
    for pieces in zip_longest(*cells, fillvalue=Text()):
        line = [piece.copy() for piece in pieces]
        for piece, width, side in zip(line, widths, sides, strict=True):
            piece.align(side, width)
        whole = Text(" " * gap).join(line)
        whole.rstrip()
        yield whole


class _Column(NamedTuple):
    """A column as text."""

    of: Column
    label: str
    cells: tuple[str, ...]  # of the rows, then of the sums below them
    is_title: bool = False

    @property
    def natural(self) -> int:
        """The width of its widest line, in terminal cells."""
        return max(map(cell_len, (self.label, *self.cells)))

    @property
    def least(self) -> int:
        """The width it needs, while other columns can go."""
        return self._at_least(_TITLE if self.is_title else _WORD)

    @property
    def tight(self) -> int:
        """The width it needs, once no other column can go."""
        return self._at_least(_TIGHT)

    def _at_least(self, words: int) -> int:
        whole = words if self.of.kind in _WORDS else max(map(cell_len, (*self.label.split(), *self.cells)))
        return min(self.natural, whole)

    @property
    def side(self) -> AlignMethod:
        return "left" if self.of.kind in _LEFT else "right"

    def cell(self, at: int, width: int) -> Cell:
        """Return a cell as lines. A `…` marks a cut."""
        text = self.cells[at]
        style = BOLD if self.of is _NUMBER else FAINT if text == UNKNOWN else ""
        if self.of.means == CHANGE and text != UNKNOWN:
            style = {"+": GREEN, "-": RED}.get(text[:1], "")
        return [Text(line, style) for line in _cut(text, width)]


def laid_out(
    table: Table, width: int, first: int = 1, changes: Changes = always, *, color: bool = False
) -> str:
    """Return the current page of *table*, with its size and its checks below.

    first: the number of its first line (0: none). changes: whether a text is new, such as a note on left-out
    rows.
    """
    table, chart = taken_out(table)
    found = _columns(table)
    # A column with the same cell in every row is shown once.
    can_go = [each for each in found if each.of.rank and not each.is_title and len(table.page) > 1]
    alike = [each for each in can_go if len({*each.cells} - {""}) == 1]
    lines = [f"{first + table.start + at:>2}" for at in range(len(table.page))]
    numbers = [_Column(_NUMBER, " #", (*lines, *[""] * len(table.foot)))] if first else []
    columns = [*numbers, *(each for each in found if each not in alike)]
    shown = _with_room(columns, width)
    is_narrow = width < _NARROW or sum(each.tight for each in shown) > _room(shown, width)
    gone = [each.label for each in columns if not is_narrow and each not in shown]
    below = [
        *map(Text, chart.lines(width) if chart else ()),
        *_labeled_lines("all: ", [f"{each.label} {each.cells[0]}" for each in alike], width),
        *(_labeled_lines("also: ", gone, width, FAINT) if changes("columns", ", ".join(gone)) else ()),
        Text(tally(table, first, left_out=changes("left out", format_reasons(table.left_out)))),
        *map(_check_line, table.checks),
    ]
    body = _blocks(columns, width) if is_narrow else _grid(shown, width)
    page = [*(body if table.rows else ()), *(line for text in below if text for line in wrap(text, width))]
    return rendered(page, console_for(color=color))


def _check_line(check: Check) -> Text:
    """Return the line of a check. Its sign has a color."""
    line = Text(format_check(check), BOLD if check.is_met is False else "")
    line.stylize({"✓": GREEN, "✗": RED}.get(line.plain[0], ""), 0, 1)
    return line


def _columns(table: Table) -> list[_Column]:
    """Return the columns that aren't empty on this page. The first of words is the title."""
    shown = (*table.page, *table.foot)
    found = [c for c in table.columns if any(each.cells.get(c.key) not in (None, "") for each in shown)]
    title = next((column for column in found if column.kind == TEXT), None)
    columns = []
    for each in found:
        cells = [format_cell(row.cells.get(each.key), each) for row in table.page]
        # Most columns have no sum. That isn't an unknown cell.
        summed = [row.cells.get(each.key) for row in table.foot]
        sums = ["" if cell in (None, "") else format_cell(cell, each) for cell in summed]
        columns.append(_Column(each, one_line(each.label, _HEAD), (*cells, *sums), each is title))
    return columns


def _labeled_lines(name: str, pieces: Sequence[str], width: int, style: str = "") -> Iterator[Text]:
    """Yield *pieces* on as few lines as they need, after a name."""
    for at, line in enumerate(side_by_side(pieces, width - len(name), ", ")):
        yield Text(f"{' ' * len(name) if at else name}{line}", style)


def _room(columns: Sequence[_Column], width: int) -> int:
    """Return the width that is left for cells, without the gaps between them."""
    return width - GAP * (len(columns) - 1)


def _fits(columns: Sequence[_Column], width: int) -> bool:
    return sum(each.least for each in columns) <= _room(columns, width)


def _with_room(columns: Sequence[_Column], width: int) -> list[_Column]:
    """Return the *columns* that fit into *width*. Those of rank 0 always stay."""
    shown = [*columns]
    while not _fits(shown, width) and any(each.of.rank for each in shown):
        shown.remove(max(reversed(shown), key=lambda each: each.of.rank))
    return shown


def _grid(columns: Sequence[_Column], width: int) -> Iterator[Text]:
    """Yield a head, and the rows below it."""
    least = [each.least if _fits(columns, width) else each.tight for each in columns]
    widths = shrunk([each.natural for each in columns], least, _room(columns, width))
    of_widths = [*zip(columns, widths, strict=True)]
    sides = [each.side for each in columns]
    yield from row_lines([wrap(Text(each.label, BOLD), cells) for each, cells in of_widths], widths, sides)
    for at in range(len(columns[0].cells)):
        yield from row_lines([each.cell(at, cells) for each, cells in of_widths], widths, sides)


def _blocks(columns: Sequence[_Column], width: int) -> Iterator[Text]:
    """Yield a block for each row: its number and title, then its other cells."""
    numbers = [each for each in columns if each.of is _NUMBER]
    others = [each for each in columns if each not in numbers]
    margins = [each.natural for each in numbers]
    room = width - sum(margins) - len(margins)
    for at in range(len(columns[0].cells) if others else 0):
        title = [each.cells[at] for each in others if each.is_title]
        pieces = side_by_side(_pieces(others, at), room)
        lines = [Text(line) for text in [*title, *pieces] or [UNKNOWN] for line in _cut(text, room)]
        number = [each.cell(at, each.natural) for each in numbers]
        sides = [each.side for each in numbers]
        yield from row_lines([*number, lines], [*margins, room], [*sides, "left"], 1)


def _pieces(columns: Sequence[_Column], at: int) -> Iterator[str]:
    """Yield the cells of a row except its title, with the column's name if they need it."""
    kinds = [each.of.kind for each in columns]
    for place, each in enumerate(columns):
        kind, text = each.of.kind, each.cells[at]
        is_named = kind in _NAMED or (kind not in _BARE and kind in kinds[:place])
        if not each.is_title and text not in ("", UNKNOWN):
            yield f"{each.label} {text}" if is_named else text


def _cut(text: str, width: int) -> list[str]:
    """Return *text* in at most as many lines as a cell has."""
    lines = [line.plain for line in wrap(Text(text), width)]
    if len(lines) > _LINES:
        return [lines[0], truncate(text.removeprefix(lines[0]).lstrip(), width)]
    return lines


_PLAIN = console_for(color=False)  # by which words are wrapped
