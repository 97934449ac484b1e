"""Moves threads from one database to another as records, without loss. Anybody may have written a record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..config.settings import check_thread
from ..core.errors import UsageError
from ..core.types import OFFER
from .columns import ADDED, COLUMNS
from .database import Database, Row, Transaction
from .foreign_tables import believed_tables
from .tables import most_offers, unpacked

Tables = dict[str, list[Row]]  # every row of one thread, by table

SCHEMA = 1
_KEYS = (("turns", "id"), ("turns", "n"), ("steps", "turn", "n"), ("addresses", "id"))
AGAIN = "jarvis threads export > threads.jsonl"
# What an id says of where its address is from: those of an import all count as found.
_SOURCES = {"u": ("typed", "piped", "found"), "r": ("found",), "s": ("site", "alias", "found")}


def _ended(status: object) -> object:
    """Return *status*; of a turn that was under way what became of it: nobody goes on with it here."""
    return "interrupted" if status == "open" else status


# What is believed of a record's words and addresses, whatever it says itself: anybody may have written it.
_BELIEVED: Mapping[str, Mapping[str, Callable[[Any], object]]] = {
    "turns": {"status": _ended, "own": lambda _: 0, "shown": lambda _: None, "tables": believed_tables},
    "steps": {"state": lambda state: "unknown" if state == "started" else state},
    "addresses": {
        "source": lambda _: "found",
        **dict.fromkeys(("official", "official_name"), lambda _: ""),
        **dict.fromkeys(("opened", "shown"), lambda _: None),
    },
}
_OF_THREAD = {
    "threads": "WHERE id = ?",
    "turns": "WHERE thread = ? ORDER BY n",
    "steps": "WHERE turn IN (SELECT id FROM turns WHERE thread = ?) ORDER BY turn, n",
    "addresses": "WHERE thread = ? ORDER BY turn, step, id",
}
_BATCH = 500  # rows at once: a server has seconds for each answer


async def exported(database: Database, thread: str) -> dict[str, Any]:
    """Return all of *thread* as one record: `{"schema": 1, "columns": {table: names}, "threads": [row], …}`.

    A turn that is under way is told as it is now: open.
    """

    async def read(transaction: Transaction) -> Tables:
        return {
            table: await transaction.run(f"SELECT {', '.join(COLUMNS[table])} FROM {table} {where}", thread)
            for table, where in _OF_THREAD.items()
        }

    tables = await database.atomically(read)
    if not tables["threads"]:
        raise UsageError(f"There is no thread {thread}.", hint="jarvis threads list")
    # A server lets a turn begin between two reads, even of one transaction.
    turns = set(column(tables, "turns", "id"))
    tables["steps"] = [row for row in tables["steps"] if row[0] in turns]
    return record_of(tables)


def record_of(tables: Tables) -> dict[str, Any]:
    """Return the record of a thread, of which the *tables* hold all rows."""
    tables = with_counters({table: list(map(portable, rows)) for table, rows in tables.items()})
    record = {table: list(map(list, rows)) for table, rows in tables.items()}
    columns = {table: " ".join(names) for table, names in COLUMNS.items()}
    return {"schema": SCHEMA, "columns": columns, **record}


async def imported(database: Database, record: object, name: str | None = None) -> tuple[str, int]:
    """Write *record* as the thread that it was, or as *name*. Return its name, and how many turns it has.

    What it says of its words and addresses is not believed.
    Raises UsageError, with nothing written, where it is no such record, or its thread is there already.
    """
    tables = _renamed(disbelieved(checked(record)), name)
    thread, turns = str(tables["threads"][0][0]), column(tables, "turns", "id")
    is_written = False  # all of it, by an attempt of which it was not heard any more whether it counts

    async def work(transaction: Transaction) -> None:
        nonlocal is_written
        # Not looked for before: another process may begin a thread of this name meanwhile.
        begin = f"{_insert('threads')} ON CONFLICT DO NOTHING RETURNING id"
        if not await transaction.run(begin, *tables["threads"][0]):
            if is_written and await _is_in(transaction, thread, turns):
                return
            raise UsageError(
                f"There is a thread {thread} in {database.name} already. It was not changed.",
                hint=f"Give it another name: jarvis threads import --as {thread}-2 FILE",
            )
        await _refuse_known(transaction, turns)
        for table in ("turns", "steps", "addresses"):
            for batch in _batches(tables[table]):
                await transaction.run_many(_insert(table), batch)
        is_written = True

    await database.atomically(work)
    return thread, len(turns)


def _renamed(tables: Tables, name: str | None) -> Tables:
    """Return *tables* as those of the thread *name*."""
    if name is None:
        return tables
    check_thread(name)
    turns = [(row[0], name, *row[2:]) for row in tables["turns"]]
    named = {table: [(name, *row[1:]) for row in tables[table]] for table in ("threads", "addresses")}
    return {**tables, **named, "turns": turns}


async def _is_in(transaction: Transaction, thread: str, turns: Sequence[str]) -> bool:
    """Return whether *thread* has the first of *turns*, if there is any."""
    first = "SELECT 1 FROM turns WHERE thread = ? AND id = ?"
    return not turns or bool(await transaction.run(first, thread, turns[0]))


async def _refuse_known(transaction: Transaction, turns: Sequence[str]) -> None:
    """Raise UsageError where one of *turns* is in another thread: the record was made of that one."""
    for batch in _batches(turns):
        marks = ", ".join("?" * len(batch))
        if known := await transaction.run(f"SELECT thread FROM turns WHERE id IN ({marks}) LIMIT 1", *batch):
            raise UsageError(
                f"The turns are in the thread {known[0][0]} already. Nothing was written.",
                hint=f"If you want them anew, delete them first: jarvis threads delete {known[0][0]}",
            )


def _insert(table: str) -> str:
    columns = COLUMNS[table]
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def _batches(rows: Sequence[Any]) -> list[Sequence[Any]]:
    return [rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH)]


def portable(row: Row) -> Row:
    """Return *row* as JSON holds it and every database takes it: Postgres has no place for NUL in a text."""
    texts = [unpacked(value) if isinstance(value, bytes) else value for value in row]
    return tuple(value.replace("\0", "") if isinstance(value, str) else value for value in texts)


def checked(record: object) -> Tables:
    """Return what *record* holds, with counters that fit. Raises UsageError where it makes no sense."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError("That is not an exported thread.", hint=AGAIN)
    tables = {table: _rows(record.get(table), table) for table in COLUMNS}
    _refuse_strangers(tables)
    _refuse_twins(tables)
    _refuse_mixed_kinds(tables)
    return with_counters(tables)


