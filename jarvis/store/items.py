"""Saves what packs put on the person's own lists, such as what they wish for. No thread has them."""

import time
from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any, NamedTuple

from ..core.text import one_line
from .database import Database, Row, Statement

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
    """The items that one pack saved. A repeated write after a lost connection adds nothing, but may be
    reported as old.

    Anyone may have written an import file, so a pack reads each body as it would read a stranger's.
    """

    database: Database
    pack: str

    async def add(self, items: Sequence[SavedItem]) -> list[tuple[SavedItem, bool]]:
        """Put *items* on their lists, all or none, and return each as it is there, with whether it is new."""
        now, statements = time.time(), list[Statement]()
        for at, item in enumerate(items):
            list_ = one_line(item.list, LONGEST)
            statements += [
                (_ADD, list_, item.id, _written(item.body), now + at * _APART, self.pack),
                (f"SELECT {_COLUMNS} FROM items WHERE {_WHICH}", self.pack, list_, item.id),
            ]
        rows = await self.database.run_all(*statements)
        return [(_item(there), bool(new)) for new, (there,) in zip(rows[::2], rows[1::2], strict=True)]

    async def all(self, list_: str = "") -> list[SavedItem]:
        """Return the items of that list, or of all lists, in the order they were added."""
        find = f"SELECT {_COLUMNS} FROM items WHERE pack = ? AND ? IN ('', list) ORDER BY at, list, id"
        return [_item(row) for row in await self.database.run(find, self.pack, list_)]

    async def change(self, item: SavedItem) -> None:
        """Replace the body of *item*. If it was removed meanwhile, it stays removed."""
        change = f"UPDATE items SET body = ? WHERE {_WHICH}"
        await self.database.send((change, _written(item.body), self.pack, item.list, item.id))

    async def remove(self, item: SavedItem) -> bool:
        """Take *item* off its list. Return whether it was on it."""
        delete = f"DELETE FROM items WHERE {_WHICH} RETURNING id"
        return bool(await self.database.run(delete, self.pack, item.list, item.id))


def _written(body: Body) -> str:
    return dumps(dict(body), ensure_ascii=False)


def _item(row: Row) -> SavedItem:
    list_, id_, body, at = row
    # A text that SQL took over may hold a line's end.
    return SavedItem(list_, id_, loads(body, strict=False), at)
