"""Explains why a turn's steps were taken: the reason given, the words or the search behind it, the rule."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ..core.errors import UsageError
from ..core.types import OFFER
from .database import Database
from .tables import offers_in
from .turns import PastTurn, past_turns


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


_REASON = "n, action, arguments, target, why, rule, state, outcome, started_at, ended_at"


async def explained(database: Database, thread: str, which: str = "") -> tuple[PastTurn, list[Reason]]:
    """Return the last turn of *thread*, or the one that *which* names: its number, id, or the id's beginning.

    And each of its steps. Raises UsageError where there is no such turn, or more than one.
    """
    turn = await _turn(database, thread, which)
    rows = await database.run(f"SELECT {_REASON} FROM steps WHERE turn = ? ORDER BY n", turn.id)
    steps = [Reason._make([*row[:2], json.loads(row[2]), *row[3:], None]) for row in rows]
    named = {id_ for step in steps for id_ in _named(step)}
    origins = await _origins(database, turn, named)
    for id_ in named:
        if id_.startswith(OFFER) and (origin := await _origin_of_offer(database, turn.thread, id_)):
            origins[id_] = origin, 0
    return turn, [_with_origin(turn, step, origins) for step in steps]


async def _turn(database: Database, thread: str, which: str) -> PastTurn:
    found: list[PastTurn] = []
    if not which:
        last = "(SELECT MAX(n) FROM turns WHERE thread = ?)"
        found = await past_turns(database, f"thread = ? AND n = {last}", thread, thread)
    elif which.isdecimal() and len(which) < 10:  # as many digits as a number of theirs may have
        found = await past_turns(database, "thread = ? AND n = ?", thread, int(which))
    if which and not found:
        found = await past_turns(database, "id >= ? AND id < ?", which, f"{which}g")  # after f comes g
    if len(found) > 1:
        raise UsageError(
            f"The ids of several turns begin with {which}.", hint="Give more characters of the id."
        )
    if not found:
        told = (
            f"turn {which} in the thread {thread}, nor an id that begins so" if which else f"turn in {thread}"
        )
        raise UsageError(f"There is no {told}.", hint="jarvis threads list")
    return found[0]


async def _origins(database: Database, turn: PastTurn, ids: Collection[str]) -> dict[str, tuple[Origin, int]]:
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


async def _origin_of_offer(database: Database, thread: str, id_: str) -> Origin | None:
    """Look through the tables of *thread*, which are packed, from its first turn on."""
    for turn in await past_turns(database, "thread = ? AND tables IS NOT NULL", thread):
        if offer := (offers := offers_in(turn.tables)).get(id_):
            place = [*offers].index(id_) + 1
            return Origin(id_, offer.url, offer.title, "found", "", turn.n, turn.goal, "", place)
    return None


def _with_origin(turn: PastTurn, step: Reason, origins: Mapping[str, tuple[Origin, int]]) -> Reason:
    for id_ in _named(step):
        origin, found_in = origins.get(id_, (None, 0))
        if origin and origin.url == step.target:
            is_later = (origin.turn, found_in) > (turn.n, step.n)
            return step._replace(origin=origin._replace(is_later=is_later))
    return step


def _named(step: Reason) -> list[str]:
    """Return what may be ids of addresses in the arguments of *step*."""
    return [value for value in step.arguments.values() if isinstance(value, str) and len(value) <= 10]
