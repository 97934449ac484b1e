"""Shows a table: to a person on a terminal, to a program as lines; and tells what is to be known of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ..core.cell_text import told_cell, told_reasons, told_text
from ..core.events import Tabled
from ..core.tables import BEST_RATED, COUNTING, Check, Row, Table, price_column
from ..core.text import clean, counted, one_line
from .screen import DIM, Changes, Surface, always, as_typed_at, styled
from .separated import comma_separated, tab_separated

if TYPE_CHECKING:
    from .grid import Layout

_LONGEST_NOTE = 400  # characters
_FRESH = timedelta(minutes=10)  # for so long a person knows when they had it looked up
_SIGNS = {True: "✓", False: "✗", None: "!"}  # met, not met, can't be told


def show_table(
    screen: Surface,
    tabled: Tabled,
    changes: Changes = always,
    *,
    as_csv: bool = False,
    is_quiet: bool = False,
) -> None:
    """Show a table on stdout: laid out on a terminal, else its rows alone, for programs.

    What else is to be known of it stands on stderr, unless *is_quiet*; of one that is not listed, all does.
    changes: whether a text is another than was told about the same before.
    """
    table, first = tabled.table, tabled.first
    if not first:
        aside: Iterable[str] = [held_line(table)]
    elif screen.out_tty and not as_csv:
        is_told = changes("left out", told_reasons(table.left_out))
        layout = laid_out(table, screen.width, first, colour=screen.out_colour, left_out=is_told)
        screen.out(layout.text)
        aside = () if is_quiet else _remarks(table, layout.gone, first, screen, changes)
    else:
        lines = comma_separated(table, first) if as_csv else tab_separated(table, first)
        if text := "\n".join(lines):  # at once: each by itself takes a while
            screen.out(text)
        aside = beside_rows(table, first)
    for line in () if is_quiet else aside:
        screen.err(styled(clean(line), DIM, colour=screen.err_colour))


def told_again(screen: Surface, table: Table, first: int, width: int) -> list[str]:
    """Return the lines of a table of an earlier turn, laid out where a person looks."""
    if not first:
        return [held_line(table)]
    if not screen.out_tty:
        return [*tab_separated(table, first), *beside_rows(table, first)]
    text = laid_out(table, width, first, colour=screen.out_colour).text
    return [*text.split("\n"), *filter(None, [caption_of(table)])]


def laid_out(
    table: Table, width: int, first: int = 1, *, colour: bool = False, left_out: bool = True
) -> Layout:
    """Return the page of *table* that is shown now, for a person; below it how much that is, and its checks.

    first: the number of its first line; 0: lines have none. left_out: whether what was is told.
    """
    from .grid import layout_of  # rich, where a person looks at a table

    checks = [(check_line(check), check.is_met is False) for check in table.checks]
    return layout_of(table, width, first, tally(table, first, left_out=left_out), checks, colour=colour)


def held_line(table: Table) -> str:
    """Return a line on a table of which something else was made."""
    prices = price_column(table)
    known = [row for row in table.rows if prices and row.cells.get(prices.key) is not None]
    what = counted(len(table.rows), f"{table.kind}s")
    from_to = f", the first at {told_cell(known[0].cells[prices.key], prices)}" if prices and known else ""
    return f"{what} found{from_to}"


def beside_rows(table: Table, first: int) -> list[str]:
    """Return what lines for a program leave out of *table*."""
    sums = [_summed(row, table) for row in table.foot]
    checks = [check_line(check) for check in table.checks]
    left_out = tally(table._replace(start=0, end=len(table.rows)), first)
    return [line for line in (*sums, *checks, left_out, caption_of(table)) if line]


def tally(table: Table, first: int, *, left_out: bool = True) -> str:
    """Return how much of the list is shown, and what was left out of it, by its reasons."""
    count, gone = len(table.rows), sum(table.left_out.values())
    reasons = told_reasons(table.left_out)
    if not count:
        return f"Nothing is left of {counted(gone, 'lines')}: {reasons}." if gone else "Nothing was found."
    gone = gone if left_out else 0
    if len(table.page) < count:
        start, end = first + table.start, first + table.start + len(table.page) - 1
        lines = f"Lines {start} to {end}, of {count:,} in all."
        return f"{lines} Left out of {count + gone:,}: {reasons}." if gone else lines
    return f"{count:,} of {count + gone:,}. Left out: {reasons}." if gone else ""


def check_line(check: Check) -> str:
    """Return a check in words, behind a sign that says whether it is met; ! warns of one that is soft."""
    sign = _SIGNS[check.is_met if check.is_hard or check.is_met else None]
    return f"{sign} {told_text(check.said) or told_text(check.name)}"


def caption_of(table: Table) -> str:
    """Return what is to be known of all of *table*, and when that was so."""
    return " · ".join(filter(None, (_note(table), _seen_at(table))))


def _note(table: Table) -> str:
    return one_line(table.note, _LONGEST_NOTE).rstrip(".")


def _seen_at(table: Table, fresh: timedelta = timedelta(0)) -> str:
    """Return when *table* was found, by the clock here; empty where that is *fresh*, or not known."""
    try:
        at = datetime.fromisoformat(table.seen_at).astimezone()
    except ValueError:
        return ""
    now = datetime.now().astimezone()
    if now - at < fresh:
        return ""
    return f"seen {at:%H:%M}" if at.date() == now.date() else f"seen {at:%Y-%m-%d %H:%M}"


def _remarks(table: Table, gone: Sequence[str], first: int, screen: Surface, changes: Changes) -> list[str]:
    """Return what else is to be known of the page that is shown, as far as it *changes*.

    gone: the columns that had no room. A note on what could not be done is told of each table that is found.
    """
    from .grid import side_by_side  # as above

    note = _note(table)
    pages = [first + table.start + at for at, row in enumerate(table.page) if row.url]
    said = [
        ("note", as_typed_at(screen, note), f"{note} {table.seen_at}" if " not " in note else ""),
        ("seen", _seen_at(table, _FRESH), ""),
        ("order", COUNTING if table.order == BEST_RATED and table.rows else "", ""),
        ("columns", f"also: {', '.join(gone)}" if gone else "", ""),
        # How it is done is the same of whatever lines.
        ("more", as_typed_at(screen, "jarvis more") if table.end < len(table.rows) else "", "how"),
        ("open", as_typed_at(screen, f"jarvis open {pages[0]}") if pages else "", "how"),
    ]
    told = [text for about, text, same in said if text and changes(about, same or text)]
    return side_by_side(told, screen.width)


def _summed(row: Row, table: Table) -> str:
    cells = ((row.cells.get(column.key), column) for column in table.columns)
    return "  ".join(told_cell(cell, column) for cell, column in cells if cell is not None)
