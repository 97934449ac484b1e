"""History: what was asked and what came of it, per thread.

A turn's row exists before the first model call; a step's row says `started` before the hands act.
Whatever is written here may be written twice, when a connection is lost, and comes to the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence

from ..core.stdlib import Any, NamedTuple, dumps, loads
from ..core.types import Address, Outcome, Turn, unknown
from .addresses import Addresses, insert, mark_opened, mark_shown, named_id
from .database import Database, Row, Rows

_WINDOW = 20  # turns the model sees: a question and an answer each
_BLOCK = 10  # it shrinks by this many at once, so that its beginning seldom changes
VALID = 86_400.0  # seconds for which a question may be answered: later, nobody knows what it was about


class Exchange(NamedTuple):
    """What was said and done in one earlier turn."""

    goal: str
    did: str  # its steps' outcomes, a line each
    reply: str
    status: str
    material: str = ""  # what was piped in besides
    is_own: bool = False  # whether goal is the person's own words alone, and they were said here
    intent: tuple[str, ...] | None = None  # the parts of what they asked for; None: none was read here
    acts: tuple[tuple[str, str], ...] = ()  # its steps, each as (action, state)


class Abandoned(NamedTuple):
    """A step of a turn that stopped in the middle: it may or may not have happened."""

    turn: str
    n: int
    action: str
    target: str


class Taken(NamedTuple):
    """A question that nobody could answer when it was asked, and that is being answered now."""

    turn: str
    thread: str
    goal: str
    question: Mapping[str, Any]  # as `end` was given it
    material: str = ""  # these two are as an Exchange has them
    is_own: bool = False
    n: int = 0  # the turn's number in its thread


# Why what goes by a name is its official address.
_BY_NAME = {"site": "a known site", "alias": "your alias"}
_TAKEN = "id, thread, goal, question, piped, own, n"


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
        """Write down that *goal* was asked in *thread*, and mint ids for the addresses in it.

        typed: those in the person's own words. piped: those in text that they piped in.
        known: those that they named by a name, each as (address, what kind of name it is, the name).
        material: what they piped in. intent: the parts of what they asked for, where that was read already.
        is_own: whether *goal* is nothing but what the person said here.
        """
        turn = os.urandom(8).hex()
        asked = (goal, material, _written(intent), int(is_own))
        sources = [(url, "typed", "") for url in typed]
        sources += [(url, "piped", "") for url in piped if url not in typed] + list(known)

        async def write(rows: Rows) -> Turn:
            n, minted = await self._insert(rows, turn, thread, asked, len(sources))
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
                await insert(rows, thread, n, 0, named)
            return Turn(turn, thread, n, named)

        return await self.database.atomically(write)

    async def _insert(
        self, rows: Rows, turn: str, thread: str, asked: Row, addresses: int
    ) -> tuple[int, int]:
        """The turn's number in its thread, and how many ids of addresses were minted there in all.

        asked: (goal, piped, intent, own).
        """
        now = time.time()
        if self.database.shared:  # where the connection may have been lost after all was written
            written = await rows.run(
                "SELECT turns.n, threads.typed FROM turns JOIN threads ON threads.id = turns.thread"
                " WHERE turns.id = ?",
                turn,
            )
            if written:
                return written[0][0], written[0][1]
        row = await rows.run(
            "INSERT INTO threads (id, created_at, used_at, turns, typed) VALUES (?, ?, ?, 1, ?)"
            " ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, turns = threads.turns + 1,"
            " typed = threads.typed + excluded.typed RETURNING turns, typed",
            thread,
            now,
            now,
            addresses,
        )
        n, minted = row[0]
        await rows.run(
            "INSERT INTO turns (id, thread, n, goal, piped, intent, own, status, pid, started_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)",
            turn,
            thread,
            n,
            *asked,
            None if self.database.shared else os.getpid(),
            now,
        )
        return n, minted

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
        """rule: which one let it pass, or refused it. why: the planner's own sentence."""
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
        """Write down what came of a step; *opened* is the id of the address that it opens.

        The rule that it was refused by, if any, takes the place of what `start_step` was given.
        """

        async def write(rows: Rows) -> None:
            await rows.run(
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
                await mark_opened(rows, turn, opened)

        await self.database.atomically(write)

    async def end(
        self,
        turn: Turn,
        status: str,
        reply: str = "",
        *,
        shown: Sequence[str] = (),
        error: str | None = None,
        usage: Mapping[str, object] | None = None,
        question: Mapping[str, Any] | None = None,
    ) -> None:
        """Close the turn. shown: the addresses' ids as they were listed to the person.

        question: one that nobody could answer, under its "id", with what it takes to carry out the answer.
        """

        async def write(rows: Rows) -> None:
            await rows.run(
                "UPDATE turns SET status = ?, reply = ?, shown = ?, error = ?, usage = ?, ended_at = ?,"
                " question = ?, asked = ? WHERE id = ?",
                status,
                reply,
                dumps(shown) if shown else None,
                error,
                dumps(usage) if usage else None,
                time.time(),
                dumps(question) if question else None,
                question["id"] if question else None,
                turn.id,
            )
            if shown:
                await mark_shown(rows, turn, shown)

        await self.database.atomically(write)

    async def question(self, id_: str) -> Taken | None:
        """The question of that id, if nobody has taken it and it is no older than a day."""
        rows = await self.database.run(
            f"SELECT {_TAKEN} FROM turns WHERE asked = ? AND ended_at > ?", id_, time.time() - VALID
        )
        return _taken(rows[0]) if rows else None

    async def is_void(self, id_: str) -> bool:
        """Whether the question of that id was asked, and nobody has answered it in a day."""
        aged = "SELECT 1 FROM turns WHERE asked = ? AND ended_at <= ?"
        return bool(await self.database.run(aged, id_, time.time() - VALID))

    async def take_question(self, id_: str) -> Taken | None:
        """As `question`, for the one who takes it first; None for whoever comes later."""
        ours = f"{id_} {os.urandom(8).hex()}"  # by which it is known again, if this is repeated
        rows = await self.database.run(
            f"UPDATE turns SET asked = ? WHERE asked IN (?, ?) AND ended_at > ? RETURNING {_TAKEN}",
            ours,
            id_,
            ours,
            time.time() - VALID,
        )
        return _taken(rows[0]) if rows else None

    async def transcript(self, turn: Turn) -> list[Exchange]:
        """The turns before *turn* that the model sees, oldest first: 11 to 20 of them, or all."""
        before = turn.n - 1
        size = before if before <= _WINDOW else _WINDOW - _BLOCK + 1 + (before - _WINDOW - 1) % _BLOCK
        rows = await self.database.run(
            "SELECT id, goal, reply, status, piped, own, intent FROM turns"
            " WHERE thread = ? AND n >= ? AND n < ? AND status != 'open' ORDER BY n",
            turn.thread,
            turn.n - size,
            turn.n,
        )
        did = await self._done(turn.thread, turn.n - size, turn.n)
        return [_exchange(row, did.get(row[0], [])) for row in rows]

    async def _done(self, thread: str, first: int, end: int) -> dict[str, list[Row]]:
        """The steps of the turns from number *first* to before *end*, by turn: (outcome, action, state)."""
        rows = await self.database.run(
            "SELECT steps.turn, outcome, action, state FROM turns JOIN steps ON steps.turn = turns.id"
            " WHERE thread = ? AND turns.n >= ? AND turns.n < ? ORDER BY turns.n, steps.n",
            thread,
            first,
            end,
        )
        found: dict[str, list[Row]] = {}
        for turn, *step in rows:
            found.setdefault(turn, []).append(tuple(step))
        return found

    async def close_abandoned(self, thread: str) -> list[Abandoned]:
        """Close what a crash left open in *thread*, whose lock the caller holds.

        A step that had started becomes `unknown`: it is neither repeated nor called done.
        """
        rows = await self.database.run(
            "SELECT id, pid, started_at FROM turns WHERE thread = ? AND status = 'open'", thread
        )
        dead = [id_ for id_, pid, at in rows if not alive(pid, at)]
        return [left for id_ in dead for left in await self._abandon(id_)]

    async def _abandon(self, turn: str) -> list[Abandoned]:
        now = time.time()  # by which what was written is known again, if this is repeated

        async def write(rows: Rows) -> list[Abandoned]:
            # It may have ended since it was looked at.
            closed = await rows.run(
                "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ?"
                " AND (status = 'open' OR ended_at = ?) RETURNING id",
                now,
                turn,
                now,
            )
            if not closed:
                return []
            started = await rows.run(
                "SELECT turn, n, action, target FROM steps WHERE turn = ?"
                " AND (state = 'started' OR ended_at = ?)",
                turn,
                now,
            )
            for _, n, action, target in started:
                outcome = unknown(action, target)
                await rows.run(
                    "UPDATE steps SET state = ?, outcome = ?, ended_at = ? WHERE turn = ? AND n = ?",
                    outcome.state,
                    outcome.text,
                    now,
                    turn,
                    n,
                )
            return [Abandoned(*row) for row in started]

        return await self.database.atomically(write)

    async def has_open(self, thread: str) -> bool:
        """Whether a turn of *thread* is open: under way, or left so by a crash."""
        return bool(
            await self.database.run(
                "SELECT 1 FROM turns WHERE thread = ? AND status = 'open' LIMIT 1", thread
            )
        )

    async def ended(self, ids: Collection[str]) -> set[str]:
        """Those of *ids* that are of turns which have ended. What is no turn of ours is not among them."""
        marks = ", ".join("?" * len(ids))
        find = f"SELECT id FROM turns WHERE status != 'open' AND id IN ({marks})"
        return {row[0] for row in await self.database.run(find, *ids)} if ids else set()

    async def shown(self, thread: str) -> list[Address]:
        """The list last shown in *thread*, in its order."""
        return await self.addresses.shown(thread)

    async def begun(self, thread: str) -> int:
        """How many turns were ever begun in *thread*."""
        rows = await self.database.run("SELECT turns FROM threads WHERE id = ?", thread)
        return rows[0][0] if rows else 0

    async def last_thread(self) -> str | None:
        """The thread used last, by anybody."""
        rows = await self.database.run("SELECT id FROM threads ORDER BY used_at DESC LIMIT 1")
        return rows[0][0] if rows else None

    async def close(self) -> None:
        await self.database.close()


def _written(parts: Sequence[str] | None) -> str | None:
    """An intent as it is kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)


def _taken(row: Row) -> Taken:
    turn, thread, goal, question, piped, own, n = row
    return Taken(turn, thread, goal, loads(question), piped, own == 1, n)


def _exchange(row: Row, steps: Sequence[Row]) -> Exchange:
    """A row of turns, as `transcript` asks for it, with its steps."""
    _, goal, reply, status, piped, own, intent = row
    did = "\n".join(outcome for outcome, _, _ in steps)
    # That of an import is whatever its file says.
    read = tuple(loads(intent)) if own and intent is not None else None
    acts = tuple((action, state) for _, action, state in steps)
    return Exchange(goal, did, reply, status, piped, own == 1, read, acts)


def alive(pid: int | None, started: float) -> bool:
    """Whether a plain command, which takes no lock, is still at it: such a one takes seconds."""
    if not pid or pid == os.getpid() or time.time() - started > 60:
        return False
    if os.name == "nt":
        return True  # there, os.kill(pid, 0) would end it
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
