"""The statements that write down a step, and what a turn's words ask for, which goes with its steps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from json import dumps

from ..core.types import Outcome, Step, Turn
from .addresses import marking_opened
from .database import Statement


def written_intent(parts: Sequence[str] | None) -> str | None:
    """Return the parts of an intent as they are kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)


def keeping_intent(turn: Turn, parts: Sequence[str] | None) -> list[Statement]:
    """Return what writes *parts* down as the intent of *turn*; nothing for None."""
    write = "UPDATE turns SET intent = ? WHERE id = ?"
    return [] if parts is None else [(write, written_intent(parts), turn.id)]


def starting(
    turn: Turn, n: int, action: str, arguments: Mapping[str, object], target: str, rule: str, why: str
) -> Statement:
    """Return what writes down that a step is about to be done."""
    return (
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
