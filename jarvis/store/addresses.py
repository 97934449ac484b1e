"""Keeps the addresses that a thread knows, each under an id that is never reused."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.events import Tabled
from ..core.stdlib import loads
from ..core.types import OFFER, Address, Found, Turn
from .database import Database, Transaction

MOST_TURNS = 2**31 - 1  # of a thread: the biggest number that a column takes
OFFERED_SEARCHES = 3
OFFERED_OPENED = 10
OFFERED_MOST = 30  # larger enums are refused by the API
_FORGOTTEN = (
    "DELETE FROM addresses WHERE thread = ? AND step > 0 AND opened IS NULL AND shown IS NULL AND turn < ?"
)


class Addresses:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep_found(
        self, turn: Turn, step: int, found: Sequence[Found], known: Sequence[Address] = ()
    ) -> tuple[Address, ...]:
        """Return *found*, each under its id: the one that *known* has for it, else a new one.

        What was found long ago, and neither listed nor opened, is deleted: it is never offered again.
        """
        ids = {a.url: a.id for a in known if a.source == "found" and not a.id.startswith(OFFER)}
        new = [f for f in found if f.url not in ids]

        async def keep(transaction: Transaction) -> tuple[Address, ...]:
            if self._database.shared and (written := await _written(transaction, turn, step, found)):
                return written
            minted = await transaction.run(
                "UPDATE threads SET found = found + ? WHERE id = ? RETURNING found", len(new), turn.thread
            )
            first = minted[0][0] - len(new) + 1
            named = ids | {f.url: f"r{first + i}" for i, f in enumerate(new)}
            kept = [_address(named[f.url], f) for f in found]
            await insert(transaction, turn.thread, turn.n, step, kept)
            if oldest := (await _searches(transaction, turn.thread))[OFFERED_SEARCHES - 1 :]:
                await transaction.run(_FORGOTTEN, turn.thread, oldest[0][0])
            return tuple(kept)

        return await self._database.atomically(keep)

    async def offered(self, turn: Turn, shown: Sequence[Address]) -> list[Address]:
        """Return the addresses that the model may choose from, in the order of their ids.

        shown: the list last shown in its thread.
        """
        searches = await _searches(self._database, turn.thread)
        found = [await self._read("turn = ? AND step = ?", turn.thread, *search) for search in searches]
        newest, older = (found[0], [a for some in found[1:] for a in some]) if found else ([], [])
        opened = await self._read(
            "opened IS NOT NULL ORDER BY opened DESC LIMIT ?", turn.thread, OFFERED_OPENED
        )
        before = await self._read("turn = ? AND step = 0", turn.thread, turn.n - 1)  # for “try again”
        return offer([*turn.typed, *before, *shown, *newest, *opened, *older])

    async def shown(self, thread: str, before: int = MOST_TURNS) -> list[Address]:
        """Return the list last shown in *thread*, in its order; *before* the turn of that number.

        What it has of tables are their offers, which have no URL where they have no page.
        """
        return (await self.last_list(thread, before))[0]

    async def listed(self, thread: str, before: int = MOST_TURNS) -> tuple[list[Address], tuple[Tabled, ...]]:
        """Return the list last shown in *thread* as `shown` does, and the tables of its turn."""
        lines, tables = await self.last_list(thread, before)
        if not tables:
            return lines, ()
        from .listed import tables_in  # few lists have any

        return lines, tables_in(tables)

    async def last_list(self, thread: str, before: int = MOST_TURNS) -> tuple[list[Address], bytes | None]:
        """Return what `listed` does, with the tables as they are kept."""
        rows = await self._database.run(
            "SELECT shown, tables FROM turns WHERE thread = ? AND n < ? AND shown IS NOT NULL"
            " ORDER BY n DESC LIMIT 1",
            thread,
            before,
        )
        ids, tables = (loads(rows[0][0]), rows[0][1]) if rows else ([], None)
        known: dict[str, Address] = {}
        if tables:
            from .listed import offers_in  # few lists have any

            known = offers_in(tables)
        if others := [id_ for id_ in ids if id_ not in known]:
            known |= {a.id: a for a in await self._read(_is_one_of(others), thread, *others)}
        return [known[id_] for id_ in ids if id_ in known], tables

    async def typed(self, thread: str, n: int) -> dict[str, str]:
        """Return the addresses in the words of turn number *n*, each with its id."""
        found = await self._read("turn = ? AND step = 0 AND source = 'typed'", thread, n)
        return {address.url: address.id for address in found}

    async def keep_typed(self, turn: Turn, url: str) -> Address:
        """Return *url*, which the person typed in the middle of *turn*, under an id of its own."""

        async def keep(transaction: Transaction) -> Address:
            known = await transaction.run(
                "SELECT id FROM addresses WHERE thread = ? AND turn = ? AND step = 0 AND url = ?"
                " AND source = 'typed'",
                turn.thread,
                turn.n,
                url,
            )
            if known:
                return Address(known[0][0], url)
            minted = await transaction.run(
                "UPDATE threads SET typed = typed + 1 WHERE id = ? RETURNING typed", turn.thread
            )
            address = Address(f"u{minted[0][0]}", url)
            await insert(transaction, turn.thread, turn.n, 0, [address])
            return address

        return await self._database.atomically(keep)

    async def _read(self, where: str, thread: str, *arguments: object) -> list[Address]:
        rows = await self._database.run(
            f"SELECT id, url, title, '', source, official, official_name FROM addresses"
            f" WHERE thread = ? AND {where}",
            thread,
            *arguments,
        )
        return sorted((Address(*row) for row in rows), key=_minted)


async def _written(
    transaction: Transaction, turn: Turn, step: int, found: Sequence[Found]
) -> tuple[Address, ...]:
    """Return *found* as it is kept, if all of it was written before the connection was lost; else nothing."""
    where = "thread = ? AND turn = ? AND step = ?"
    known = await transaction.run(f"SELECT url, id FROM addresses WHERE {where}", turn.thread, turn.n, step)
    ids: dict[str, str] = {url: id_ for url, id_ in known}  # noqa: C416 (rows are not pairs to mypy)
    if not found or any(f.url not in ids for f in found):
        return ()
    return tuple(_address(ids[f.url], f) for f in found)


def _address(id_: str, found: Found) -> Address:
    return Address(id_, found.url, found.title, found.snippet, "found", found.official, found.official_name)


async def insert(
    transaction: Transaction, thread: str, turn: int, step: int, addresses: Sequence[Address]
) -> None:
    """Write *addresses* as known since that turn and step, in order. Step 0: they stood in its words."""
    await transaction.run_many(
        "INSERT INTO addresses (thread, id, url, title, source, official, official_name, turn, step, place)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, id) DO UPDATE SET"
        " title = excluded.title, official = excluded.official, official_name = excluded.official_name,"
        " turn = excluded.turn, step = excluded.step, place = excluded.place",
        [
            (
                thread,
                a.id,
                a.url,
                a.title,
                a.source,
                a.official,
                a.official_name,
                turn,
                step,
                place if step else 0,
            )
            for place, a in enumerate(addresses, 1)
        ],
    )


async def mark_opened(transaction: Transaction, turn: Turn, id_: str) -> None:
    await transaction.run(
        "UPDATE addresses SET opened = ? WHERE thread = ? AND id = ?", turn.n, turn.thread, id_
    )


async def mark_shown(transaction: Transaction, turn: Turn, ids: Sequence[str]) -> None:
    """Write down that the addresses *ids* were listed in *turn*; offers are kept with its tables."""
    if kept := [id_ for id_ in ids if not id_.startswith(OFFER)]:
        await transaction.run(
            f"UPDATE addresses SET shown = ? WHERE thread = ? AND {_is_one_of(kept)}",
            turn.n,
            turn.thread,
            *kept,
        )


def named_id(source: str, n: int) -> str:
    """Return the id of address number *n* among those that a thread's words named, by their *source*."""
    return f"{'u' if source in ('typed', 'piped') else 's'}{n}"


