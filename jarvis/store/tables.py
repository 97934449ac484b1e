"""Keeps the tables of a turn with it: their rows are the offers that a list has beside addresses."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from ..core.events import Tabled
from ..core.text import one_line
from ..core.types import OFFER, Address
from .database import Statement, Transaction

if TYPE_CHECKING:
    from ..core.tables import Table

# A row is kept as a list of values: each turn that changes a list keeps all of it.
_ROW = ("id", "url", "link")  # what stands before its cells
_CELLS = {"money": ("amount", "currency", "basis"), "rating": ("value", "count")}  # by kind of column
_TITLE = "title"  # the key of the column that says what a row is; without one the first of words does
_LONGEST = 300  # characters of a title
_MOST = 40  # lists that are looked through


def kept_tables(tables: Sequence[Tabled]) -> bytes:
    """Return *tables* as they are written down."""
    from ..core.table_records import kept_record_of  # few turns have tables

    return packed(dumps([_flat(kept_record_of(table), first) for table, first in tables], ensure_ascii=False))


def packed(text: str) -> bytes:
    """Return tables, which are JSON, as they are written down: 40 offers take 30 kB otherwise."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpacked(kept: bytes) -> str:
    """Return as JSON what `kept_tables` wrote."""
    return zlib.decompress(kept).decode("utf-8", "surrogatepass")


def tables_in(kept: bytes | None) -> tuple[Tabled, ...]:
    """Return the tables that `kept_tables` wrote; one that makes no sense any more is left out."""
    found: list[Tabled] = []
    for record in loads(unpacked(kept)) if kept else ():
        with suppress(ValueError):
            found.append(listed_in(record))
    return tuple(found)


def listed_in(record: Any) -> Tabled:
    """Return one table out of those that `kept_tables` wrote. Raises ValueError where it makes no sense."""
    from ..core.table_records import table_in  # few lists have tables, and to open a line needs none

    keys = [(column["key"], _CELLS.get(column["kind"], ())) for column in record["columns"]]
    rows = [dict(zip(_ROW, row, strict=False)) | _cells(keys, row[len(_ROW) :]) for row in record["rows"]]
    return Tabled(table_in({**record, "rows": rows}), record["first"])


def last_listed(tables: Sequence[Tabled]) -> Table | None:
    """Return the last one of the *tables* of a turn that was listed; None where none was."""
    return next((table for table, first in reversed(tables) if first), None)


def offers_in(kept: bytes | None) -> dict[str, Address]:
    """Return what can be opened of the tables that `kept_tables` wrote, by id; without a page it has no URL.

    A follow-up changes neither: it is enough to read how the tables were found.
    """
    found: dict[str, Address] = {}
    for record in loads(unpacked(kept)) if kept else []:
        kinds = {column["key"]: column["kind"] for column in record["columns"]}
        key = _TITLE if _TITLE in kinds else next((key for key in kinds if kinds[key] == "text"), "")
        place = len(_ROW) + list(kinds).index(key) if key else 0
        for row in record["rows"]:
            title = row[place] if place and isinstance(row[place], str) else ""
            found.setdefault(row[0], Address(row[0], row[1] or "", one_line(title, _LONGEST), source="found"))
    return found


def most_offers(kept: bytes) -> int:
    """Return the highest number among the ids of the offers in the tables that `kept_tables` wrote."""
    return max((int(id_[1:]) for id_ in offers_in(kept) if id_.startswith(OFFER)), default=0)


def counting_offers(thread: str, tables: bytes) -> Statement:
    """Return what writes down that *thread* has given the ids of *tables*' offers: none is given again."""
    most = most_offers(tables)
    return "UPDATE threads SET offers = ? WHERE id = ? AND offers < ?", most, thread, most


def _flat(record: Mapping[str, Any], first: int) -> dict[str, Any]:
    """Return the *record* of a table as it is kept."""
    keys = [*_ROW, *(column["key"] for column in record["columns"])]
    rows = [[_values(row[key]) for key in keys] for row in record["rows"]]
    private = record["private"] if any(record["private"]) else []
    return {**record, "rows": rows, "private": private, "first": first}


def _values(cell: Any) -> Any:
    return list(cell.values()) if isinstance(cell, dict) else cell


def _cells(keys: Sequence[tuple[str, Sequence[str]]], values: Sequence[Any]) -> dict[str, Any]:
    """Return the cells of a row. keys: of each column, and what its cells are made of."""
    return {
        key: dict(zip(parts, value, strict=False)) if isinstance(value, list) else value
        for (key, parts), value in zip(keys, values, strict=False)
    }


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
