"""Moves the person's own lists from one database to another as records. Anybody may have written a record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.errors import UsageError
from ..core.money import money_of
from ..core.text import one_line
from ..core.urls import found
from .database import Database, Row, Transaction
from .kept import LONGEST

SCHEMA = 1
AGAIN = "jarvis packs export > kept.jsonl"
_ITEM = ("id", "list", "kind", "title", "cells", "url", "added_at", "removed_at")
_PRICE = ("at", "amount", "currency", "source")
_ID = re.compile(r"[0-9a-f]{16}")
_LATEST = 4e9  # seconds since the epoch: the year 2096
_LONGEST_CELLS = 20_000  # characters
_MOST_PRICES = 10_000
_MOST_DIGITS = 30  # of an amount


async def exported(database: Database) -> list[dict[str, Any]]:
    """Return all that is or was on a list as records: `{"schema": 1, "kept": {…}, "prices": [{…}, …]}`."""

    async def read(transaction: Transaction) -> tuple[list[Row], list[Row]]:
        return (
            await transaction.run(f"SELECT {', '.join(_ITEM)} FROM kept ORDER BY added_at, id"),
            await transaction.run(f"SELECT kept, {', '.join(_PRICE)} FROM prices ORDER BY kept, at"),
        )

    items, prices = await database.atomically(read)
    of_item: dict[str, list[dict[str, Any]]] = {}
    for id_, *price in prices:
        of_item.setdefault(id_, []).append(dict(zip(_PRICE, price, strict=True)))
    records = [dict(zip(_ITEM, item, strict=True)) for item in items]
    return [
        {
            "schema": SCHEMA,
            "kept": {**record, "cells": json.loads(record["cells"])},
            "prices": of_item.get(record["id"], []),
        }
        for record in records
    ]


async def imported(database: Database, records: Iterable[object]) -> int:
    """Put the things in *records* on their lists, and return how many are new. One that is there stays.

    Raises UsageError, with nothing written, where one of them makes no sense.
    """
    read = [_checked(record) for record in records]
    new: set[str] = set()  # also by an attempt of which it was not heard any more whether it counts

    async def work(transaction: Transaction) -> None:
        for item, prices in read:
            marks = ", ".join("?" * len(_ITEM))
            insert = f"INSERT INTO kept ({', '.join(_ITEM)}) VALUES ({marks})"
            written = await transaction.run(f"{insert} ON CONFLICT DO NOTHING RETURNING id", *item)
            new.update(row[0] for row in written)
            if written or await transaction.run("SELECT 1 FROM kept WHERE id = ?", item[0]):
                await _insert_prices(transaction, item[0], prices)

    await database.atomically(work)
    return len(new)


async def _insert_prices(transaction: Transaction, id_: str, prices: list[Row]) -> None:
    """Write down the prices of a thing, of which some may be there."""
    await transaction.run_many(
        f"INSERT INTO prices (kept, {', '.join(_PRICE)}) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (kept, at) DO NOTHING",
        [(id_, *price) for price in prices],
    )


def _checked(record: object) -> tuple[Row, list[Row]]:
    """Return the rows that *record* is, of which no text steers anything. Raises UsageError."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError("That is not an exported list.", hint=AGAIN)
    item, prices = record.get("kept"), record.get("prices")
    if not isinstance(item, Mapping) or not isinstance(prices, list) or len(prices) > _MOST_PRICES:
        raise UsageError("The thing and its prices are not written as an export writes them.", hint=AGAIN)
    return _item(item), [_price(price) for price in prices]


def _item(record: Mapping[str, object]) -> Row:
    id_, url, removed_at, cells = (record.get(name) for name in ("id", "url", "removed_at", "cells"))
    _refuse_unless(isinstance(id_, str) and bool(_ID.fullmatch(id_)), "id")
    page = found(url)
    _refuse_unless(url == "" or bool(page and page.url == url), "url")
    _refuse_unless(_is_time(record.get("added_at")), "added_at")
    _refuse_unless(removed_at is None or _is_time(removed_at), "removed_at")
    texts = [_text(record, name) for name in ("list", "kind", "title")]
    return (id_, *texts, _cells(cells), url, record["added_at"], removed_at)


def _price(record: object) -> Row:
    if not isinstance(record, Mapping):
        raise UsageError("A price is not written as an export writes it.", hint=AGAIN)
    amount = record.get("amount")
    is_money = isinstance(amount, str) and len(amount) <= _MOST_DIGITS and money_of(record) is not None
    _refuse_unless(is_money, "price")
    _refuse_unless(_is_time(record.get("at")), "at")
    return (record["at"], amount, record["currency"], _text(record, "source"))


def _cells(value: object) -> str:
    """Return the cells of a thing as they are kept. Raises UsageError."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, RecursionError):
        text = ""
    is_fit = isinstance(value, dict) and 0 < len(text) <= _LONGEST_CELLS
    _refuse_unless(is_fit, "cells")
    return text


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name)
    _refuse_unless(isinstance(value, str), name)
    return one_line(str(value), LONGEST)


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _LATEST


def _refuse_unless(is_fit: bool, name: str) -> None:
    if not is_fit:
        raise UsageError(f"The {name} of a thing on a list can't be right.", hint=AGAIN)
