"""What was said and done in the earlier turns of a thread, as far as the model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from json import loads
from typing import NamedTuple

from ..core.types import Turn
from .database import Database, Row, Statement

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
