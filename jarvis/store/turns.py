"""The rows of turns and steps: how each begins, ends, and is read again as what was said and done."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from json import dumps, loads
from typing import NamedTuple

from ..core.errors import JarvisError
from ..core.processes import began
from ..core.text import one_line
from ..core.types import Address, Outcome, Plan, Request, Step, Turn
from .addresses import marking_opened, named_id
from .database import Database, Row, Statement, Transaction

# Why what goes by a name is its official address.
_BY_NAME = {"site": "a known site", "alias": "your alias"}
LONGEST_TITLE = 80  # characters
# Of an UPDATE: a thread that has a title keeps it.
TITLED = "title = CASE WHEN threads.title = '' THEN excluded.title ELSE threads.title END"
OPEN = "SELECT id, pid, pid_since, started_at FROM turns WHERE thread = ? AND status = 'open'"
# Steps of which nobody knows whether they happened, until a front end has shown that.
UNTOLD = (
    "SELECT thread, turn, steps.n, action, target FROM steps JOIN turns ON turns.id = turn"
    " WHERE untold = 1 AND thread = ? ORDER BY turns.n, steps.n"
)
# With the first id of its own addresses: others may have been given since.
_WRITTEN = (
    "SELECT turns.n, COALESCE((SELECT MIN(CAST(SUBSTR(addresses.id, 2) AS INTEGER)) FROM addresses"
    " WHERE addresses.thread = turns.thread AND turn = turns.n AND step = 0), typed + 1), offers"
    " FROM turns JOIN threads ON threads.id = turns.thread WHERE turns.id = ?"
)


def title_of(goal: str, own: int) -> str:
    """Return the title of a thread that begins with *goal*; empty where those are not the person's own words.

    own: as history has it, 1 or 0.
    """
    return one_line(goal, LONGEST_TITLE) if own else ""


class Begun(NamedTuple):
    """A turn that is written down."""

    n: int  # its number in the thread
    typed: int  # how many ids that has given: of the addresses in words,
    offers: int  # of offers
    open: tuple[Row, ...] = ()  # the turns that were open before it, as OPEN finds them
    untold: tuple[Row, ...] = ()  # as UNTOLD finds them


def named_in(sources: Sequence[tuple[str, str, str]], minted: int) -> tuple[Address, ...]:
    """Return the addresses that words name, each from (address, its source, the name).

    minted: how many ids their thread has given with theirs, which are the last ones.
    """
    first = minted - len(sources) + 1
    return tuple(
        Address(
            named_id(source, first + i),
            url,
            source=source,
            official=_BY_NAME.get(source, ""),
            official_name=name,
        )
        for i, (url, source, name) in enumerate(sources)
    )


async def insert_turn(
    transaction: Transaction,
    turn: str,
    thread: str,
    asked: Row,
    addresses: int,
    *,
    shared: bool,
    is_locked: bool,
) -> Begun:
    """Write *turn* down.

    asked: (goal, piped, intent, own). shared: whether the database is on a server.
    is_locked: whether the caller holds the lock of *thread*, and wants to know what was left there.
    """
    now = time.time()
    goal, _, _, own = asked
    # Changes nothing, but has whoever writes here wait: only then is it looked whether it is written already.
    await transaction.send(
        "INSERT INTO threads (id, created_at, used_at, title) VALUES (?, ?, ?, ?)"
        f" ON CONFLICT (id) DO UPDATE SET {TITLED}",
        thread,
        now,
        now,
        title_of(goal, own),
    )
    counted, *left = await transaction.run_all(
        # None, where the connection was lost after all was written.
        (
            "UPDATE threads SET used_at = ?, turns = turns + 1, typed = typed + ? WHERE id = ?"
            " AND NOT EXISTS (SELECT 1 FROM turns WHERE id = ?) RETURNING turns, typed, offers",
            now,
            addresses,
            thread,
            turn,
        ),
        *([(f"{OPEN} AND id != ?", thread, turn), (UNTOLD, thread)] if is_locked else []),
    )
    found = tuple(map(tuple, left))
    if not counted:
        n, first, offers = (await transaction.run(_WRITTEN, turn))[0]
        return Begun(n, first + addresses - 1, offers, *found)
    n, minted, offers = counted[0]
    pid = None if shared or is_locked else os.getpid()  # a lock is the better sign of life
    await transaction.send(
        "INSERT INTO turns (id, thread, n, goal, piped, intent, own, status, pid, pid_since,"
        " started_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)",
        turn,
        thread,
        n,
        *asked,
        pid,
        (began(pid) or None) if pid else None,
        now,
    )
    return Begun(n, minted, offers, *found)


def written_intent(parts: Sequence[str] | None) -> str | None:
    """Return the parts of an intent as they are kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)


def keeping_intent(turn: Turn, parts: Sequence[str] | None) -> list[Statement]:
    """Return what writes *parts* down as the intent of *turn*; nothing for None."""
    write = "UPDATE turns SET intent = ? WHERE id = ?"
    return [] if parts is None else [(write, written_intent(parts), turn.id)]


