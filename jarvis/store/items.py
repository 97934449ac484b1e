"""Saves what packs put on the person's own lists, such as what they wish for. No thread has them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any, NamedTuple

from ..core.text import one_line
from .database import Database, Row, Transaction

LONGEST = 300  # characters of the name of a list
Body = Mapping[str, Any]
_APART = 1e-6  # seconds between two that are put on a list at once: so they stay in their order
_COLUMNS = "list, id, body, at"
_ADD = f"INSERT INTO items ({_COLUMNS}, pack) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
_WHICH = "pack = ? AND list = ? AND id = ?"


class SavedItem(NamedTuple):
    """One thing on a list of a pack's, or to be put there."""

    list: str
    id: str  # tells it from all others on that list: its page, say
    body: Body  # what the pack knows of it, as JSON has it
    at: float = 0.0  # when it was put there, in seconds since the epoch


class SavedItems(NamedTuple):
    """What one pack saved. What is written twice, since a connection was lost, is there once.

    Anybody may have written what was imported: a pack reads each body as it would read a stranger's.
    """

    database: Database
    pack: str

    async def add(self, items: Sequence[SavedItem]) -> list[tuple[SavedItem, bool]]:
        """Put *items* on their lists, all or none, and return each as it is there, with whether it is new."""
        now = time.time()
        wanted = [
            each._replace(list=one_line(each.list, LONGEST), at=now + at * _APART)
            for at, each in enumerate(items)
        ]
        new: set[int] = set()  # also by an attempt of which it was not heard whether it counts

        async def work(transaction: Transaction) -> list[tuple[SavedItem, bool]]:
            there = []
            for at, item in enumerate(wanted):
                found, is_added = await self._put(transaction, item)
                new.update([at] * is_added)
                there.append((found, at in new))
            return there

        return await self.database.atomically(work)

    async def all(self, list_: str = "") -> list[SavedItem]:
        """Return what is on that list, or on every one, in the order in which it was put there."""
        find = f"SELECT {_COLUMNS} FROM items WHERE pack = ? AND ? IN ('', list) ORDER BY at, list, id"
        return [_item(row) for row in await self.database.run(find, self.pack, list_)]

    async def change(self, item: SavedItem) -> None:
        """Write the body of *item* anew. One that was removed meanwhile stays so."""
        change = f"UPDATE items SET body = ? WHERE {_WHICH}"
        await self.database.send((change, _written(item.body), self.pack, item.list, item.id))

    async def remove(self, item: SavedItem) -> bool:
        """Take *item* off its list. Return whether it was on it."""
        removed: list[Row] = []  # as above

        async def work(transaction: Transaction) -> None:
            delete = f"DELETE FROM items WHERE {_WHICH} RETURNING id"
            removed.extend(await transaction.run(delete, self.pack, item.list, item.id))

        await self.database.atomically(work)
        return bool(removed)

    async def _put(self, transaction: Transaction, item: SavedItem) -> tuple[SavedItem, bool]:
        """Put *item* on its list, unless it is there. Return it as it is there, and whether it was put."""
        added, there = await transaction.run_all(
            (_ADD, item.list, item.id, _written(item.body), item.at, self.pack),
            (f"SELECT {_COLUMNS} FROM items WHERE {_WHICH}", self.pack, item.list, item.id),
        )
        return _item(there[0]), bool(added)


def _written(body: Body) -> str:
    return dumps(dict(body), ensure_ascii=False)


def _item(row: Row) -> SavedItem:
    list_, id_, body, at = row
    return SavedItem(
        list_, id_, loads(body, strict=False), at
    )  # a text that SQL took over may hold a line's end
