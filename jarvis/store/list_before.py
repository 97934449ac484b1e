"""Finds the table that a thread listed before its last one was found, for whoever goes back to it."""

from __future__ import annotations

from ..core.stdlib import TYPE_CHECKING, Any, loads
from .database import Transaction
from .listed import tables_in

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
    found = [_found(loads(row[0])) for row in rows]
    first = max((place for place, each in enumerate(found) if each == found[0]), default=0)
    older = next((place for place in range(first + 1, len(rows)) if found[place]), None)
    if older is None:
        return None
    return next((table for table, line in reversed(tables_in(rows[older][0])) if line), None)


def _found(records: list[Any]) -> list[object]:
    """Return what the table that was listed is known by, however it was sorted since; empty: none was."""
    listed = [record for record in records if record["first"]]
    return [listed[-1]["kind"], *(row["id"] for row in listed[-1]["rows"])] if listed else []
