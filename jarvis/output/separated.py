"""Tables for programs that read lines: separated by tabs, without a head; and as CSV, with one."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.cell_text import coded_cell
from ..core.tables import MONEY, RATING, Cell, Column, Price, Rating, Row, Table, money_in

# With these at its beginning a spreadsheet takes a text for a formula, also as wide characters.
_FORMULA = tuple("=+-@＝＋－＠")


def tab_separated(table: Table, first: int = 1) -> Iterator[str]:
    """Return a line for each row of *table*, from the page that is shown now to its end.

    They are its number, its cells as the columns stand, and its address. first: the number of its first line.
    """
    for line, row in enumerate(table.rows[table.start :], first + table.start):
        cells = [coded_cell(row.cells.get(column.key)) for column in table.columns]
        yield "\t".join([str(line), *cells, coded_cell(row.url)])


def comma_separated(table: Table, first: int = 1) -> Iterator[str]:
    """Return *table* as CSV: a head, and a line for each row, from the page that is shown now to its end."""
    bases = {column for column in table.columns if any(_has_basis(row, column) for row in table.rows)}
    names = [name for column in table.columns for name in _names(column, has_basis=column in bases)]
    yield _quoted(["line", *map(_harmless, names), "url"])
    for line, row in enumerate(table.rows[table.start :], first + table.start):
        cells = [(column, row.cells.get(column.key)) for column in table.columns]
        fields = [f for column, cell in cells for f in _fields(cell, column, has_basis=column in bases)]
        yield _quoted([str(line), *fields, _harmless(coded_cell(row.url))])


def _has_basis(row: Row, column: Column) -> bool:
    return isinstance(row.cells.get(column.key), Price)


def _names(column: Column, *, has_basis: bool) -> list[str]:
    """Return what the fields of a column are called: an amount has its currency beside it, and its basis."""
    more = {MONEY: ["currency"], RATING: ["count"]}.get(column.kind, []) + ["basis"] * has_basis
    return [column.key, *(f"{column.key}_{name}" for name in more)]


def _fields(cell: Cell, column: Column, *, has_basis: bool) -> list[str]:
    """Return the fields of a cell, as many as its column has names."""
    if column.kind == MONEY:
        money = money_in(cell)
        basis = _harmless(coded_cell(cell.basis)) if isinstance(cell, Price) else ""
        return [*(money.record.values() if money else ("", "")), *[basis] * has_basis]
    if column.kind == RATING:
        return [f"{cell.value:f}", coded_cell(cell.raters)] if isinstance(cell, Rating) else ["", ""]
    return [_harmless(cell) if isinstance(cell, str) else coded_cell(cell)]


def _harmless(text: str) -> str:
    """Return *text*, which is foreign, so that no spreadsheet runs it."""
    text = coded_cell(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _quoted(fields: list[str]) -> str:
    """Return a line of CSV, each field in quotes: one that is read by other rules falls apart nowhere."""
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields)
