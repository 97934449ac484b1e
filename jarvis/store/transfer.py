"""Threads as records, to be moved from one database to another without loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from ..settings import check_thread
from .database import Database, Row, Rows

SCHEMA = 1
_COLUMNS = {
    "threads": "id created_at used_at turns typed found",
    "turns": "id thread n goal status reply shown error usage started_at ended_at",
    "steps": "turn n action arguments target state outcome started_at ended_at",
    "addresses": "thread id url title source official turn step opened shown",
}
_OF_THREAD = {
    "threads": "WHERE id = ?",
    "turns": "WHERE thread = ? AND status != 'open' ORDER BY n",
    "steps": "WHERE turn IN (SELECT id FROM turns WHERE thread = ? AND status != 'open') ORDER BY turn, n",
    "addresses": "WHERE thread = ? ORDER BY turn, step, id",
}
_AGAIN = "jarvis threads export > threads.jsonl"


async def exported(database: Database, thread: str) -> dict[str, Any]:
    """All of *thread* as one record: `{"schema": 1, "columns": {table: names}, "threads": [row], …}`.

    A turn that is under way is left out.
    """
    record: dict[str, Any] = {"schema": SCHEMA, "columns": _COLUMNS}
    for table, columns in _COLUMNS.items():
        select = f"SELECT {columns.replace(' ', ', ')} FROM {table} {_OF_THREAD[table]}"
        record[table] = [list(row) for row in await database.run(select, thread)]
    return record


async def imported(database: Database, record: object) -> tuple[str, int]:
    """Write *record* down as the thread it was; its name, and how many turns it has.

    Raises UsageError, with nothing written, where it is no such record, or its thread is there already.
    """
    tables = {table: _rows(record, table) for table in _COLUMNS}
    thread = _whole(tables)

    async def work(rows: Rows) -> None:
        if await rows.run("SELECT 1 FROM threads WHERE id = ?", thread):
            raise UsageError(
                f"There is a thread {thread} already: it was left as it is.",
                hint=f"jarvis threads delete {thread}",
            )
        for table, values in tables.items():
            columns = _COLUMNS[table].split()
            marks = ", ".join("?" * len(columns))
            await rows.run_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)

    await database.atomically(work)
    return thread, len(tables["turns"])


def _rows(record: object, table: str) -> list[Row]:
    """The rows of *table* in *record*, which anybody may have written."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError("That is no thread that was exported.", hint=_AGAIN)
    rows = record.get(table)
    width = len(_COLUMNS[table].split())
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == width for row in rows):
        raise UsageError(f"The {table} in it are not as they are exported.", hint=_AGAIN)
    if not all(value is None or isinstance(value, (str, int, float)) for row in rows for value in row):
        raise UsageError(f"The {table} in it hold what no column holds.", hint=_AGAIN)
    return [tuple(row) for row in rows]


def _whole(tables: Mapping[str, list[Row]]) -> str:
    """The name of the one thread that *tables* tell of. Raises UsageError where they do not fit together."""
    if len(tables["threads"]) != 1:
        raise UsageError("A line holds one thread, and this one does not.", hint=_AGAIN)
    thread = str(tables["threads"][0][0])
    check_thread(thread)
    named = {row[1] for row in tables["turns"]} | {row[0] for row in tables["addresses"]}
    if not named <= {thread} or not {row[0] for row in tables["steps"]} <= {
        row[0] for row in tables["turns"]
    }:
        raise UsageError(f"What is told of the thread {thread} does not fit together.", hint=_AGAIN)
    return thread
