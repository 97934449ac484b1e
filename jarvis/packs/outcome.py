"""Tells what came of looking for something: a table of what there is, or that there is nothing."""

from __future__ import annotations

from ..core.table_text import told_reasons
from ..core.tables import Table
from ..core.text import counted
from ..core.types import Outcome


def outcome_of(table: Table, target: str, things: str) -> Outcome:
    """Return the outcome of an action that answers with *table*. things: what is in it, several of them.

    Where no row is left it says whether nothing was found, or why all of it was left out.
    """
    if table.rows:
        said = f"Found {counted(len(table.rows), things)} for {target}."
        return Outcome("done", said, value=target, table=table)
    if not table.left_out:
        return Outcome("done", f"No {things} were found for {target}.", value=target)
    said = f"None of the {things} that were found fits {target}: {told_reasons(table.left_out)}."
    return Outcome("done", said, value=target)
