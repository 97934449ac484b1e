"""Keeps history: what was asked, what came of it, and what the lists of a thread show.

A turn's row exists before the first model call; a step's row says `started` before the desktop acts.
Whatever is written here may be written twice, when a connection is lost, with the same result.
The statements serve Postgres and SQLite alike.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from itertools import starmap
from json import dumps, loads
from typing import Any

from ..core.errors import StoreFailed
from ..core.events import Tabled
from ..core.types import OFFER, Address, Turn
from .addresses import (
    ADDRESS,
    counting_offers,
    finding_list,
    inserting,
    kept_tables,
    named_address,
    offers_in_rows,
    tables_in,
)
from .database import Database, Row, Statement, Transaction, marks
from .threads import first_title
from .turns import VALID, written_intent

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
        title = first_title(goal) if is_own else ""
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
            named = [named_address(first + i, *source) for i, source in enumerate(sources)]
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
        lines = {address.id: address for address in starmap(Address, known)} | offers_in_rows(tables)
        if others := [id_ for id_ in ids if id_ not in lines]:
            find = f"{ADDRESS} WHERE thread = ? AND id IN ({marks(others)})"
            rows = await self.database.run(find, thread, *others)
            lines |= {address.id: address for address in starmap(Address, rows)}
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
