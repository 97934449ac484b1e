"""Shows a table: to a person on a terminal, to a program as lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..core.cell_text import told_cell
from ..core.events import Tabled
from ..core.tables import Row, Table, price_column
from ..core.text import clean, counted
from .checks import told_check
from .lines import cut
from .runs import DIM, printed
from .separated import comma_separated, tab_separated
from .tables import laid_out, remarks, seen, tally

if TYPE_CHECKING:
    from .surface import Surface


def show_table(screen: Surface, tabled: Tabled, *, as_csv: bool = False, is_quiet: bool = False) -> None:
    """Show a table on stdout: laid out on a terminal, else its rows alone, for programs.

    What else is to be known of it stands on stderr, unless *is_quiet*; of one that is not listed, all does.
    """
    table, first = tabled.table, tabled.first
    is_laid_out = screen.out_tty and not as_csv
    if not first:
        aside: Iterable[str] = [held_line(table)]
    elif is_laid_out:
        _out(
            screen, (printed(line, colour=screen.out_colour) for line in laid_out(table, screen.width, first))
        )
        aside = remarks(table, screen.width, first)
    else:
        _out(screen, comma_separated(table, first) if as_csv else tab_separated(table, first))
        aside = _beside_rows(table, first)
    if not is_quiet:
        for line in aside:
            screen.err(printed([(clean(line), DIM)], colour=screen.err_colour))


def told_again(screen: Surface, table: Table, first: int, width: int) -> list[str]:
    """Return the lines of a table of an earlier turn, laid out where a person looks."""
    if not first:
        return [held_line(table)]
    if not screen.out_tty:
        return [*tab_separated(table, first), *_beside_rows(table, first)]
    lines = [printed(line, colour=screen.out_colour) for line in laid_out(table, width, first)]
    return [*lines, *cut(seen(table), width)]


def held_line(table: Table) -> str:
    """Return a line on a table of which something else was made."""
    prices = price_column(table)
    known = [row for row in table.rows if prices and row.cells.get(prices.key) is not None]
    what = counted(len(table.rows), f"{table.kind}s")
    from_to = f", the first at {told_cell(known[0].cells[prices.key], prices)}" if prices and known else ""
    return f"{what} found{from_to}"


def _out(screen: Surface, lines: Iterable[str]) -> None:
    """Print *lines* at once: each by itself takes a while."""
    if text := "\n".join(lines):
        screen.out(text)


def _beside_rows(table: Table, first: int) -> list[str]:
    """Return what lines for a program leave out of *table*."""
    sums = [_summed(row, table) for row in table.foot]
    checks = [told_check(check) for check in table.checks]
    left_out = tally(table._replace(start=0, end=len(table.rows)), first)
    return [line for line in (*sums, *checks, left_out, seen(table)) if line]


def _summed(row: Row, table: Table) -> str:
    cells = ((row.cells.get(column.key), column) for column in table.columns)
    return "  ".join(told_cell(cell, column) for cell, column in cells if cell is not None)
