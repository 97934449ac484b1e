"""Threads as records, to be moved from one database to another without loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..config.settings import check_thread
from ..core.errors import UsageError
from .columns import COLUMNS
from .database import Database, Row, Rows
from .records import SCHEMA, Tables, checked, column, disbelieved, with_counters

_OF_THREAD = {
    "threads": "WHERE id = ?",
    "turns": "WHERE thread = ? AND status != 'open' ORDER BY n",
    "steps": "WHERE turn IN (SELECT id FROM turns WHERE thread = ? AND status != 'open') ORDER BY turn, n",
    "addresses": "WHERE thread = ? ORDER BY turn, step, id",
}
_BATCH = 500  # rows at once: a server has seconds for each answer


async def exported(database: Database, thread: str) -> dict[str, Any]:
    """All of *thread* as one record: `{"schema": 1, "columns": {table: names}, "threads": [row], …}`.

    A turn that is under way is left out.
    """

    async def read(rows: Rows) -> Tables:
        return {
            table: await rows.run(f"SELECT {', '.join(COLUMNS[table])} FROM {table} {where}", thread)
            for table, where in _OF_THREAD.items()
        }

    tables = await database.atomically(read)
    if not tables["threads"]:
        raise UsageError(f"There is no thread {thread}.", hint="jarvis threads list")
    # A server lets a turn end between two reads, even of one transaction.
    turns = set(column(tables, "turns", "id"))
    tables["steps"] = [row for row in tables["steps"] if row[0] in turns]
    record = {table: [_portable(row) for row in rows] for table, rows in with_counters(tables).items()}
    columns = {table: " ".join(names) for table, names in COLUMNS.items()}
    return {"schema": SCHEMA, "columns": columns, **record}


async def imported(database: Database, record: object, name: str | None = None) -> tuple[str, int]:
    """Write *record* down as the thread it was, or as *name*; its name, and how many turns it has.

    What it says of its words and addresses is not believed.
    Raises UsageError, with nothing written, where it is no such record, or its thread is there already.
    """
    tables = _renamed(disbelieved(checked(record)), name)
    thread, turns = str(tables["threads"][0][0]), column(tables, "turns", "id")
    is_written = False  # all of it, by an attempt of which it was not heard any more whether it counts

    async def work(rows: Rows) -> None:
        nonlocal is_written
        # Not looked for before: another process may begin a thread of this name meanwhile.
        begin = f"{_insert('threads')} ON CONFLICT DO NOTHING RETURNING id"
        if not await rows.run(begin, *tables["threads"][0]):
            if is_written and await _is_in(rows, thread, turns):
                return
            raise UsageError(
                f"There is a thread {thread} in {database.name} already: it was left as it is.",
                hint=f"Give it another name: jarvis threads import --as {thread}-2 FILE",
            )
        await _refuse_known(rows, turns)
        for table in ("turns", "steps", "addresses"):
            for batch in _batches(tables[table]):
                await rows.run_many(_insert(table), batch)
        is_written = True

    await database.atomically(work)
    return thread, len(turns)


def _renamed(tables: Tables, name: str | None) -> Tables:
    """*tables* as those of the thread *name*."""
    if name is None:
        return tables
    check_thread(name)
    turns = [(row[0], name, *row[2:]) for row in tables["turns"]]
    named = {table: [(name, *row[1:]) for row in tables[table]] for table in ("threads", "addresses")}
    return {**tables, **named, "turns": turns}


async def _is_in(rows: Rows, thread: str, turns: Sequence[str]) -> bool:
    """Whether *thread* begins with the first of *turns*, if there is any."""
    first = "SELECT 1 FROM turns WHERE thread = ? AND id = ?"
    return not turns or bool(await rows.run(first, thread, turns[0]))


async def _refuse_known(rows: Rows, turns: Sequence[str]) -> None:
    """Raises UsageError where one of *turns* is in another thread: the record was made of that one."""
    for batch in _batches(turns):
        marks = ", ".join("?" * len(batch))
        if known := await rows.run(f"SELECT thread FROM turns WHERE id IN ({marks}) LIMIT 1", *batch):
            raise UsageError(
                f"Its turns are in the thread {known[0][0]} already: nothing was written.",
                hint=f"jarvis threads delete {known[0][0]}",
            )


def _insert(table: str) -> str:
    columns = COLUMNS[table]
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def _batches(rows: Sequence[Any]) -> list[Sequence[Any]]:
    return [rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH)]


def _portable(row: Row) -> list[Any]:
    """*row* as every database takes it: Postgres has no place for NUL in a text."""
    return [value.replace("\0", "") if isinstance(value, str) else value for value in row]
