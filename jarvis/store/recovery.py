"""Gathers what can be read of a broken history, thread by thread, and writes it into a new one."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.text import counted
from .broken_file import read_rows, readable
from .columns import ADDED, COLUMNS
from .database import Database, Row, Transaction
from .transfer import portable, record_of

Found = dict[str, Any]  # a row, by the names of its columns

_BESIDE = ("usage", "people", "kept", "prices")  # what is in no thread
_PARTS = {
    "threads": "titles of threads",
    "turns": "turns",
    "steps": "steps",
    "addresses": "addresses",
    "usage": "what was used on some days",
    "people": "who else is here",
    "kept": "things on your own lists",
    "prices": "prices of things on your own lists",
}


class Recovered(NamedTuple):
    tables: Mapping[str, list[Found]]
    left_out: list[str]  # what can't be read, for the person

    @property
    def threads(self) -> list[str]:
        return sorted(row["id"] for row in self.tables["threads"])

    @property
    def turns(self) -> int:
        return len(self.tables["turns"])

    def record(self, thread: str) -> dict[str, Any]:
        """Return *thread* as an export has it."""
        turns = [row for row in self.tables["turns"] if row["thread"] == thread]
        ids = {row["id"] for row in turns}
        rows = {
            "threads": [row for row in self.tables["threads"] if row["id"] == thread],
            "turns": sorted(turns, key=lambda row: int(row["n"])),
            "steps": [row for row in self.tables["steps"] if row["turn"] in ids],
            "addresses": [row for row in self.tables["addresses"] if row["thread"] == thread],
        }
        return record_of({table: [_columns_of(table, row) for row in rows[table]] for table in COLUMNS})


def recovered(path: str) -> Recovered:
    """Return what can be read of the history at *path*, which stays as it is. Raises StoreFailed."""
    try:
        return _read(path)
    except sqlite3.DatabaseError:
        return Recovered({table: [] for table in COLUMNS}, ["all of it"])


def _read(path: str) -> Recovered:
    tables: dict[str, list[Found]] = {}
    broken = []
    with readable(path) as connection:
        for table in (*COLUMNS, *_BESIDE):
            found = read_rows(connection, table)
            tables[table] = [row for row in found.rows if _is_fit(table, row)]
            if not found.is_whole or len(tables[table]) < len(found.rows):
                broken.append(table)
    turns = {row["id"] for row in tables["turns"]}
    tables["steps"] = [row for row in tables["steps"] if row["turn"] in turns]
    tables["threads"] += _unnamed(tables)
    return Recovered(tables, [*_turns_left_out(tables), *(_PARTS[table] for table in broken)])


async def write(found: Recovered, database: Database) -> None:
    """Write all that was found into *database*, which is new."""

    async def work(transaction: Transaction) -> None:
        for table, rows in found.tables.items():
            for row in rows:
                marks = ", ".join("?" * len(row))
                insert = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
                await transaction.send(insert, *row.values())

    await database.atomically(work)


def _columns_of(table: str, row: Found) -> Row:
    """Return what an export has of *row*, which an earlier version may have written."""
    added = ADDED[table]
    defaults = dict(zip(list(COLUMNS[table])[-len(added) :], added, strict=True))
    return tuple(row.get(name, defaults.get(name)) for name in COLUMNS[table])


def _is_fit(table: str, row: Found) -> bool:
    """Return whether *row* makes sense: what is broken may be read, and be anything."""
    if table not in COLUMNS:
        return True
    values = portable(_columns_of(table, row))
    return all(is_fit(value) for is_fit, value in zip(COLUMNS[table].values(), values, strict=True))


def _unnamed(tables: Mapping[str, list[Found]]) -> list[Found]:
    """Return rows of the threads of which nothing is left but turns."""
    known = {row["id"] for row in tables["threads"]}
    made: dict[str, Found] = {}
    for turn in tables["turns"]:
        if turn["thread"] not in known:
            new = {"id": turn["thread"], "created_at": turn["started_at"], "used_at": 0.0, "turns": 0}
            thread = made.setdefault(turn["thread"], new)
            thread["used_at"] = max(thread["used_at"], turn["started_at"])
            thread["turns"] = max(thread["turns"], turn["n"])
    return [{**row, "typed": 0, "found": 0, "title": "", "offers": 0} for row in made.values()]


def _turns_left_out(tables: Mapping[str, list[Found]]) -> list[str]:
    """Return how many turns of which threads are missing."""
    found = Counter(row["thread"] for row in tables["turns"])
    missing = {row["id"]: row["turns"] - found[row["id"]] for row in tables["threads"]}
    return [f"{counted(n, 'turns')} of {thread}" for thread, n in sorted(missing.items()) if n > 0]