def nth(shown: Sequence[Address], number: int) -> Address | None:
    """Return line *number* of *shown*, from 1; -1: the last one. None: there is no such line."""
    number = len(shown) if number == -1 else number
    return shown[number - 1] if 1 <= number <= len(shown) else None


def offer(addresses: Sequence[Address]) -> list[Address]:
    """Return at most 30 of *addresses*, the first ones counting most, each URL once, in the order of ids.

    An address that was typed keeps its id, and takes on what a search knows of it.
    """
    once: dict[str, Address] = {}
    for address in addresses:
        if not address.url:  # an offer without a page
            continue
        kept = once.setdefault(address.url, address)
        vouched = max(kept, address, key=lambda each: (bool(each.official_name), bool(each.official)))
        once[address.url] = kept._replace(
            title=kept.title or address.title,
            snippet=kept.snippet or address.snippet,
            official=vouched.official,
            official_name=vouched.official_name,
        )
    return sorted(list(once.values())[:OFFERED_MOST], key=_minted)


async def _searches(transaction: Transaction, thread: str) -> list[tuple[int, int]]:
    """Return the last searches of *thread*, newest first, as (turn, step)."""
    found = await transaction.run(
        "SELECT DISTINCT turn, step FROM addresses WHERE thread = ? AND step > 0"
        " ORDER BY turn DESC, step DESC LIMIT ?",
        thread,
        OFFERED_SEARCHES,
    )
    return [(turn, step) for turn, step in found]


def _is_one_of(ids: Sequence[str]) -> str:
    return f"id IN ({', '.join('?' * len(ids))})"


def _minted(address: Address) -> tuple[str, int]:
    return address.id[:1], int(address.id[1:])
