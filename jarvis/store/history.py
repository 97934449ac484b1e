"""Keeps history: what was asked, what came of it, and what the lists of a thread show.

A turn's row exists before the first model call; a step's row says `started` before the desktop acts.
Whatever is written here may be written twice, when a connection is lost, with the same result.
Addresses have ids that are never reused; some are offered to the model. A turn's tables are kept with it:
their rows are the offers that a list has beside addresses.
The statements serve Postgres and SQLite alike.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from ..core.errors import StoreFailed, UsageError
from ..core.events import Tabled
from ..core.text import one_line
from ..core.types import OFFER, TERMINALS, Address, Found, Turn
from .database import Database, Row, Statement, Transaction, marks

if TYPE_CHECKING:
    from ..core.tables import Table

VALID = 86_400.0  # seconds for which a question may be answered: later, nobody knows what it was about
_LONGEST = 60  # characters of a title in a message
# They greet, and give a conversation no title where it says no more.
_GREETINGS = frozenset(
    "hi hello hey howdy yo hiya greetings there jarvis good morning afternoon evening day thanks thank you "
    "how are ok okay test ping hallo moin servus guten tag morgen abend hola buenos dias bonjour salut ciao "
    "buongiorno olá namaste".split()
)
# Why what goes by a name is its official address.
_BY_NAME = {"site": "a known site", "alias": "your alias"}
LONGEST_TITLE = 80  # characters
# A thread that has a title keeps it.
_THREAD = (
    "INSERT INTO threads (id, created_at, used_at, title) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
    " title = CASE WHEN threads.title = '' THEN excluded.title ELSE threads.title END"
)
_COUNTED = (
    "UPDATE threads SET used_at = ?, turns = turns + 1, typed = typed + ? WHERE id = ?"
    " AND NOT EXISTS (SELECT 1 FROM turns WHERE id = ?) RETURNING turns, typed, offers"
)
_BEGUN = (
    "INSERT INTO turns (id, thread, goal, piped, intent, own, started_at, n, status)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open')"
)
# With the first id of its own addresses: others may have been given since.
_WRITTEN = (
    "SELECT turns.n, COALESCE((SELECT MIN(CAST(SUBSTR(addresses.id, 2) AS INTEGER)) FROM addresses"
    " WHERE addresses.thread = turns.thread AND turn = turns.n AND step = 0), typed + 1), offers"
    " FROM turns JOIN threads ON threads.id = turns.thread WHERE turns.id = ?"
)
MOST_TURNS = 2**31 - 1  # of a thread: the biggest number that a column takes
FOUND_MOST = 10  # by one search
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


class History:
    def __init__(self, database: Database) -> None:
        self.database = database

    @property
    def trouble(self) -> StoreFailed | None:
        """Why nothing is kept any more of what plain commands do; None: it is."""
        return getattr(self.database, "trouble", None)

    async def begin(
        self,
        thread: str,
        goal: str,
        typed: Sequence[str] = (),
        piped: Sequence[str] = (),
        known: Sequence[tuple[str, str, str]] = (),
        *,
        material: str = "",
        intent: Sequence[str] | None = None,
        is_own: bool = True,
        id_: str = "",
    ) -> Turn:
        """Write down that *goal* was asked in *thread*, and give ids to the addresses in it.

        typed: those in the person's own words. piped: those in text that they piped in.
        known: those that they named by a name, each as (address, what kind of name it is, the name).
        material: what they piped in. intent: the parts of what they asked for, where that was read already.
        is_own: whether *goal* is nothing but what the person said here.
        id_: of the turn, which may be written down already. Empty: it gets one.
        """
        turn = id_ or os.urandom(8).hex()
        title = one_line(goal, LONGEST_TITLE) if is_own and not _is_greeting(goal) else ""
        sources = [(url, "typed", "") for url in typed]
        sources += [(url, "piped", "") for url in piped if url not in typed] + list(known)
        row = (turn, thread, goal, material, written_intent(intent), int(is_own), time.time())

        async def write(transaction: Transaction) -> Turn:
            # Changes nothing, but has whoever writes here wait: only then is it looked whether it is there.
            await transaction.send((_THREAD, thread, row[-1], row[-1], title))
            counted = await transaction.run(_COUNTED, row[-1], len(sources), thread, turn)
            n, first, offers = (counted or await transaction.run(_WRITTEN, turn))[0]
            first += 1 - len(sources) if counted else 0
            if counted:
                await transaction.send((_BEGUN, *row, n))
            named = [_named(first + i, *source) for i, source in enumerate(sources)]
            await transaction.send(*inserting(thread, n, 0, named))
            return Turn(turn, thread, n, tuple(named), offers)

        return await self.database.atomically(write)

    async def end(
        self,
        turn: Turn,
        status: str,
        reply: str = "",
        *,
        shown: Sequence[str] = (),
        tables: Sequence[Tabled] = (),
        error: str | None = None,
        usage: Mapping[str, object] | None = None,
        question: Mapping[str, Any] | None = None,
        intent: Sequence[str] | None = None,
        extra: Sequence[Statement] = (),
    ) -> None:
        """Close the turn.

        shown: the ids of addresses and offers as they were listed to the person.
        tables: what it found or made, each with the number of its first line; 0: it was not listed.
        question: one that nobody could answer, under its "id", with what it takes to carry out the answer.
        intent: what the person asked for; None: as it is written down already, or not read.
        extra: what is written before it, in the same transaction.
        """
        row = (
            "UPDATE turns SET status = ?, reply = ?, shown = ?, error = ?, usage = ?, ended_at = ?,"
            " question = ?, asked = ?, tables = ?, intent = COALESCE(?, intent) WHERE id = ?",
            status,
            reply,
            dumps(shown) if shown else None,
            error,
            dumps(usage) if usage else None,
            time.time(),
            dumps(question) if question else None,
            question["id"] if question else None,
            kept_tables(tables) if tables else None,
            written_intent(intent),
            turn.id,
        )
        statements = [*extra, row, *([counting_offers(turn.thread, tables)] if tables else [])]

        async def write(transaction: Transaction) -> None:
            await transaction.send(*statements)
            if shown:
                await self._list(transaction, turn, shown, tables)

        await self.database.atomically(write)

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: Sequence[Tabled]
    ) -> None:
        """Write down that these were listed. tables: those of the turn, which hold its offers."""
        ids = [id_ for id_ in shown if not id_.startswith(OFFER)]
        mark = f"UPDATE addresses SET shown = ? WHERE thread = ? AND id IN ({marks(ids)})"
        if ids:
            await transaction.send((mark, turn.n, turn.thread, *ids))

    async def ended(self, ids: Collection[str]) -> set[str]:
        """Return those of *ids* whose turns ended, and that nobody may go on with or answer any more.

        Ids of other programs are not among them.
        """
        find = (
            "SELECT id FROM turns WHERE (status IN ('done', 'failed', 'refused') OR ended_at <= ?)"
            f" AND id IN ({marks(ids)})"
        )
        return {row[0] for row in await self.database.run(find, time.time() - VALID, *ids)} if ids else set()

    async def last_thread(self) -> str | None:
        """Return the thread used last, by anybody."""
        rows = await self.database.run("SELECT id FROM threads ORDER BY used_at DESC LIMIT 1")
        return rows[0][0] if rows else None

    async def listed(self, thread: str) -> tuple[list[Address], tuple[Tabled, ...]]:
        """Return the list last shown in *thread*, in its order, and the tables of its turn.

        What it has of tables are their offers. A line has no URL where it has no page.
        """
        return await self.listed_in(thread, await self.database.run(*finding_list(thread)))

    async def listed_in(
        self, thread: str, rows: Sequence[Row], known: Sequence[Row] = ()
    ) -> tuple[list[Address], tuple[Tabled, ...]]:
        """Return the list in *rows*, which `finding_list` found. known: addresses that were read besides."""
        ids, tables = (loads(rows[0][0]), tables_in(rows[0][1])) if rows else ([], ())
        lines = {address.id: address for address in addresses_in_rows(known)} | offers_in_rows(tables)
        if others := [id_ for id_ in ids if id_ not in lines]:
            find = f"{ADDRESS} WHERE thread = ? AND id IN ({marks(others)})"
            rows = await self.database.run(find, thread, *others)
            lines |= {address.id: address for address in addresses_in_rows(rows)}
        return [lines.get(id_, Address(id_, "")) for id_ in ids], tables

    async def keep_typed(self, turn: Turn, url: str) -> Address:
        """Return *url*, which the person typed in the middle of *turn*, under an id of its own."""

        async def keep(transaction: Transaction) -> Address:
            mint = "UPDATE threads SET typed = typed + 1 WHERE id = ? RETURNING typed"
            ((minted,),) = await transaction.run(mint, turn.thread)
            address = Address(f"u{minted}", url)
            await transaction.send(*inserting(turn.thread, turn.n, 0, [address]))
            return address

        return await self.database.atomically(keep)

    async def close(self) -> None:
        await self.database.close()


def _named(number: int, url: str, source: str, name: str) -> Address:
    """Return an address that words name, under the id of that *number*."""
    kind = "u" if source in ("typed", "piped") else "s"
    return Address(f"{kind}{number}", url, "", "", source, _BY_NAME.get(source, ""), name)


def no_line(thread: str, number: int, lines: int) -> UsageError:
    """Return the error for a line that the list last shown in *thread* does not have.

    number: of the line; -1: the last one. lines: how many that list has.
    """
    where = "this thread" if thread.startswith(TERMINALS) else f"the thread {thread}"
    if lines:
        told = f"There is no line {number} in the list last shown in {where}."
        return UsageError(told, hint=f"Its last line is {lines}.")
    line = number if number > 0 else "the last one"
    hint = f"Ask something first; or, of the list in the thread that was used last: jarvis -c open {line}"
    return UsageError(f"Nothing was listed in {where}.", hint=hint)


def no_page(address: Address, number: int, *, by: str) -> UsageError:
    """Return the error for a line whose offer has no page to open. by: the command that shows the line."""
    return UsageError(
        f"Line {number} has no page: {one_line(address.title, _LONGEST) or 'only what the list tells'}.",
        hint=f'{by} "show {number}"' if number > 0 else "",
    )


def _is_greeting(words: str) -> bool:
    """Return whether *words* greet and say no more, as “hi there, Jarvis!” does."""
    return all(word.strip(",.!?") in _GREETINGS for word in words.casefold().split())


def written_intent(parts: Sequence[str] | None) -> str | None:
    """Return the parts of an intent as they are kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)


