"""All that is known of one line of a table, in words."""

from __future__ import annotations

from collections.abc import Sequence

from .cell_text import UNKNOWN, told_cell
from .errors import UsageError
from .tables import TEXT, Row, Table, column_of
from .text import cells_in, one_line

_PAGE = "page"
_GAP = "  "


def row_on(line: int, shown: Sequence[str], table: Table) -> Row:
    """Return the row of *table* on a *line*. shown: the ids on the lines of the list last shown.

    A table that was made since then is not among them: its lines are counted by themselves. Raises UsageError
    for a line that it has not.
    """
    rows = {row.id: row for row in table.rows}
    lines = list(shown) if not rows.keys().isdisjoint(shown) else list(rows)
    row = rows.get(lines[line - 1]) if 0 < line <= len(lines) else None
    if row is None:
        known = [n for n, id_ in enumerate(lines, 1) if id_ in rows]
        has = f"its lines are {known[0]} to {known[-1]}" if known else "it has none"
        raise UsageError(f"The table has no line {line}: {has}.")
    return row


def details(row: Row, table: Table) -> str:
    """Return what is known of *row*, one cell a line, and its page last."""
    title = column_of(table, TEXT)
    told = [(column, told_cell(row.cells.get(column.key), column)) for column in table.columns]
    known = [(one_line(column.label), text) for column, text in told if column != title and text != UNKNOWN]
    known.append((_PAGE, one_line(row.url) or "none is known"))
    widest = max(cells_in(label) for label, _ in known)
    lines = [label + " " * (widest - cells_in(label)) + _GAP + text for label, text in known]
    return "\n".join([*(text for column, text in told if column == title), *lines])
