"""Keeps the person's own lists, such as what they wish for, and the prices seen since. No thread has them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any, NamedTuple

from ..core.money import Money, money_of
from ..core.text import one_line
from .database import Database, Transaction

_ITEM = "id, list, kind, title, cells, url, added_at"
_WITH_PRICE = (
    "kept LEFT JOIN prices ON prices.kept = kept.id"
    " AND prices.at = (SELECT max(p.at) FROM prices AS p WHERE p.kept = kept.id)"
)
LONGEST = 300  # characters of a title, or the name of a list


class Seen(NamedTuple):
    """A price, and when it was seen."""

    at: float  # seconds since the epoch
    money: Money
    source: str  # who asked it


class Item(NamedTuple):
    """One thing on a list, or to be put there."""

    kind: str  # product, flight, …
    title: str
    cells: Mapping[str, Any]  # what was known of it when it was kept, as `record_of` has the cells of a row
    url: str = ""  # its page; empty: it has none
    price: Seen | None = None  # the last one
    id: str = ""
    list: str = ""
    added_at: float = 0.0  # seconds since the epoch


class Kept(NamedTuple):
    """The lists. What is written twice, since a connection was lost, is kept once."""

    database: Database

    async def add_all(self, list_: str, things: Sequence[Item]) -> list[tuple[Item, bool]]:
        """Put *things* on a list, all or none, and return each with whether it is new there.

        By its page a list has a thing once. What it costs now is noted.
        """
        now, apart = time.time(), 1e-6  # seconds between two: so they stay in their order
        new = [
            each._replace(id=os.urandom(8).hex(), list=list_, added_at=now + at * apart)
            for at, each in enumerate(things)
        ]

        async def work(transaction: Transaction) -> list[tuple[Item, bool]]:
            added = [await _added(transaction, each) for each in new]
            return [(item, item.id == each.id) for item, each in zip(added, new, strict=True)]

        return await self.database.atomically(work)

    async def items(self, list_: str = "") -> list[Item]:
        """Return what is on that list, or on every one, in the order in which it was put there."""
        return await _items(self.database, "removed_at IS NULL AND ? IN ('', list)", list_)

    async def remove(self, id_: str) -> bool:
        """Take a thing off its list. Return whether it was on one."""
        now = time.time()
        removed = await self.database.run(
            "UPDATE kept SET removed_at = ? WHERE id = ? AND (removed_at IS NULL OR removed_at = ?)"
            " RETURNING id",
            now,
            id_,
            now,
        )
        return bool(removed)

    async def note_price(self, id_: str, at: float, money: Money, source: str) -> None:
        """Write down what a thing costs at that moment."""
        await _note(self.database, id_, Seen(at, money, source))

    async def first_prices(self) -> dict[str, Seen]:
        """Return what each thing on a list cost when that was seen first, by its id."""
        rows = await self.database.run(
            "SELECT kept, at, amount, currency, source FROM prices AS p WHERE at ="
            " (SELECT min(q.at) FROM prices AS q WHERE q.kept = p.kept)"
            " AND kept IN (SELECT id FROM kept WHERE removed_at IS NULL)"
        )
        return {row[0]: seen for row in rows if (seen := _seen(*row[1:]))}


async def _added(transaction: Transaction, new: Item) -> Item:
    """Put a thing on its list, unless it is there, and return it with its price."""
    texts = [one_line(text, LONGEST) for text in (new.list, new.kind, new.title)]
    row = (new.id, *texts, dumps(dict(new.cells), ensure_ascii=False), new.url, new.added_at)
    # Of two processes at once the second one finds what the first one wrote.
    _, ((there,), *_) = await transaction.run_all(
        (f"INSERT INTO kept ({_ITEM}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *row),
        (
            "SELECT id FROM kept WHERE id = ? OR (list = ? AND url = ? AND url != '' AND removed_at IS NULL)",
            *(new.id, texts[0], new.url),
        ),
    )
    if new.price:
        await _note(transaction, there, new.price._replace(at=new.added_at))
    return (await _items(transaction, "kept.id = ?", there))[0]


async def _note(transaction: Transaction, id_: str, seen: Seen) -> None:
    money = seen.money.record
    note = "INSERT INTO prices (kept, at, amount, currency, source) VALUES (?, ?, ?, ?, ?)"
    row = (id_, seen.at, money["amount"], money["currency"], seen.source)
    await transaction.send((f"{note} ON CONFLICT (kept, at) DO NOTHING", *row))


async def _items(transaction: Transaction, where: str, *arguments: object) -> list[Item]:
    rows = await transaction.run(
        f"SELECT {_ITEM}, at, amount, currency, source FROM {_WITH_PRICE} WHERE {where}"
        " ORDER BY added_at, kept.id",
        *arguments,
    )
    return [
        Item(kind, title, loads(cells), url, _seen(*price), id_, list_, added_at)
        for id_, list_, kind, title, cells, url, added_at, *price in rows
    ]


def _seen(at: float | None, amount: str | None, currency: str | None, source: str | None) -> Seen | None:
    """Return a price as it was written down; None for none."""
    money = money_of({"amount": amount, "currency": currency})
    return Seen(at, money, source or "") if money and at is not None else None
