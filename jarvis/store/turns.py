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
from ..core.errors import JarvisError, UsageError
from ..core.events import UnknownStep
from ..core.types import OFFER, Address, Outcome, Performed, Plan, Request, Step, Turn, unknown
from .addresses import keep_found, offers_in_rows, tables_in
from .database import Database, Lock, Row, Statement, Transaction

VALID = 86_400.0  # seconds for which a question may be answered: later, nobody knows what it was about
_WINDOW = 20  # turns the model sees: a question and an answer each
_BLOCK = 10  # it shrinks by this many at once, so that its beginning seldom changes


class Journal:
    """Writes the steps of a turn down. What history can't take now goes along with what is written next."""

    def __init__(self, database: Database, turn: Turn) -> None:
        self.turn = turn
        self.unwritten: list[Statement] = []
        self._database = database

    def note_intent(self, parts: Sequence[str] | None) -> None:
        """Have *parts*, as what the person asked for, written down with the next step; None: nothing."""
        if parts is not None:
            write = "UPDATE turns SET intent = ? WHERE id = ?"
            self.unwritten.append((write, written_intent(parts), self.turn.id))

    async def start(self, request: Request, plan: Plan) -> None:
        """Write down that *request* is about to be done. Raises StoreFailed: then it must not be done."""
        begun = Outcome("started", "", request.effect.target, rule=request.rule)
        self.unwritten.append(keeping(self.turn, Step(request.n, plan, begun)))
        try:
            await self.flush()
        except BaseException:  # that it began may be written all the same, without an answer
            self.unwritten.append(("DELETE FROM steps WHERE turn = ? AND n = ?", self.turn.id, request.n))
            raise

    async def finish(self, step: Step, opened: str = "") -> None:
        """Write down what came of a step that was started. opened: the id of what it opens."""
        await self._write(*ended(self.turn, step.n, step.outcome, opened))

    async def keep(self, step: Step) -> None:
        """Write down a step that needed no desktop."""
        await self._write(keeping(self.turn, step))

    async def keep_found(self, step: Step, known: Sequence[Address]) -> tuple[Address, ...]:
        """Write down a step that looked something up. Return what it found, each under its id.

        known: what has an id already. Raises StoreFailed.
        """
        statements = [*self.unwritten, keeping(self.turn, step)]

        async def write(transaction: Transaction) -> tuple[Address, ...]:
            found = await keep_found(transaction, self.turn, step.n, step.outcome.found, known)
            await transaction.send(*statements)
            return found

        found = await self._database.atomically(write)
        self.unwritten = []
        return found

    def noting(self, step: Step, said: str) -> Statement:
        """Return what adds *said* to why *step* was planned."""
        why = f"{step.plan.text} {said}".lstrip()
        return ("UPDATE steps SET why = ? WHERE turn = ? AND n = ?", why, self.turn.id, step.n)

    async def _write(self, *statements: Statement) -> None:
        self.unwritten += statements
        with suppress(JarvisError):  # the next step begins with it, or the turn ends with it
            await self.flush()

    async def flush(self) -> None:
        """Write down what was not taken before. Raises StoreFailed."""
        if self.unwritten:
            await self._database.run_all(*self.unwritten)
            self.unwritten = []


