"""A whole turn as one object: what --json prints, and what is told in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .actions.base import Action
from .events import SCHEMA, Failed, Source
from .store.history import Turn
from .turn import Step


class Ending(NamedTuple):
    status: str
    reply: str
    error: Failed | None
    seconds: float


def told(steps: Sequence[Step], actions: Mapping[str, Action], reply: str) -> str:
    """What happened, from the outcomes; then the model's words. Searches that worked go without saying."""
    lines = [step.outcome for step in steps if step.state != "done" or actions[step.action].effect != "reads"]
    return "\n".join([*lines, reply] if reply else lines)


def listed(sources: Sequence[Mapping[str, str]]) -> tuple[Source, ...]:
    return tuple(Source(s["id"], s["title"], s["url"]) for s in sources)


def summary(
    turn: Turn, goal: str, state: Mapping[str, Any], ending: Ending, actions: Mapping[str, Action]
) -> dict[str, Any]:
    """The object of the contract. *state* is the graph's, or one of the same shape."""
    steps = [Step(**record) for record in state.get("steps", [])]
    tokens = state.get("tokens") or (0, 0)
    error = ending.error or _error_of(steps, ending.status)
    return {
        "schema": SCHEMA,
        "status": ending.status,
        "thread": turn.thread,
        "turn": turn.id,
        "goal": goal,
        "reply": told(steps, actions, ending.reply),
        "steps": [_step(step) for step in steps],
        "sources": [source._asdict() for source in listed(state.get("sources", []))],
        "question": None,
        "usage": {
            "model_calls": state.get("calls", 0),
            "searches": sum(step.action == "search" for step in steps),
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "seconds": round(ending.seconds, 3),
        },
        "error": error._asdict() if error else None,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "n": step.n,
        "action": step.action,
        "arguments": dict(step.arguments),
        "state": step.state,
        "outcome": step.outcome,
    }


def _error_of(steps: Sequence[Step], status: str) -> Failed | None:
    """The step that the turn failed by."""
    if status == "done":
        return None
    worst = next((step for step in reversed(steps) if step.state not in ("done", "started")), None)
    return Failed(worst.code or worst.state, worst.outcome, worst.hint) if worst else None
