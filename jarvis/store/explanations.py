"""Explains why a turn's steps were taken: the reason given, the words or the search behind it, the rule."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.errors import UsageError
from ..core.types import OFFER
from .database import Database, Row
from .tables import offers_in


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
    is_later: bool = False  # found before the step too, but that search is no longer known


class Reason(NamedTuple):
    """One step, and why it was taken."""

    n: int
    action: str
    arguments: Mapping[str, Any]
    target: str
    why: str  # the planner's own sentence; empty: none
    rule: str  # that let it pass, or refused it; empty: none
    state: str
    outcome: str
    started_at: float  # seconds since the epoch
    ended_at: float | None
    origin: Origin | None = None


class Explained(NamedTuple):
    """A turn, with its steps."""

    turn: str
    thread: str
    n: int
    goal: str
    status: str  # open: it is under way, or a crash left it so
    started_at: float
    piped: str = ""  # what was piped in besides
    intent: tuple[str, ...] | None = None  # the parts of what they asked for; None: none was read
    steps: Sequence[Reason] = ()


_AT_ONCE = 50  # turns whose tables are looked through
_TURN = "id, thread, n, goal, status, started_at, piped, intent"
_STEP = "n, action, arguments, target, why, rule, state, outcome, started_at, ended_at"


async def explained(database: Database, thread: str, which: str = "") -> Explained:
    """Return the last turn of *thread*, or the one that *which* names: its number, id, or the id's beginning.

    Raises UsageError where there is none, or more than one.
    """
    turn = await _turn(database, thread, which)
    rows = await database.run(f"SELECT {_STEP} FROM steps WHERE turn = ? ORDER BY n", turn.turn)
    steps = [Reason._make([*row[:2], json.loads(row[2]), *row[3:], None]) for row in rows]
    named = {id_ for step in steps for id_ in _named(step)}
    origins = await _origins(database, turn, named)
    for id_ in named:
        if id_.startswith(OFFER) and (origin := await _origin_of_offer(database, turn, id_)):
            origins[id_] = origin, 0
    return turn._replace(steps=[_with_origin(turn, step, origins) for step in steps])


async def _turn(database: Database, thread: str, which: str) -> Explained:
    find, rows = f"SELECT {_TURN} FROM turns WHERE", list[Row]()
    if not which:
        rows = await database.run(f"{find} thread = ? ORDER BY n DESC LIMIT 1", thread)
    elif which.isdecimal() and len(which) < 10:  # as many digits as a number of theirs may have
        rows = await database.run(f"{find} thread = ? AND n = ?", thread, int(which))
    if which and not rows:
        rows = await database.run(f"{find} id >= ? AND id < ? LIMIT 2", which, f"{which}g")  # after f comes g
    if len(rows) > 1:
        raise UsageError(
            f"The ids of several turns begin with {which}.", hint="Give more characters of the id."
        )
    if not rows:
        told = (
            f"turn {which} in the thread {thread}, nor an id that begins so" if which else f"turn in {thread}"
        )
        raise UsageError(f"There is no {told}.", hint="jarvis threads list")
    *turn, intent = rows[0]
    return Explained._make([*turn, None if intent is None else tuple(json.loads(intent)), ()])


async def _origins(
    database: Database, turn: Explained, ids: Collection[str]
) -> dict[str, tuple[Origin, int]]:
    """Return what is known of the addresses *ids*, and in which step of its turn each was found."""
    rows = await database.run(
        "SELECT a.id, a.url, a.title, a.source, a.official, a.turn, COALESCE(CASE WHEN a.source = 'piped'"
        " AND t.piped != '' THEN t.piped ELSE t.goal END, ''), s.arguments,"
        " a.place, a.step FROM addresses a LEFT JOIN turns t ON t.thread = a.thread AND t.n = a.turn"
        " LEFT JOIN steps s ON s.turn = t.id AND s.n = a.step"
        f" WHERE a.thread = ? AND a.id IN ({', '.join(['NULL', *'?' * len(ids)])})",
        turn.thread,
        *ids,
    )
    return {
        row[0]: (Origin._make([*row[:7], json.loads(row[7] or "{}").get("query", ""), row[8], False]), row[9])
        for row in rows
    }


async def _origin_of_offer(database: Database, turn: Explained, id_: str) -> Origin | None:
    """Look through the tables of the thread, which are packed, from its first turn on."""
    after = 0
    while rows := await database.run(
        "SELECT n, goal, tables FROM turns WHERE thread = ? AND n > ? AND tables IS NOT NULL"
        " ORDER BY n LIMIT ?",
        turn.thread,
        after,
        _AT_ONCE,
    ):
        for after, goal, tables in rows:
            if offer := (offers := offers_in(tables)).get(id_):
                place = [*offers].index(id_) + 1
                return Origin(id_, offer.url, offer.title, "found", "", after, goal, "", place)
    return None


def _with_origin(turn: Explained, step: Reason, origins: Mapping[str, tuple[Origin, int]]) -> Reason:
    for id_ in _named(step):
        origin, found_in = origins.get(id_, (None, 0))
        if origin and origin.url == step.target:
            is_later = (origin.turn, found_in) > (turn.n, step.n)
            return step._replace(origin=origin._replace(is_later=is_later))
    return step


def _named(step: Reason) -> list[str]:
    """Return what may be ids of addresses in the arguments of *step*."""
    return [value for value in step.arguments.values() if isinstance(value, str) and len(value) <= 10]