def written_intent(parts: Sequence[str] | None) -> str | None:
    """Return the parts of an intent as they are kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)


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


# Read again.


class PastTurn(NamedTuple):
    """A turn as its row has it."""

    id: str = ""
    thread: str = ""
    n: int = 0
    goal: str = ""
    material: str = ""  # what was piped in besides
    status: str = "open"
    reply: str = ""
    error: str = ""  # "code: message"; empty: none
    asked: str = ""  # the id of its question, while it waits; behind that who took it
    shown: str = ""  # the ids that it listed, as JSON
    started_at: float = 0.0  # seconds since the epoch
    ended_at: float | None = None
    tables: bytes | None = None  # as `kept_tables` wrote them
    is_own: bool = False  # whether goal is the person's own words alone, and they were said here
    intent: tuple[str, ...] | None = None  # the parts of what they asked for; None: none was read
    usage: Mapping[str, Any] | None = None  # None: it came to no end of its own
    question: Mapping[str, Any] | None = None  # that nobody could answer, as `History.end` was given it
    steps: Sequence[Step] = ()

    @property
    def did(self) -> str:
        """What came of its steps, a line each."""
        return "\n".join(step.outcome.text for step in self.steps)

    @property
    def text(self) -> str:
        """All that was said, asked and done, in small letters, for who searches for words of it."""
        return "\n".join((self.goal, self.material, self.reply, self.did)).casefold()

    @property
    def listed(self) -> tuple[Row, ...]:
        """What it listed, as `Addresses.listed_in` takes it."""
        return ((self.shown, self.tables),) if self.shown else ()

    @property
    def is_void(self) -> bool:
        """Whether its question was asked so long ago that nobody knows what it was about."""
        return (self.ended_at or 0.0) <= time.time() - VALID

    @property
    def waits(self) -> Mapping[str, Any] | None:
        """Its question, if that may be answered still."""
        is_taken = " " in self.asked
        return self.question if self.asked and not (is_taken or self.is_void) else None

    @property
    def step(self) -> int:
        """The number of the step that its question is about."""
        return int((self.question or {}).get("step", 1))


_TURNS = (
    "SELECT id, thread, n, goal, piped, status, reply, COALESCE(error, ''), COALESCE(asked, ''),"
    " COALESCE(shown, ''), started_at, ended_at, {tables}, own, intent, usage, question FROM turns"
)
_STEPS = "SELECT turn, steps.n, action, arguments, target, state, outcome, rule, why FROM steps"


def turns_in(rows: Sequence[Row], steps: Sequence[Row] = ()) -> list[PastTurn]:
    """Return the turns in *rows*, with those of *steps* that are theirs, as _TURNS and _STEPS have them."""
    found: dict[str, list[Step]] = {}
    for turn, n, action, arguments, target, state, outcome, rule, why in steps:
        plan = Plan(action, loads(arguments), text=why)
        step = Step(n, plan, Outcome(state, outcome, target, rule=rule))
        found.setdefault(turn, []).append(step)
    return [
        PastTurn._make([*row, own == 1, *map(_read, (intent, usage, question)), found.get(row[0], ())])
        for *row, own, intent, usage, question in rows
    ]


def _read(text: str | None) -> Any:
    """Return what was written down as JSON; a list cannot be changed any more."""
    read = loads(text) if text else None
    return tuple(read) if isinstance(read, list) else read


async def past_turns(database: Database, where: str, *arguments: object) -> list[PastTurn]:
    """Return the turns of which *where* holds, oldest first, with their steps and tables."""
    of_turns = f"WHERE turn IN (SELECT id FROM turns WHERE {where}) ORDER BY turn, steps.n"
    rows, steps = await database.run_all(
        (f"{_TURNS.format(tables='tables')} WHERE {where} ORDER BY n", *arguments),
        (f"{_STEPS} {of_turns}", *arguments),
    )
    return turns_in(rows, steps)


async def find_turn(database: Database, turn: str) -> PastTurn | None:
    """Return the turn of that id; None where history has none."""
    return next(iter(await past_turns(database, "id = ?", turn)), None)


def finding_before(turn: Turn) -> tuple[Statement, Statement]:
    """Return what finds the turns before *turn* that the model sees, 11 to 20 of them, and their steps."""
    before = turn.n - 1
    size = before if before <= _WINDOW else _WINDOW - _BLOCK + 1 + (before - _WINDOW - 1) % _BLOCK
    window = (turn.thread, turn.n - size, turn.n)
    where = "thread = ? AND turns.n >= ? AND turns.n < ?"
    return (
        (f"{_TURNS.format(tables='NULL')} WHERE {where} AND status != 'open' ORDER BY n", *window),
        (f"{_STEPS} JOIN turns ON turns.id = turn WHERE {where} ORDER BY turns.n, steps.n", *window),
    )


# Where a crash left it open, or another brain was at it.

# By an expression: by its bare name SQLite would go through all turns of a thread, not the few steps.
_UNREPORTED = (
    "SELECT thread, turn, steps.n, action, target FROM steps JOIN turns ON turns.id = turn"
    " WHERE untold = 1 AND thread || '' = ? ORDER BY turns.n, steps.n"
)


async def close_left(database: Database, thread: str, but: str = "") -> list[UnknownStep]:
    """Close the turns that a crash left open in *thread*, whose lock the caller holds, but for one.

    Return the steps of which nobody has heard yet that it is not known whether they happened.
    """
    left = "SELECT id FROM turns WHERE thread = ? AND status = 'open' AND id != ?"
    rows, unreported = await database.run_all((left, thread, but), (_UNREPORTED, thread))
    if rows:
        await database.atomically(lambda transaction: _close(transaction, [row[0] for row in rows]))
        unreported = await database.run(_UNREPORTED, thread)
    return [UnknownStep(*row) for row in unreported]


async def _close(transaction: Transaction, turns: Iterable[str]) -> None:
    close = "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ? AND status = 'open'"
    find = "SELECT n, action, target FROM steps WHERE turn = ? AND state = 'started'"
    for turn in turns:
        _, started = await transaction.run_all((close, time.time(), turn), (find, turn))
        for n, action, target in started:
            known = catalogue().get(action)
            outcome = known.cut_off(target) if known else unknown(action, target)
            await transaction.send(*ended(Turn(turn, "", 0, ()), n, outcome, ""))


async def settle(database: Database, thread: str, lock: Lock) -> list[UnknownStep]:
    """Do as `close_left` does, unless somebody is at work in *thread*, and so holds its *lock*."""
    if not await lock.take():
        return []
    try:
        return await close_left(database, thread)
    finally:
        await lock.release()


async def note_reported(database: Database, steps: Iterable[tuple[str, int]]) -> None:
    """Write down that the person was shown what is not known of *steps*, each as (turn, number)."""
    note = "UPDATE steps SET untold = 0 WHERE turn = ? AND n = ?"
    await database.run_all(*((note, *step) for step in steps))


def reopening(turn: str) -> Statement:
    """Return what has *turn* go on, which was closed for now."""
    return "UPDATE turns SET status = 'open', ended_at = NULL WHERE id = ?", turn


async def go_on(database: Database, left: PastTurn, steps: Sequence[Step], did: Sequence[Performed]) -> None:
    """Have the turn *left* go on, with *steps* as all that happened in it, of which the desktop *did* some.

    What else is written as begun did not happen: nobody's hands were told to.
    """
    turn, performed = Turn(left.id, left.thread, left.n, ()), {each.n for each in did}
    last = max((step.n for step in steps), default=0)
    statements = [reopening(turn.id)]
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


async def find_asking(database: Database, question: str) -> PastTurn | None:
    """Return the turn that asks the question of that id, whoever took it; None: none does."""
    taken = f"{question} "  # how it begins once somebody took it
    where = "asked = ? OR SUBSTR(asked, 1, ?) = ?"
    return next(iter(await past_turns(database, where, question, len(taken), taken)), None)


async def take_question(database: Database, turn: PastTurn) -> bool:
    """Take the question of *turn*, which goes on; return whether nobody was quicker."""
    ours = f"{turn.asked} {os.urandom(8).hex()}"  # by which it is known again, if this is repeated
    take = "UPDATE turns SET asked = ?, status = 'open', ended_at = NULL"
    take += " WHERE id = ? AND asked IN (?, ?) RETURNING id"
    return bool(await database.run(take, ours, turn.id, turn.asked, ours))


# Why its steps were taken: the reason given, the words or the search behind each, the rule.


class Origin(NamedTuple):
    """Where the address of a step is known from."""

    id: str
    url: str
    title: str
    source: str  # typed | piped | found | site | alias
    official: str  # why it is the official one; empty: it isn't
    turn: int  # the number of the turn whose words or whose search it was
    words: str  # of that turn; what was piped in, where it stood in that
    query: str = ""  # of the search; empty: it is a row of a table
    place: int = 0  # in its results, from 1; 0: unknown


class Reason(NamedTuple):
    """One step, and why it was taken."""

    step: Step
    started_at: float  # seconds since the epoch
    ended_at: float | None
    origin: Origin | None  # None: it opens nothing, or a search that came later found that anew


# Of an address known before a step: with the words of the turn that it is known from, and its search.
_ORIGIN = (
    "SELECT a.id, a.url, a.title, a.source, a.official, a.turn,"
    " CASE WHEN a.source = 'piped' AND t.piped != '' THEN t.piped ELSE t.goal END, found.arguments, a.place"
    " FROM addresses a JOIN turns t ON t.thread = a.thread AND t.n = a.turn"
    " LEFT JOIN steps found ON found.turn = t.id AND found.n = a.step"
    " WHERE a.thread = ? AND a.url = ? AND (a.turn, a.step) < (?, ?)"
)


async def explained(database: Database, thread: str, which: str = "") -> tuple[PastTurn, list[Reason]]:
    """Return the last turn of *thread*, or the one that *which* names by its number or id; and its steps.

    Raises UsageError where there is no such turn.
    """
    turn = await _turn(database, thread, which)
    asked = [(_ORIGIN, turn.thread, step.outcome.value, turn.n, step.n) for step in turn.steps]
    moments, *known = await database.run_all(
        ("SELECT started_at, ended_at FROM steps WHERE turn = ? ORDER BY n", turn.id), *asked
    )
    return turn, [
        Reason(step, began, end, _origin(step, rows) or await _origin_of_offer(database, turn.thread, step))
        for step, (began, end), rows in zip(turn.steps, moments, known, strict=True)
    ]


async def _turn(database: Database, thread: str, which: str) -> PastTurn:
    last = "thread = ? AND n = (SELECT MAX(n) FROM turns WHERE thread = ?)", thread, thread
    number = int(which) if which.isdecimal() and len(which) < 10 else 0  # ids have more digits
    where, *values = ("id = ? OR (thread = ? AND n = ?)", which, thread, number) if which else last
    if found := await past_turns(database, where, *values):
        return found[0]
    told = f"There is no turn {which}".rstrip()
    raise UsageError(f"{told} in the thread {thread}.", hint="jarvis threads list")


def _origin(step: Step, rows: Iterable[Row]) -> Origin | None:
    """Return where the address that *step* names is from; rows: those that it may be, as _ORIGIN has them."""
    named = step.plan.arguments.values()
    for *address, arguments, place in (row for row in rows if row[0] in named):
        return Origin._make([*address, loads(arguments or "{}").get("query", ""), place])
    return None


async def _origin_of_offer(database: Database, thread: str, step: Step) -> Origin | None:
    """Return where the offer that *step* opens is from: the first of the tables that had it."""
    named = [each for each in step.plan.arguments.values() if isinstance(each, str) and each[:1] == OFFER]
    for turn in await past_turns(database, "thread = ? AND tables IS NOT NULL", thread) if named else ():
        for place, offer in enumerate(offers_in_rows(tables_in(turn.tables)).values(), 1):
            if offer.id in named and offer.url == step.outcome.value:
                return Origin(*offer[:3], offer.source, "", turn.n, turn.goal, "", place)
    return None