def with_counters(tables: Tables) -> Tables:
    """Return *tables* with the thread's counters raised to what is in use, so that no id is given again."""
    id_, created_at, used_at, turns, typed, found, title, offers = tables["threads"][0]
    numbers = [n for name in ("turn", "opened", "shown") for n in column(tables, "addresses", name) if n]
    kept = [most_offers(text) for text in column(tables, "turns", "tables") if text]
    minted = {"u": typed, "r": found, OFFER: max([offers, *kept])}
    listed = [id_ for shown in column(tables, "turns", "shown") if shown for id_ in json.loads(shown)]
    for address in (*listed, *column(tables, "addresses", "id")):
        kind = "u" if address[0] == "s" else address[0]  # they are counted together
        minted[kind] = max(minted[kind], int(address[1:]))
    turns = max([turns, *column(tables, "turns", "n"), *numbers])
    thread = (id_, created_at, used_at, turns, minted["u"], minted["r"], title, minted[OFFER])
    return {**tables, "threads": [thread]}


def disbelieved(tables: Tables) -> Tables:
    """Return *tables* without what only this history could vouch for."""
    told = {}
    for table, rows in tables.items():
        believed = [_BELIEVED.get(table, {}).get(name) for name in COLUMNS[table]]
        told[table] = [
            tuple(known(value) if known else value for known, value in zip(believed, row, strict=True))
            for row in rows
        ]
    return told


def column(tables: Tables, table: str, name: str) -> list[Any]:
    at = list(COLUMNS[table]).index(name)
    return [row[at] for row in tables[table]]


def _rows(rows: object, table: str) -> list[Row]:
    columns, added = COLUMNS[table], ADDED.get(table, ())
    first = len(columns) - len(added)
    widths = range(first, len(columns) + 1)
    if not isinstance(rows, list) or not all(isinstance(r, list) and len(r) in widths for r in rows):
        raise UsageError(f"The {table} are not written as an export writes them.", hint=AGAIN)
    rows = [[*row, *added[len(row) - first :]] for row in rows]
    for number, row in enumerate(rows, 1):
        for (name, is_fit), value in zip(columns.items(), row, strict=True):
            if not is_fit(value):
                raise UsageError(f"The {name} in row {number} of {table} can't be right.", hint=AGAIN)
    return [tuple(row) for row in rows]


def _refuse_strangers(tables: Tables) -> None:
    """Raise UsageError where *tables* are not all of one thread."""
    if len(tables["threads"]) != 1:
        raise UsageError("The line does not hold one thread.", hint=AGAIN)
    thread = tables["threads"][0][0]
    named = {*column(tables, "turns", "thread"), *column(tables, "addresses", "thread")}
    turns = set(column(tables, "turns", "id"))
    if not named <= {thread} or not turns.issuperset(column(tables, "steps", "turn")):
        raise UsageError(f"The rows of the thread {thread} do not belong together.", hint=AGAIN)


def _refuse_twins(tables: Tables) -> None:
    """Raise UsageError where two rows have the same key."""
    for table, *names in _KEYS:
        keys = list(zip(*(column(tables, table, name) for name in names), strict=True))
        if len(set(keys)) < len(keys):
            raise UsageError(f"Two rows of {table} have the same {' and '.join(names)}.", hint=AGAIN)


def _refuse_mixed_kinds(tables: Tables) -> None:
    """Raise UsageError where an address's id says another source than its row does."""
    for id_, source in zip(*(column(tables, "addresses", name) for name in ("id", "source")), strict=True):
        if source not in _SOURCES[id_[0]]:
            raise UsageError(f"The address {id_} can't have the source {source}.", hint=AGAIN)
