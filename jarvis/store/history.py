"""Keeps history: what was asked and what came of it, per thread.

A turn's row exists before the first model call; a step's row says `started` before the hands act.
Whatever is written here may be written twice, when a connection is lost, with the same result.
The statements serve Postgres and SQLite alike.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from json import dumps
from typing import TYPE_CHECKING, Any

from ..core.errors import StoreFailed
from ..core.events import Unsure
from ..core.types import Address, Step, Turn
from .addresses import Addresses, insert, keep_found, marking_shown
from .database import Database, Row, Statement, Transaction
from .tables import counting_offers, kept_tables
from .turns import UNTOLD, insert_turn, keeping, keeping_intent, named_in, written_intent

if TYPE_CHECKING:
    from ..core.events import Tabled
from ..core.errors import UsageError
from ..core.text import one_line
from ..core.types import TERMINALS

_LONGEST = 60  # characters of a title
_RESUMABLE = 600  # seconds in which another brain may go on with a turn that was left open and closed


class History:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.addresses = Addresses(database)

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
        left: Callable[[Unsure], None] | None = None,
        id_: str = "",
    ) -> Turn:
        """Write down that *goal* was asked in *thread*, and give ids to the addresses in it.

        typed: those in the person's own words. piped: those in text that they piped in.
        known: those that they named by a name, each as (address, what kind of name it is, the name).
        material: what they piped in. intent: the parts of what they asked for, where that was read already.
        is_own: whether *goal* is nothing but what the person said here.
        left: is given each step of which nobody has heard yet that it is not known. Who hands it in holds the
        lock of *thread*: turns that are open there are closed with this beginning.
        id_: of the turn, which may be written down already. Empty: it gets one.
        """
        turn = id_ or os.urandom(8).hex()
        asked = (goal, material, written_intent(intent), int(is_own))
        sources = [(url, "typed", "") for url in typed]
        sources += [(url, "piped", "") for url in piped if url not in typed] + list(known)
        shared, is_locked = self.database.shared, left is not None

        async def write(transaction: Transaction) -> tuple[Turn, Sequence[Row]]:
            begun = await insert_turn(
                transaction, turn, thread, asked, len(sources), shared=shared, is_locked=is_locked
            )
            untold: Sequence[Row] = begun.untold
            if begun.open:
                from .unfinished import close_left  # few turns are left open

                await close_left(transaction, begun.open)
                untold = await transaction.run(UNTOLD, thread)
            named = named_in(sources, begun.typed)
            if named:
                await insert(transaction, thread, begun.n, 0, named)
            return Turn(turn, thread, begun.n, named, begun.offers), untold

        new, untold = await self.database.atomically(write)
        if left:
            for row in untold:
                left(Unsure(*row))
        return new

    async def keep_intent(self, turn: Turn, parts: Sequence[str]) -> None:
        """Write down what the person asked for in *turn*, as it was read; no parts: nothing."""
        await self.database.run_all(*keeping_intent(turn, parts))

    async def keep_step(
        self,
        turn: Turn,
        step: Step,
        known: Sequence[Address],
        *,
        intent: Sequence[str] | None = None,
    ) -> tuple[Address, ...]:
        """Write down a step that looked something up. Return what it found, as `Addresses.keep_found` does.

        known: as there. intent: what the person asked for, where that is not written down yet.
        """
        statements = [*keeping_intent(turn, intent), keeping(turn, step)]

        async def write(transaction: Transaction) -> tuple[Address, ...]:
            found = await keep_found(transaction, turn, step.n, step.outcome.found, known)
            for statement in statements:
                await transaction.send(*statement)
            return found

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
        beside: Sequence[Statement] = (),
    ) -> None:
        """Close the turn.

        shown: the ids of addresses and offers as they were listed to the person.
        tables: what it found or made, each with the number of its first line; 0: it was not listed.
        question: one that nobody could answer, under its "id", with what it takes to carry out the answer.
        intent: what the person asked for; None: as it is written down already, or not read.
        beside: what is written before it, in the same transaction.
        """
        kept = kept_tables(tables) if tables else None
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
            kept,
            written_intent(intent),
            turn.id,
        )
        statements = [*beside, row, *([counting_offers(turn.thread, kept)] if kept else [])]

        async def write(transaction: Transaction) -> None:
            for statement in statements:
                await transaction.send(*statement)
            if shown:
                await self._list(transaction, turn, shown, kept)

        await self.database.atomically(write)

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: bytes | None
    ) -> None:
        """Write down that these were listed. tables: those of the turn, as they are kept."""
        for statement in marking_shown(turn, shown):
            await transaction.send(*statement)

    async def has_left(self, thread: str) -> bool:
        """Return whether a turn of *thread* is open, under way or left so, or a step of it is untold."""
        find = (
            "SELECT 1 FROM turns WHERE thread = ? AND status = 'open' UNION ALL SELECT 1 FROM steps"
            " JOIN turns ON turns.id = turn WHERE untold = 1 AND thread = ? LIMIT 1"
        )
        return bool(await self.database.run(find, thread, thread))

    async def unreported(self, thread: str) -> list[Unsure]:
        """Return the steps of *thread* of which nobody has heard yet that it is not known."""
        return [Unsure(*row) for row in await self.database.run(UNTOLD, thread)]

    async def note_told(self, steps: Iterable[tuple[str, int]]) -> None:
        """Write down that the person was shown what is not known of *steps*, each as (turn, number)."""
        note = "UPDATE steps SET untold = 0 WHERE turn = ? AND n = ?"
        await self.database.run_all(*((note, *step) for step in steps))

    async def ended(self, ids: Collection[str]) -> set[str]:
        """Return those of *ids* whose turns have ended, and that nobody may go on with or answer any more.

        Ids of other programs are not among them.
        """
        from .unfinished import CLOSED_BY_OTHERS, VALID  # a plain command does not ask for it

        marks = ", ".join("?" * len(ids))
        find = (
            f"SELECT id FROM turns WHERE status != 'open' AND id IN ({marks})"
            f" AND NOT ({CLOSED_BY_OTHERS} AND ended_at > ?) AND NOT (asked IS NOT NULL AND ended_at > ?)"
        )
        now = time.time()
        rows = await self.database.run(find, *ids, now - _RESUMABLE, now - VALID) if ids else []
        return {row[0] for row in rows}

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


async def no_line(history: History, thread: str, number: int, *, lines: int, by: str) -> UsageError:
    """Return the error for a line that the list last shown in *thread* does not have.

    number: of the line; -1: the last one. lines: how many that list has; 0: there is none. by: the command
    that takes `-t NAME open NUMBER`.
    """
    where = "this thread" if thread.startswith(TERMINALS) else f"the thread {thread}"
    found = None if lines else await history.listed_last()
    if found:
        return UsageError(
            f"Nothing was listed in {where}. {told_list(*found)}",
            hint=f"{by} -t {found[0]} open {number if number > 0 else 'the last one'}",
        )
    if not lines:
        return UsageError(
            f"Nothing was listed in {where}.",
            hint="Ask something first; what is listed below the answer can be opened by its number.",
        )
    return UsageError(
        f"There is no line {number} in the list last shown in {where}.", hint=f"Its last line is {lines}."
    )


def no_page(address: Address, number: int, *, by: str) -> UsageError:
    """Return the error for a line whose offer has no page to open. by: the command that shows the line."""
    return UsageError(
        f"Line {number} has no page: {one_line(address.title, _LONGEST) or 'only what the list tells'}.",
        hint=f'{by} "show {number}"' if number > 0 else "",
    )


def told_list(thread: str, title: str) -> str:
    """Return a sentence on the thread that listed something last."""
    named = f"{thread} (“{one_line(title, _LONGEST)}”)" if title else thread
    return f"The list last shown is in the thread {named}."
