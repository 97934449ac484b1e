"""Keeps history: what was asked and what came of it, per thread.

A turn's row exists before the first model call; a step's row says `started` before the hands act.
Whatever is written here may be written twice, when a connection is lost, with the same result.
The statements serve Postgres and SQLite alike.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence

from ..core.stdlib import TYPE_CHECKING, Any, dumps
from ..core.types import Address, Outcome, Turn
from .addresses import Addresses, insert, mark_opened, mark_shown, named_id
from .database import Database, Transaction
from .new_turns import insert_turn

if TYPE_CHECKING:
    from ..core.events import Tabled
    from .abandoned import Abandoned

# Why what goes by a name is its official address.
_BY_NAME = {"site": "a known site", "alias": "your alias"}


class History:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.addresses = Addresses(database)

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
    ) -> Turn:
        """Write down that *goal* was asked in *thread*, and give ids to the addresses in it.

        typed: those in the person's own words. piped: those in text that they piped in.
        known: those that they named by a name, each as (address, what kind of name it is, the name).
        material: what they piped in. intent: the parts of what they asked for, where that was read already.
        is_own: whether *goal* is nothing but what the person said here.
        """
        turn = os.urandom(8).hex()
        asked = (goal, material, _written(intent), int(is_own))
        sources = [(url, "typed", "") for url in typed]
        sources += [(url, "piped", "") for url in piped if url not in typed] + list(known)

        async def write(transaction: Transaction) -> Turn:
            n, minted, offers = await insert_turn(
                transaction, turn, thread, asked, len(sources), shared=self.database.shared
            )
            first = minted - len(sources) + 1
            named = tuple(
                Address(
                    named_id(source, first + i),
                    url,
                    source=source,
                    official=_BY_NAME.get(source, ""),
                    official_name=name,
                )
                for i, (url, source, name) in enumerate(sources)
            )
            if named:
                await insert(transaction, thread, n, 0, named)
            return Turn(turn, thread, n, named, offers)

        return await self.database.atomically(write)

    async def keep_intent(self, turn: Turn, parts: Sequence[str]) -> None:
        """Write down what the person asked for in *turn*, as it was read; no parts: nothing."""
        await self.database.run("UPDATE turns SET intent = ? WHERE id = ?", _written(parts), turn.id)

    async def start_step(
        self,
        turn: Turn,
        n: int,
        action: str,
        arguments: Mapping[str, object],
        target: str,
        rule: str = "",
        why: str = "",
    ) -> None:
        """Write down that a step is about to be done.

        rule: which one let it pass, or refused it. why: the planner's own sentence.
        """
        await self.database.run(
            "INSERT INTO steps (turn, n, action, arguments, target, state, started_at, rule, why)"
            " VALUES (?, ?, ?, ?, ?, 'started', ?, ?, ?) ON CONFLICT (turn, n) DO NOTHING",
            turn.id,
            n,
            action,
            dumps(arguments, ensure_ascii=False),
            target,
            time.time(),
            rule,
            why,
        )

    async def end_step(self, turn: Turn, n: int, outcome: Outcome, opened: str = "") -> None:
        """Write down what came of a step. opened: the id of the address that it opens.

        A rule that it was refused by takes the place of the one that `start_step` wrote.
        """

        async def write(transaction: Transaction) -> None:
            await transaction.run(
                "UPDATE steps SET state = ?, outcome = ?, ended_at = ?, rule = COALESCE(?, rule)"
                " WHERE turn = ? AND n = ?",
                outcome.state,
                outcome.text,
                time.time(),
                outcome.rule or None,
                turn.id,
                n,
            )
            if opened and outcome.state == "done":
                await mark_opened(transaction, turn, opened)

        await self.database.atomically(write)

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
    ) -> None:
        """Close the turn. shown: the ids of addresses and offers as they were listed to the person.

        tables: what it found or made, each with the number of its first line; 0: it was not listed.
        question: one that nobody could answer, under its "id", with what it takes to carry out the answer.
        """

        if tables:
            from .listed import count_offers, kept_tables  # few turns have any
        kept = kept_tables(tables) if tables else None

        async def write(transaction: Transaction) -> None:
            await transaction.run(
                "UPDATE turns SET status = ?, reply = ?, shown = ?, error = ?, usage = ?, ended_at = ?,"
                " question = ?, asked = ?, tables = ? WHERE id = ?",
                status,
                reply,
                dumps(shown) if shown else None,
                error,
                dumps(usage) if usage else None,
                time.time(),
                dumps(question) if question else None,
                question["id"] if question else None,
                kept,
                turn.id,
            )
            if kept:
                await count_offers(transaction, turn.thread, kept)
            if shown:
                await self._list(transaction, turn, shown, kept)

        await self.database.atomically(write)

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: bytes | None
    ) -> None:
        """Write down that these were listed. tables: those of the turn, as they are kept."""
        await mark_shown(transaction, turn, shown)

    async def close_abandoned(self, thread: str) -> list[Abandoned]:
        """Close what a crash left open in *thread*, whose lock the caller holds.

        A step that had started becomes `unknown`: it is neither repeated nor called done.
        """
        rows = await self.database.run(
            "SELECT id, pid, started_at FROM turns WHERE thread = ? AND status = 'open'", thread
        )
        if not rows:
            return []
        from .abandoned import alive, close_turn  # few turns are left open

        dead = [id_ for id_, pid, at in rows if not alive(pid, at)]
        return [left for id_ in dead for left in await close_turn(self.database, id_)]

    async def has_open(self, thread: str) -> bool:
        """Return whether a turn of *thread* is open: under way, or left so by a crash."""
        return bool(
            await self.database.run(
                "SELECT 1 FROM turns WHERE thread = ? AND status = 'open' LIMIT 1", thread
            )
        )

    async def ended(self, ids: Collection[str]) -> set[str]:
        """Return those of *ids* whose turns have ended. Ids of other programs are not among them."""
        marks = ", ".join("?" * len(ids))
        find = f"SELECT id FROM turns WHERE status != 'open' AND id IN ({marks})"
        return {row[0] for row in await self.database.run(find, *ids)} if ids else set()

    async def shown(self, thread: str) -> list[Address]:
        """Return the list last shown in *thread*, in its order."""
        return await self.addresses.shown(thread)

    async def begun(self, thread: str) -> int:
        """Return how many turns were ever begun in *thread*."""
        rows = await self.database.run("SELECT turns FROM threads WHERE id = ?", thread)
        return rows[0][0] if rows else 0

    async def last_thread(self) -> str | None:
        """Return the thread used last, by anybody."""
        rows = await self.database.run("SELECT id FROM threads ORDER BY used_at DESC LIMIT 1")
        return rows[0][0] if rows else None

    async def listed_last(self) -> tuple[str, str] | None:
        """Return the thread that listed something last, by anybody, and its title; None where none did."""
        rows = await self.database.run(
            "SELECT threads.id, title FROM turns JOIN threads ON threads.id = turns.thread"
            " WHERE shown IS NOT NULL ORDER BY started_at DESC LIMIT 1"
        )
        return (rows[0][0], rows[0][1]) if rows else None

    async def close(self) -> None:
        await self.database.close()


def _written(parts: Sequence[str] | None) -> str | None:
    """Return the parts of an intent as they are kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)
