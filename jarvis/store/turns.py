"""Reads turns again: for the turns after them, for who answers a question later, for threads and why."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from json import loads
from typing import Any, NamedTuple

from ..actions.base import OPEN_SITE
from ..core.errors import UsageError
from ..core.events import question_in
from ..core.types import OFFER, Outcome, Plan, Step, Turn
from ..policy.questions import read_answer
from .addresses import offers_in_rows, tables_in
from .database import Database, Row, Statement

VALID = 86_400.0  # seconds for which a question may be answered: later, nobody knows what it was about


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
    asks: str = ""  # the open question's id, followed by the id of the process that took it
    started_at: float = 0.0  # seconds since the epoch
    ended_at: float | None = None
    tables: bytes | None = None  # as `kept_tables` wrote them
    is_private: bool = False  # whether it read what is the person's own: a search that follows is asked about
    is_own: bool = False  # whether goal is the person's own words alone, and they were said here
    intent: tuple[str, ...] | None = None  # the parts of what they asked for; None: none was read
    usage: Mapping[str, Any] | None = None  # None: it came to no end of its own
    question: Mapping[str, Any] | None = None  # that nobody could answer, as `History.end` was given it
    steps: Sequence[Step] = ()

    @property
    def did(self) -> str:
        """The outcomes of its steps, one per line."""
        return "\n".join(step.outcome.text for step in self.steps)

    @property
    def text(self) -> str:
        """All that was said, asked and done, in small letters, for who searches for words of it."""
        return "\n".join((self.goal, self.material, self.reply, self.did)).casefold()

    @property
    def waits(self) -> Mapping[str, Any] | None:
        """Its question, if that may be answered still."""
        is_taken, is_void = " " in self.asks, (self.ended_at or 0.0) <= time.time() - VALID
        return self.question if self.asks and not (is_taken or is_void) else None

    @property
    def step(self) -> int:
        """The number of the step that its question is about."""
        return int((self.question or {}).get("step", 1))


_TURNS = (
    "SELECT id, thread, n, goal, piped, status, reply, COALESCE(error, ''), COALESCE(asked, ''),"
    " started_at, ended_at, {tables}, private, own, intent, usage, question FROM turns"
)
_STEPS = "SELECT turn, steps.n, action, arguments, target, state, outcome, rule, part, why, ends FROM steps"


def turns_in(rows: Sequence[Row], steps: Sequence[Row] = ()) -> list[PastTurn]:
    """Return the turns in *rows*, with those of *steps* that are theirs, as _TURNS and _STEPS have them."""
    found: dict[str, list[Step]] = {}
    for turn, n, action, arguments, target, state, outcome, rule, part, why, ends in steps:
        plan = Plan(action, loads(arguments), finish=ends == 1, text=why)
        step = Step(n, plan, Outcome(state, outcome, target, rule=rule, part=part))
        found.setdefault(turn, []).append(step)
    return [
        PastTurn._make(
            [*row, private == 1, own == 1, *map(_read, (intent, usage, question)), found.get(row[0], ())]
        )
        for *row, private, own, intent, usage, question in rows
    ]


def _read(text: str | None) -> Any:
    """Return stored JSON, with lists made immutable."""
    read = loads(text) if text else None
    return tuple(read) if isinstance(read, list) else read


async def past_turns(database: Database, where: str, *arguments: object) -> list[PastTurn]:
    """Return the turns that match *where*, oldest first, with their steps and tables."""
    of_turns = f"WHERE turn IN (SELECT id FROM turns WHERE {where}) ORDER BY turn, steps.n"
    rows, steps = await database.run_all(
        (f"{_TURNS.format(tables='tables')} WHERE {where} ORDER BY n", *arguments),
        (f"{_STEPS} {of_turns}", *arguments),
    )
    return turns_in(rows, steps)


async def find_turn(database: Database, turn: str) -> PastTurn | None:
    """Return the turn with that id, or None."""
    return next(iter(await past_turns(database, "id = ?", turn)), None)


def finding_before(turn: Turn, most: int) -> tuple[Statement, Statement]:
    """Return the SQL that finds the last turns before *turn*, up to *most*, and their steps."""
    window = (turn.thread, turn.n - most, turn.n)
    where = "thread = ? AND turns.n >= ? AND turns.n < ?"
    return (
        (f"{_TURNS.format(tables='NULL')} WHERE {where} AND status != 'open' ORDER BY n", *window),
        (f"{_STEPS} JOIN turns ON turns.id = turn WHERE {where} ORDER BY turns.n, steps.n", *window),
    )


# Where it asks something that nobody could answer then.


async def find_asking(database: Database, question: str) -> PastTurn:
    """Return the turn that asks the question with that id, even if it was taken. Raises UsageError."""
    taken = f"{question} "  # how it begins once somebody took it
    where = "asked = ? OR SUBSTR(asked, 1, ?) = ?"
    for turn in await past_turns(database, where, question, len(taken), taken):
        return turn
    raise _no_question(question)


async def take_answered(database: Database, answer: str, *, again: bool = False) -> PastTurn:
    """Take the question of *answer* (ID=OPTION), so that it is answered once. Returns its turn.

    again: a process that died took it already. Raises UsageError, with the question left as it was, if this
    answer doesn't fit.
    """
    id_, _, choice = answer.partition("=")
    turn = await find_asking(database, id_)
    if again and turn.asks != id_:
        return turn
    if not turn.waits or (question := question_in(turn.waits)).is_over:
        raise _no_question(id_)
    options = [option.id for option in question.options]
    if read_answer(question, choice).option not in options:
        message = f"{id_} is answered by one of: {', '.join(options)}."
        raise UsageError(message, hint=f"jarvis --answer {id_}={options[0]}")
    if not await take_question(database, turn):
        raise _no_question(id_)
    return turn


async def take_question(database: Database, turn: PastTurn) -> bool:
    """Take the question of *turn*, which then continues. Returns False if another process was faster."""
    ours = f"{turn.asks} {os.urandom(8).hex()}"  # by which it is known again, if this is repeated
    take = "UPDATE turns SET asked = ?, status = 'open', ended_at = NULL, confirmed = 0"
    take += " WHERE id = ? AND asked IN (?, ?) RETURNING id"
    return bool(await database.run(take, ours, turn.id, turn.asks, ours))


def _no_question(id_: str) -> UsageError:
    message = f"There is no open question {id_}: it was answered, asked too long ago, or never asked."
    return UsageError(message, hint="Ask again.")


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


async def turn_with_reasons(
    database: Database, thread: str, which: str = ""
) -> tuple[PastTurn, list[Reason]]:
    """Return a turn of *thread* and its steps: the last one, or *which* by number or id.

    Raises UsageError if there is no such turn.
    """
    turn = await _turn(database, thread, which)
    queries = [(_ORIGIN, turn.thread, step.outcome.value, turn.n, step.n) for step in turn.steps]
    moments, *origins = await database.run_all(
        ("SELECT started_at, ended_at FROM steps WHERE turn = ? ORDER BY n", turn.id), *queries
    )
    return turn, [
        Reason(step, began, end, _origin(step, rows) or await _origin_of_offer(database, turn.thread, step))
        for step, (began, end), rows in zip(turn.steps, moments, origins, strict=True)
    ]


async def _turn(database: Database, thread: str, which: str) -> PastTurn:
    last = "thread = ? AND n = (SELECT MAX(n) FROM turns WHERE thread = ?)", thread, thread
    number = int(which) if which.isdecimal() and len(which) < 10 else 0  # ids have more digits
    where, *values = ("id = ? OR (thread = ? AND n = ?)", which, thread, number) if which else last
    if found := await past_turns(database, where, *values):
        return found[0]
    message = (
        f"There is no request {which} in this conversation."
        if which
        else "There is no request in this conversation yet."
    )
    raise UsageError(message, hint="jarvis threads list")


def _origin(step: Step, rows: Iterable[Row]) -> Origin | None:
    """Return where the address in *step* came from. rows: the candidates, as in _ORIGIN."""
    values, is_site = step.plan.arguments.values(), step.plan.action == OPEN_SITE
    for *address, arguments, place in (row for row in rows if is_site or row[0] in values):
        return Origin._make([*address, loads(arguments or "{}").get("query", ""), place])
    return None


async def _origin_of_offer(database: Database, thread: str, step: Step) -> Origin | None:
    """Return where the offer that *step* opens is from: the first of the tables that had it."""
    ids = [each for each in step.plan.arguments.values() if isinstance(each, str) and each[:1] == OFFER]
    for turn in await past_turns(database, "thread = ? AND tables IS NOT NULL", thread) if ids else ():
        for place, offer in enumerate(offers_in_rows(tables_in(turn.tables)).values(), 1):
            if offer.id in ids and offer.url == step.outcome.value:
                return Origin(*offer[:3], offer.source, "", turn.n, turn.goal, "", place)
    return None