# Addresses.


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
        verified = max(kept, address, key=lambda each: (bool(each.official_name), bool(each.official)))
        once[address.url] = kept._replace(
            title=kept.title or address.title,
            snippet=kept.snippet or address.snippet,
            official=verified.official,
            official_name=verified.official_name,
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


def addresses_in_rows(rows: Iterable[Row]) -> list[Address]:
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
    found = [*searches[:FOUND_MOST], *opened, *searches[FOUND_MOST:]]  # those of the newest search first
    return offer([*turn.typed, *addresses_in_rows(before), *shown, *addresses_in_rows(found)])


# Tables.

# A row is kept as a list of values: each turn that changes a list keeps all of it.
_ROW = ("id", "url", "link")  # what stands before its cells
_CELLS = {"money": ("amount", "currency", "basis"), "rating": ("value", "count")}  # by kind of column
_TITLE = "title"  # the key of the column that says what a row is; without one the first of text does
_LONGEST_KEPT = 300  # characters of a title


def kept_tables(tables: Sequence[Tabled]) -> bytes:
    """Return *tables* as they are written down."""
    from ..core.follow_ups import kept_record_of  # few turns have tables

    records = [{**kept_record_of(table), "first": first} for table, first in tables]
    return packed(dumps(records, ensure_ascii=False))


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
    from ..core.follow_ups import table_in  # as above

    keys = [(column["key"], _CELLS.get(column["kind"], ())) for column in record["columns"]]
    rows = [_by_name(keys, row) if isinstance(row, list) else row for row in record["rows"]]
    return Tabled(table_in({**record, "rows": rows}), abs(record["first"]))


def last_listed(tables: Sequence[Tabled]) -> Table | None:
    """Return the last one of the *tables* of a turn that was listed; None where none was."""
    return next((table for table, first in reversed(tables) if first), None)


def offers_in_rows(tables: Iterable[Tabled]) -> dict[str, Address]:
    """Return what can be opened of *tables*, by id; without a page it has no URL."""
    found: dict[str, Address] = {}
    for table, _ in tables:
        own = table.found or table
        texts = [column.key for column in own.columns if column.kind == "text"]
        key = _TITLE if _TITLE in texts else next(iter(texts), "")
        for row in own.rows:
            title = one_line(str(row.cells.get(key) or ""), _LONGEST_KEPT)
            found.setdefault(row.id, Address(row.id, row.url, title, source="found"))
    return found


def most_offers(tables: Iterable[Tabled]) -> int:
    """Return the highest number among the ids of the offers in *tables*."""
    return max((int(id_[1:]) for id_ in offers_in_rows(tables) if id_.startswith(OFFER)), default=0)


def counting_offers(thread: str, tables: Iterable[Tabled]) -> Statement:
    """Return what writes down that *thread* has given the ids of *tables*' offers: none is given again."""
    most = most_offers(tables)
    return "UPDATE threads SET offers = ? WHERE id = ? AND offers < ?", most, thread, most


def _by_name(keys: Sequence[tuple[str, Sequence[str]]], values: Sequence[Any]) -> dict[str, Any]:
    """Return the *values* of a row by name. keys: of each column, and what its cells are made of."""
    own, cells = values[: len(_ROW)], values[len(_ROW) :]
    return dict(zip(_ROW, own, strict=False)) | {
        key: dict(zip(parts, value, strict=False)) if isinstance(value, list) else value
        for (key, parts), value in zip(keys, cells, strict=False)
    }
