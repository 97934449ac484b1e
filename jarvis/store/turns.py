"""What is written down of a turn's steps, and read again: by the turns after it, and where it has no end.

A turn has none of its own where a crash left it open, another brain goes on with it, or it asks something.
A step that had started is neither repeated nor called done.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from json import dumps, loads
from typing import Any, NamedTuple

from ..actions import catalogue
from ..core.errors import JarvisError
from ..core.processes import process_of
from ..core.types import Address, Outcome, Performed, Plan, Request, Step, Turn, unknown
from .addresses import keep_found
from .database import Database, Row, Statement, Transaction

VALID = 86_400.0  # seconds for which a question may be answered: later, nobody knows what it was about
# Of a turn: its own process would have written down what it used up.
CLOSED_BY_OTHERS = "(status = 'interrupted' AND usage IS NULL)"
_IS_LEFT = f"(status = 'open' OR {CLOSED_BY_OTHERS})"  # of a turn: it came to no end of its own
_LONGEST = 60  # seconds that a plain command takes, where its process can't be told from a later one
OPEN = "SELECT id, pid, pid_since, started_at FROM turns WHERE thread = ? AND status = 'open'"
_WINDOW = 20  # turns the model sees: a question and an answer each
_BLOCK = 10  # it shrinks by this many at once, so that its beginning seldom changes


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
        begun = Outcome("started", "", request.effect.target, rule=request.rule)
        step = keeping(self.turn, Step(request.n, plan, begun))
        try:
            await self.flush()
            await self._database.run_all(*keeping_intent(self.turn, intent), step)
        except JarvisError:  # that it began may be written all the same, without an answer
            self.unwritten.append(("DELETE FROM steps WHERE turn = ? AND n = ?", self.turn.id, request.n))
            raise

    async def finish(self, step: Step, opened: str = "") -> None:
        """Write down what came of a step that was started. opened: the id of what it opens."""
        await self._write(*ended(self.turn, step.n, step.outcome, opened))

    async def keep(self, step: Step, intent: Sequence[str] | None = None) -> None:
        """Write down a step that needed no hands. intent: as in `start`."""
        await self._write(*keeping_intent(self.turn, intent), keeping(self.turn, step))

    async def keep_found(
        self, step: Step, known: Sequence[Address], intent: Sequence[str] | None = None
    ) -> tuple[Address, ...]:
        """Write down a step that looked something up. Return what it found, each under its id.

        known: what has an id already. intent: as in `start`. Raises StoreFailed.
        """
        statements = [*self.unwritten, *keeping_intent(self.turn, intent), keeping(self.turn, step)]

        async def write(transaction: Transaction) -> tuple[Address, ...]:
            found = await keep_found(transaction, self.turn, step.n, step.outcome.found, known)
            for statement in statements:
                await transaction.send(*statement)
            return found

        found = await self._database.atomically(write)
        self.unwritten = []
        return found

    async def _write(self, *statements: Statement) -> None:
        self.unwritten += statements
        with suppress(JarvisError):  # the next step begins with it, or the turn ends with it
            await self.flush()

    async def flush(self) -> None:
        """Write down what was not taken before. Raises StoreFailed."""
        if self.unwritten:
            await self._database.run_all(*self.unwritten)
            self.unwritten = []


def keeping(turn: Turn, step: Step) -> Statement:
    """Return what writes down *step*: that it is started, or what came of it."""
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
        None if outcome.state == "started" else now,
        outcome.rule,
        plan.text,
    )


def ended(turn: Turn, n: int, outcome: Outcome, opened: str) -> list[Statement]:
    """Return what writes down what came of a step that had started. opened: the id of what it opens."""
    ending = (
        # A rule that it was refused by takes the place of the one that was written then.
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
    is_opened = opened and outcome.state == "done"
    mark = "UPDATE addresses SET opened = ? WHERE thread = ? AND id = ?"
    return [ending, *([(mark, turn.n, turn.thread, opened)] if is_opened else [])]


# Read by the turns after it.


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


def finding_exchanges(turn: Turn) -> tuple[Statement, Statement]:
    """Return what finds the turns before *turn* that the model sees, 11 to 20 of them, and their steps."""
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
    """Return the turns that `finding_exchanges` found, oldest first, with their steps."""
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


# Where a crash left it open, or another brain was at it.


def is_at_work(pid: int | None, since: str | None, started: float) -> bool:
    """Return whether the plain command of a turn that is open is still at work. It takes no lock.

    pid: of its process; None: a lock is the turn's only sign of life. since: when that process began.
    """
    if not pid or pid == os.getpid():
        return False
    process = process_of(pid)
    if since or process.is_dead:
        return process.began == since and not process.is_dead
    return time.time() - started <= _LONGEST


async def close_thread(database: Database, thread: str) -> None:
    """Close what was left open in *thread*, whose lock the caller holds."""
    rows = await database.run(OPEN, thread)
    if rows:
        await database.atomically(lambda transaction: close_left(transaction, rows))


async def close_left(transaction: Transaction, rows: Iterable[Row]) -> None:
    """Close those of *rows*, each a turn as OPEN finds it, on which nobody is at work."""
    for turn, *process in rows:
        if not is_at_work(*process):
            await _close(transaction, turn)


async def _close(transaction: Transaction, turn: str) -> None:
    now = time.time()
    # It may have ended since it was looked at.
    closed, started = await transaction.run_all(
        (
            "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ? AND status = 'open'"
            " RETURNING id",
            now,
            turn,
        ),
        ("SELECT n, action, target FROM steps WHERE turn = ? AND state = 'started'", turn),
    )
    for n, action, target in started if closed else ():
        known = catalogue().get(action)
        outcome = (known and known.proven(target)) or unknown(action, target)
        for statement in ended(Turn(turn, "", 0, ()), n, outcome, ""):
            await transaction.send(*statement)


class LeftTurn(NamedTuple):
    """A turn as its row has it, which another brain was at."""

    id: str
    thread: str
    n: int
    status: str
    reply: str
    error: str  # "code: message"; empty: none
    usage: Mapping[str, Any]
    intent: tuple[str, ...] | None
    question: Mapping[str, Any] | None
    listed: tuple[Row, ...]  # what it listed, as `Addresses.listed_in` takes it
    is_left: bool  # whether it came to no end of its own


async def find_left(database: Database, turn: str) -> LeftTurn | None:
    """Return the turn of that id; None where history has none."""
    rows = await database.run(
        "SELECT thread, n, status, reply, error, usage, intent, question, shown, tables,"
        f" CASE WHEN {_IS_LEFT} THEN 1 ELSE 0 END FROM turns WHERE id = ?",
        turn,
    )
    if not rows:
        return None
    thread, n, status, reply, error, usage, intent, question, shown, tables, is_left = rows[0]
    return LeftTurn(
        id=turn,
        thread=thread,
        n=n,
        status=status,
        reply=reply,
        error=error or "",
        usage=loads(usage) if usage else {},
        intent=None if intent is None else tuple(loads(intent)),
        question=loads(question) if question else None,
        listed=((shown, tables),) if shown else (),
        is_left=bool(is_left),
    )


async def steps_of(database: Database, turn: str) -> list[Step]:
    """Return the steps of *turn*, as far as they are written down."""
    rows = await database.run(
        "SELECT n, action, arguments, target, state, outcome, rule, why FROM steps WHERE turn = ? ORDER BY n",
        turn,
    )
    return [
        Step(n, Plan(action, loads(arguments), text=why), Outcome(state, outcome, target, rule=rule))
        for n, action, arguments, target, state, outcome, rule, why in rows
    ]


def reopening(turn: str) -> Statement:
    """Return what has *turn* go on, which was closed for now."""
    return "UPDATE turns SET status = 'open', ended_at = NULL WHERE id = ?", turn


async def go_on(database: Database, left: LeftTurn, steps: Sequence[Step], did: Sequence[Performed]) -> None:
    """Have the turn *left* go on, with *steps* as all that happened in it, of which the hands *did* some.

    What else is written as begun did not happen: nobody's hands were told to.
    """
    turn, performed = Turn(left.id, left.thread, left.n, ()), {each.n for each in did}
    last = max((step.n for step in steps), default=0)
    statements: list[Statement] = [
        (f"UPDATE turns SET status = 'open', ended_at = NULL WHERE id = ? AND {_IS_LEFT}", turn.id)
    ]
    for step in steps:
        if step.n in performed:
            opened = step.plan.arguments.get("address")
            statements.append(keeping(turn, step))  # history may have lost it
            statements += ended(turn, step.n, step.outcome, opened if isinstance(opened, str) else "")
    later = (turn.thread, turn.n, last)
    statements.append(("DELETE FROM steps WHERE turn = ? AND n > ?", turn.id, last))
    statements.append(("DELETE FROM addresses WHERE thread = ? AND turn = ? AND step > ?", *later))
    await database.run_all(*statements)


# Where it asks something that nobody could answer then.


class Parked(NamedTuple):
    """A turn with a question that nobody could answer when it was asked."""

    turn: str
    thread: str
    goal: str
    question: Mapping[str, Any]  # as `History.end` was given it
    material: str  # these two are as an Exchange has them
    is_own: bool

    @property
    def step(self) -> int:
        """The number of the step that it is about."""
        return int(self.question.get("step", 1))

    @property
    def part(self) -> int:
        """The place, from 1, of what it is about in what the words ask for; 0: it is for none of it."""
        return int(self.question.get("part", 1))


_PARKED = "id, thread, goal, question, piped, own"


async def parked(database: Database, id_: str) -> Parked | None:
    """Return the turn that asks the question of that id, if nobody took it and it is no older than a day."""
    find = f"SELECT {_PARKED} FROM turns WHERE asked = ? AND ended_at > ?"
    return _parked(await database.run(find, id_, time.time() - VALID))


async def take_parked(database: Database, id_: str) -> Parked | None:
    """Take the question of that id, and return its turn; None where it is void, or was taken by another."""
    ours = f"{id_} {os.urandom(8).hex()}"  # by which it is known again, if this is repeated
    take = f"UPDATE turns SET asked = ? WHERE asked IN (?, ?) AND ended_at > ? RETURNING {_PARKED}"
    return _parked(await database.run(take, ours, id_, ours, time.time() - VALID))


async def parked_before(database: Database, id_: str) -> Parked | None:
    """Return the turn of the question of that id, which was taken by somebody whose brain died."""
    return _parked(await database.run(f"SELECT {_PARKED} FROM turns WHERE asked LIKE ?", f"{id_} %"))


async def is_void(database: Database, id_: str) -> bool:
    """Return whether the question of that id was asked, and nobody has answered it in a day."""
    find = "SELECT 1 FROM turns WHERE asked = ? AND ended_at <= ?"
    return bool(await database.run(find, id_, time.time() - VALID))


async def open_questions(database: Database, thread: str) -> dict[str, Mapping[str, Any]]:
    """Return the questions of *thread* that may be answered still, by turn."""
    rows = await database.run(
        "SELECT id, asked, question FROM turns WHERE thread = ? AND asked IS NOT NULL AND ended_at > ?",
        thread,
        time.time() - VALID,
    )
    questions = {turn: (asked, loads(question)) for turn, asked, question in rows}
    return {turn: question for turn, (asked, question) in questions.items() if asked == question["id"]}


def _parked(rows: Sequence[Row]) -> Parked | None:
    if not rows:
        return None
    turn, thread, goal, question, piped, own = rows[0]
    return Parked(turn, thread, goal, loads(question), piped, own == 1)
