"""Keeps the addresses that a thread knows, each under an id that is never reused, and offers some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, repeat
from json import loads

from ..core.events import Tabled
from ..core.types import OFFER, Address, Found, Turn
from .database import Database, Row, Statement, Transaction
from .tables import offers_in, tables_in

MOST_TURNS = 2**31 - 1  # of a thread: the biggest number that a column takes
OFFERED_SEARCHES = 3
OFFERED_OPENED = 10
OFFERED_MOST = 30  # larger enums are refused by the API
COLUMNS = 7  # of an address; then its turn and step
ADDRESS = "SELECT id, url, title, '', source, official, official_name, turn, step FROM addresses"
# The turn of the oldest search that is offered.
OLDEST_SEARCH = (
    "SELECT MIN(turn) FROM (SELECT DISTINCT turn, step FROM addresses WHERE thread = ? AND step > 0"
    f" ORDER BY turn DESC, step DESC LIMIT {OFFERED_SEARCHES}) AS searches"
)
_FORGOTTEN = (
    "DELETE FROM addresses WHERE thread = ? AND step > 0 AND opened IS NULL AND shown IS NULL"
    f" AND turn < ({OLDEST_SEARCH})"
)


class Addresses:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def shown(self, thread: str, before: int = MOST_TURNS) -> list[Address]:
        """Return the list last shown in *thread*, in its order; *before* the turn of that number.

        What it has of tables are their offers, which have no URL where they have no page.
        """
        return (await self.last_list(thread, before))[0]

    async def listed(self, thread: str, before: int = MOST_TURNS) -> tuple[list[Address], tuple[Tabled, ...]]:
        """Return what `shown` does, and the tables of its turn."""
        lines, tables = await self.last_list(thread, before)
        return lines, tables_in(tables)

    async def last_list(self, thread: str, before: int = MOST_TURNS) -> tuple[list[Address], bytes | None]:
        """Return what `shown` does, and the tables of its turn as they are kept."""
        (rows,) = await self._database.run_all(finding_list(thread, before))
        return await self.listed_in(thread, rows)

    async def listed_in(
        self, thread: str, rows: Sequence[Row], known: Sequence[Row] = ()
    ) -> tuple[list[Address], bytes | None]:
        """Return the list in *rows*, which `finding_list` found. known: addresses that were read besides."""
        ids, tables = (loads(rows[0][0]), rows[0][1]) if rows else ([], None)
        lines = {row[0]: Address(*row[:COLUMNS]) for row in known}
        if tables:
            lines |= offers_in(tables)
        if others := [id_ for id_ in ids if id_ not in lines]:
            lines |= {a.id: a for a in await self._read(_is_one_of(others), thread, *others)}
        return [lines[id_] for id_ in ids if id_ in lines], tables

    async def keep_typed(self, turn: Turn, url: str) -> Address:
        """Return *url*, which the person typed in the middle of *turn*, under an id of its own."""

        async def keep(transaction: Transaction) -> Address:
            mint = "UPDATE threads SET typed = typed + 1 WHERE id = ? RETURNING typed"
            ((minted,),) = await transaction.run(mint, turn.thread)
            address = Address(f"u{minted}", url)
            await insert(transaction, turn.thread, turn.n, 0, [address])
            return address

        return await self._database.atomically(keep)

    async def _read(self, where: str, thread: str, *arguments: object) -> list[Address]:
        rows = await self._database.run(f"{ADDRESS} WHERE thread = ? AND {where}", thread, *arguments)
        return in_order(rows)


async def keep_found(
    transaction: Transaction, turn: Turn, step: int, found: Sequence[Found], known: Sequence[Address]
) -> tuple[Address, ...]:
    """Return *found*, each under its id: the one that *known* has for it, else a new one.

    What was found long ago, and neither listed nor opened, is deleted: it is never offered again.
    """
    ids = {a.url: a.id for a in known if a.source == "found" and not a.id.startswith(OFFER)}
    new = [f.url for f in found if f.url not in ids]
    mint = "UPDATE threads SET found = found + ? WHERE id = ? RETURNING found"
    ((minted,),) = await transaction.run(mint, len(new), turn.thread)
    ids |= {url: f"r{n}" for n, url in enumerate(new, minted - len(new) + 1)}
    kept = [
        Address(ids[f.url], f.url, f.title, f.snippet, "found", f.official, f.official_name) for f in found
    ]
    # Kept once, also where a connection was lost after all of it was written.
    of_step = "DELETE FROM addresses WHERE thread = ? AND turn = ? AND step = ?"
    await transaction.send(of_step, turn.thread, turn.n, step)
    await insert(transaction, turn.thread, turn.n, step, kept)
    await transaction.send(_FORGOTTEN, turn.thread, turn.thread)
    return tuple(kept)


async def insert(
    transaction: Transaction, thread: str, turn: int, step: int, addresses: Sequence[Address]
) -> None:
    """Write *addresses* as known since that turn and step, in order. Step 0: they stood in its words."""
    places = count(1) if step else repeat(0)
    await transaction.run_many(
        "INSERT INTO addresses (thread, id, url, title, source, official, official_name, turn, step, place)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, id) DO UPDATE SET"
        " title = excluded.title, official = excluded.official, official_name = excluded.official_name,"
        " turn = excluded.turn, step = excluded.step, place = excluded.place",
        [
            (thread, a.id, a.url, a.title, a.source, a.official, a.official_name, turn, step, place)
            for place, a in zip(places, addresses, strict=False)
        ],
    )


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


def finding_list(thread: str, before: int = MOST_TURNS) -> Statement:
    """Return what finds the list last shown in *thread*, *before* the turn of that number."""
    return (
        "SELECT shown, tables FROM turns WHERE thread = ? AND n < ? AND shown IS NOT NULL"
        " ORDER BY n DESC LIMIT 1",
        thread,
        before,
    )


def in_order(rows: Iterable[Row]) -> list[Address]:
    """Return the addresses in *rows* in the order of their ids."""
    return sorted((Address(*row[:COLUMNS]) for row in rows), key=_minted)


def _is_one_of(ids: Sequence[str]) -> str:
    return f"id IN ({', '.join('?' * len(ids))})"


def _minted(address: Address) -> tuple[str, int]:
    return address.id[:1], int(address.id[1:])


def finding_offered(turn: Turn) -> tuple[Statement, Statement, Statement]:
    """Return what finds the addresses of the last searches, those opened last, those of the turn before."""
    thread = turn.thread
    # By ranges: for these SQLite takes the index, and reads no more of a long thread.
    searches = f"{ADDRESS} WHERE thread = ? AND turn >= ({OLDEST_SEARCH}) AND step > 0"
    opened = f"{ADDRESS} WHERE thread = ? AND opened IS NOT NULL ORDER BY opened DESC LIMIT ?"
    before = f"{ADDRESS} WHERE thread = ? AND turn >= ? AND turn < ? AND step = 0"  # for “try again”
    return (
        (searches, thread, thread),
        (opened, thread, OFFERED_OPENED),
        (before, thread, turn.n - 1, turn.n),
    )


def offered_in(
    turn: Turn,
    shown: Sequence[Address],
    searches: Sequence[Row],
    opened: Sequence[Row],
    before: Sequence[Row],
) -> list[Address]:
    """Return the addresses that the model may choose from, in the order of their ids.

    shown: the list last shown in its thread. The others are what `finding_offered` found.
    """
    newest, *older = _by_search(searches) or [[]]
    rest = [address for found in older for address in found]
    return offer([*turn.typed, *in_order(before), *shown, *newest, *in_order(opened), *rest])


def _by_search(rows: Sequence[Row]) -> list[list[Address]]:
    """Return what each of the last searches found, the newest first."""
    found: dict[Row, list[Row]] = {}
    for row in rows:
        found.setdefault(row[COLUMNS:], []).append(row)
    return [in_order(found[search]) for search in sorted(found, reverse=True)[:OFFERED_SEARCHES]]
