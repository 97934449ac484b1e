"""Keeps the addresses that a thread knows, each under an id that is never reused, and offers some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json import loads

from ..core.events import Tabled
from ..core.types import OFFER, Address, Found, Turn
from .database import Database, Row, Statement, Transaction, marks
from .tables import offers_in, tables_in

MOST_TURNS = 2**31 - 1  # of a thread: the biggest number that a column takes
OFFERED_SEARCHES = 3
OFFERED_OPENED = 10
OFFERED_MOST = 30  # larger enums are refused by the API
ADDRESS = "SELECT id, url, title, '', source, official, official_name FROM addresses"
_INSERT = (
    "INSERT INTO addresses (thread, id, url, title, source, official, official_name, turn, step, place)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, id) DO UPDATE SET"
    " title = excluded.title, official = excluded.official, official_name = excluded.official_name,"
    " turn = excluded.turn, step = excluded.step, place = excluded.place"
)
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

    async def shown(self, thread: str) -> list[Address]:
        """Return the list last shown in *thread*, in its order.

        What it has of tables are their offers, which have no URL where they have no page.
        """
        return (await self.last_list(thread))[0]

    async def listed(self, thread: str) -> tuple[list[Address], tuple[Tabled, ...]]:
        """Return what `shown` does, and the tables of its turn."""
        lines, tables = await self.last_list(thread)
        return lines, tables_in(tables)

    async def last_list(self, thread: str) -> tuple[list[Address], bytes | None]:
        """Return what `shown` does, and the tables of its turn as they are kept."""
        return await self.listed_in(thread, await self._database.run(*finding_list(thread)))

    async def listed_in(
        self, thread: str, rows: Sequence[Row], known: Sequence[Row] = ()
    ) -> tuple[list[Address], bytes | None]:
        """Return the list in *rows*, which `finding_list` found. known: addresses that were read besides."""
        ids, tables = (loads(rows[0][0]), rows[0][1]) if rows else ([], None)
        lines = {address.id: address for address in addresses_in(known)}
        if tables:
            lines |= offers_in(tables)
        if others := [id_ for id_ in ids if id_ not in lines]:
            find = f"{ADDRESS} WHERE thread = ? AND id IN ({marks(others)})"
            rows = await self._database.run(find, thread, *others)
            lines |= {address.id: address for address in addresses_in(rows)}
        return [lines[id_] for id_ in ids if id_ in lines], tables

    async def keep_typed(self, turn: Turn, url: str) -> Address:
        """Return *url*, which the person typed in the middle of *turn*, under an id of its own."""

        async def keep(transaction: Transaction) -> Address:
            mint = "UPDATE threads SET typed = typed + 1 WHERE id = ? RETURNING typed"
            ((minted,),) = await transaction.run(mint, turn.thread)
            address = Address(f"u{minted}", url)
            await transaction.send(*inserting(turn.thread, turn.n, 0, [address]))
            return address

        return await self._database.atomically(keep)


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
    await transaction.send(
        (of_step, turn.thread, turn.n, step),
        *inserting(turn.thread, turn.n, step, kept),
        (_FORGOTTEN, turn.thread, turn.thread),
    )
    return tuple(kept)


def inserting(thread: str, turn: int, step: int, addresses: Sequence[Address]) -> list[Statement]:
    """Return what writes *addresses* as known since that turn and step, in order. Step 0: from its words."""
    return [
        (_INSERT, thread, *a[:3], a.source, a.official, a.official_name, turn, step, step and place)
        for place, a in enumerate(addresses, 1)
    ]


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


def addresses_in(rows: Iterable[Row]) -> list[Address]:
    return [Address(*row) for row in rows]


def _minted(address: Address) -> tuple[str, int]:
    return address.id[:1], int(address.id[1:])


def finding_offered(turn: Turn) -> tuple[Statement, Statement, Statement]:
    """Return what finds the addresses of the last searches, those opened last, those of the turn before.

    The newest first, and of a search its first results.
    """
    thread, newest = turn.thread, "ORDER BY turn DESC, step DESC, place"
    # By ranges: for these SQLite takes the index, and reads no more of a long thread.
    searches = f"{ADDRESS} WHERE thread = ? AND turn >= ({OLDEST_SEARCH}) AND step > 0 {newest}"
    opened = f"{ADDRESS} WHERE thread = ? AND opened IS NOT NULL ORDER BY opened DESC LIMIT ?"
    # For “try again”.
    before = f"{ADDRESS} WHERE thread = ? AND turn >= ? AND turn < ? AND step = 0 ORDER BY turn, id"
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
    return offer([*turn.typed, *addresses_in(before), *shown, *addresses_in([*opened, *searches])])
