"""Finds the table that a thread listed before its last one was found, for whoever goes back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .database import Transaction
from .listed import last_listed, tables_in

if TYPE_CHECKING:
    from ..core.tables import Table

_MOST = 40  # lists that are looked through


async def table_before(database: Transaction, thread: str) -> Table | None:
    """Return the table that *thread* listed before its last one was found; None where there was none.

    What was asked of a table lists it anew: it was found where it was listed first.
    """
    rows = await database.run(
        "SELECT tables FROM turns WHERE thread = ? AND shown IS NOT NULL AND tables IS NOT NULL"
        " ORDER BY n DESC LIMIT ?",
        thread,
        _MOST,
    )
    tables = [table for row in rows if (table := last_listed(tables_in(row[0])))]
    found = [_found(table) for table in tables]
    first = max((place for place, each in enumerate(found) if each == found[0]), default=0)
    return next(iter(tables[first + 1 :]), None)


def _found(table: Table) -> tuple[object, ...]:
    """Return what *table* is known by, however it was changed since it was found."""
    found = table.found or table
    return found.kind, *(row.id for row in found.rows)
