"""A thread as a record: that it is one, and fits together, whoever wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError
from .columns import ADDED, COLUMNS
from .database import Row

SCHEMA = 1
_KEYS = (("turns", "id"), ("turns", "n"), ("steps", "turn", "n"), ("addresses", "id"))
AGAIN = "jarvis threads export > threads.jsonl"

Tables = dict[str, list[Row]]  # every row of one thread, by table


# What an id says of where its address is from: those of an import all count as found.
_SOURCES = {"u": ("typed", "piped", "found"), "r": ("found",), "s": ("site", "alias", "found")}
# What is believed of a record's words and addresses, whatever it says itself: anybody may have written it.
_BELIEVED: Mapping[str, Mapping[str, object]] = {
    "turns": {"own": 0, "shown": None},
    "addresses": {"source": "found", "official": "", "official_name": "", "opened": None, "shown": None},
}


def checked(record: object) -> Tables:
    """What *record* holds, with counters that fit. Raises UsageError where it is not as it was exported."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError("That is no thread that was exported.", hint=AGAIN)
    tables = {table: _rows(record.get(table), table) for table in COLUMNS}
    _refuse_strangers(tables)
    _refuse_twins(tables)
    _refuse_mixed_kinds(tables)
    return with_counters(tables)


def with_counters(tables: Tables) -> Tables:
    """*tables*, the thread's counters raised to what is in use: no number and no id is given again."""
    id_, created_at, used_at, turns, typed, found = tables["threads"][0]
    numbers = [n for name in ("turn", "opened", "shown") for n in column(tables, "addresses", name) if n]
    minted = {"u": typed, "r": found}
    listed = [id_ for shown in column(tables, "turns", "shown") if shown for id_ in json.loads(shown)]
    for address in (*listed, *column(tables, "addresses", "id")):
        kind = "u" if address[0] == "s" else address[0]  # they are counted together
        minted[kind] = max(minted[kind], int(address[1:]))
    turns = max([turns, *column(tables, "turns", "n"), *numbers])
    return {**tables, "threads": [(id_, created_at, used_at, turns, minted["u"], minted["r"])]}


def disbelieved(tables: Tables) -> Tables:
    """*tables* without what only this history could vouch for."""
    told = {}
    for table, rows in tables.items():
        names, believed = list(COLUMNS[table]), _BELIEVED.get(table, {})
        told[table] = [
            tuple(believed.get(name, value) for name, value in zip(names, row, strict=True)) for row in rows
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
        raise UsageError(f"Its {table} are not as they are exported.", hint=AGAIN)
    rows = [[*row, *added[len(row) - first :]] for row in rows]
    for number, row in enumerate(rows, 1):
        for (name, is_fit), value in zip(columns.items(), row, strict=True):
            if not is_fit(value):
                raise UsageError(f"The {name} in row {number} of its {table} can't be right.", hint=AGAIN)
    return [tuple(row) for row in rows]


def _refuse_strangers(tables: Tables) -> None:
    """Raises UsageError where not all of *tables* tells of one thread."""
    if len(tables["threads"]) != 1:
        raise UsageError("A line holds one thread, and this one does not.", hint=AGAIN)
    thread = tables["threads"][0][0]
    named = {*column(tables, "turns", "thread"), *column(tables, "addresses", "thread")}
    turns = set(column(tables, "turns", "id"))
    if not named <= {thread} or not turns.issuperset(column(tables, "steps", "turn")):
        raise UsageError(f"What is told of the thread {thread} does not fit together.", hint=AGAIN)


def _refuse_twins(tables: Tables) -> None:
    """Raises UsageError where two rows are told apart by nothing."""
    for table, *names in _KEYS:
        keys = list(zip(*(column(tables, table, name) for name in names), strict=True))
        if len(set(keys)) < len(keys):
            raise UsageError(f"Two of its {table} have the same {' and '.join(names)}.", hint=AGAIN)


def _refuse_mixed_kinds(tables: Tables) -> None:
    """Raises UsageError where an id says something else of where its address is from than its source."""
    for id_, source in zip(*(column(tables, "addresses", name) for name in ("id", "source")), strict=True):
        if source not in _SOURCES[id_[0]]:
            raise UsageError(f"Its address {id_} can't have been {source}.", hint=AGAIN)