class Journal:
    """Writes the steps of a turn down. What history can't take now goes along with what is written next."""

    def __init__(self, database: Database, turn: Turn) -> None:
        self.turn = turn
        self.unwritten: list[Statement] = []
        self._database = database

    async def start(self, request: Request, plan: Plan, intent: Sequence[str] | None = None) -> None:
        """Write down that *request* is about to be done. Raises StoreFailed: then it must not be done.

        intent: what the person asked for, where that is not written down yet.
        """
        step = starting(self.turn, request.n, plan, request.effect.target, request.rule)
        try:
            await self.flush()
            await self._database.run_all(*keeping_intent(self.turn, intent), step)
        except JarvisError:  # that it began may be written all the same, without an answer
            self.unwritten.append(taking_back(self.turn, request.n))
            raise

    async def finish(self, step: Step, opened: str = "") -> None:
        """Write down what came of a step that was started. opened: the id of what it opens."""
        await self._write(*ended(self.turn, step.n, step.outcome, opened))

    async def keep(self, step: Step, intent: Sequence[str] | None = None) -> None:
        """Write down a step that needed no hands. intent: as in `start`."""
        await self._write(*keeping_intent(self.turn, intent), keeping(self.turn, step))

    async def _write(self, *statements: Statement) -> None:
        self.unwritten += statements
        with suppress(JarvisError):  # the next step begins with it, or the turn ends with it
            await self.flush()

    async def flush(self) -> None:
        """Write down what was not taken before. Raises StoreFailed."""
        if self.unwritten:
            await self._database.run_all(*self.unwritten)
            self.unwritten = []


def starting(turn: Turn, n: int, plan: Plan, target: str, rule: str) -> Statement:
    """Return what writes down that a step is about to be done. rule: which one let it pass."""
    return (
        "INSERT INTO steps (turn, n, action, arguments, target, state, started_at, rule, why)"
        " VALUES (?, ?, ?, ?, ?, 'started', ?, ?, ?) ON CONFLICT (turn, n) DO NOTHING",
        turn.id,
        n,
        plan.action,
        dumps(plan.arguments, ensure_ascii=False),
        target,
        time.time(),
        rule,
        plan.text,
    )


def keeping(turn: Turn, step: Step) -> Statement:
    """Return what writes down *step*, which needed no hands, with what came of it."""
    plan, outcome, now = step.plan, step.outcome, time.time()
    return (
        "INSERT INTO steps"
        " (turn, n, action, arguments, target, state, outcome, started_at, ended_at, rule, why)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (turn, n) DO NOTHING",
        turn.id,
        step.n,
        plan.action,
        dumps(plan.arguments, ensure_ascii=False),
        outcome.value,
        outcome.state,
        outcome.text,
        now,
        now,
        outcome.rule,
        plan.text,
    )


def ended(turn: Turn, n: int, outcome: Outcome, opened: str) -> list[Statement]:
    """Return what writes down what came of a step that had started. opened: the id of what it opens."""
    is_opened = opened and outcome.state == "done"
    return [_ending(turn, n, outcome), *([marking_opened(turn, opened)] if is_opened else [])]


def taking_back(turn: Turn, n: int) -> Statement:
    """Return what deletes step *n*, which may be written as begun: nobody's hands were told to."""
    return "DELETE FROM steps WHERE turn = ? AND n = ?", turn.id, n


def _ending(turn: Turn, n: int, outcome: Outcome) -> Statement:
    # A rule that it was refused by takes the place of the one that was written then.
    return (
        "UPDATE steps SET state = ?, outcome = ?, ended_at = ?, untold = ?, rule = COALESCE(?, rule)"
        " WHERE turn = ? AND n = ?",
        outcome.state,
        outcome.text,
        time.time(),
        int(outcome.state == "unknown"),
        outcome.rule or None,
        turn.id,
        n,
    )


_WINDOW = 20  # turns the model sees: a question and an answer each
_BLOCK = 10  # it shrinks by this many at once, so that its beginning seldom changes


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


async def exchanges_before(database: Database, turn: Turn) -> list[Exchange]:
    """Return the turns before *turn* that the model sees, oldest first: 11 to 20 of them, or all."""
    return exchanges_in(*await database.run_all(*finding_exchanges(turn)))


def finding_exchanges(turn: Turn) -> tuple[Statement, Statement]:
    """Return what finds the turns of `exchanges_before`, and their steps."""
    before = turn.n - 1
    size = before if before <= _WINDOW else _WINDOW - _BLOCK + 1 + (before - _WINDOW - 1) % _BLOCK
    window = (turn.thread, turn.n - size, turn.n)
    turns = (
        "SELECT id, goal, reply, status, piped, own, intent FROM turns"
        " WHERE thread = ? AND n >= ? AND n < ? AND status != 'open' ORDER BY n"
    )
    steps = (
        "SELECT steps.turn, outcome, action, state FROM turns JOIN steps ON steps.turn = turns.id"
        " WHERE thread = ? AND turns.n >= ? AND turns.n < ? ORDER BY turns.n, steps.n"
    )
    return (turns, *window), (steps, *window)


def exchanges_in(turns: Sequence[Row], steps: Sequence[Row]) -> list[Exchange]:
    """Return the turns that `finding_exchanges` found, with their steps."""
    found: dict[str, list[Row]] = {}
    for turn, *step in steps:
        found.setdefault(turn, []).append(tuple(step))
    return [_exchange(row, found.get(row[0], [])) for row in turns]


def _exchange(row: Row, steps: Sequence[Row]) -> Exchange:
    """Return one earlier turn, from its row and its steps."""
    _, goal, reply, status, piped, own, intent = row
    did = "\n".join(outcome for outcome, _, _ in steps)
    # That of an import is whatever its file says.
    read = tuple(loads(intent)) if own and intent is not None else None
    acts = tuple((action, state) for _, action, state in steps)
    return Exchange(goal, did, reply, status, piped, own == 1, read, acts)
