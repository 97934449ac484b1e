"""What a front end is told while a turn runs. The same records cross a process border."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .turn import Outcome, Plan, Request

SCHEMA = 1


class TurnStarted(NamedTuple):
    thread: str
    turn: str
    goal: str


class Planned(NamedTuple):
    n: int
    plan: Plan
    target: str = ""  # what it acts on, in words: an address instead of its id


class Acting(NamedTuple):
    """The hands are asked to act: the front end answers with an Outcome."""

    request: Request


class Observed(NamedTuple):
    """What came of a step."""

    n: int
    action: str
    outcome: Outcome


class ReplyDelta(NamedTuple):
    """The next piece of a reply that is still being written."""

    text: str


class Source(NamedTuple):
    """An address listed to the person, whose line number is its place in the list."""

    id: str
    title: str
    url: str


class Replied(NamedTuple):
    """The whole reply, accepted, and what it rests on."""

    text: str
    sources: tuple[Source, ...] = ()
    from_memory: bool = False  # a search was wanted and failed


class Failed(NamedTuple):
    """The turn could not be finished."""

    code: str
    message: str
    hint: str


class Notice(NamedTuple):
    """Something to know while waiting. Shown to people, not part of the records."""

    text: str


class TurnEnded(NamedTuple):
    status: str  # done | failed | needs_answer | refused | interrupted
    exit_status: int
    summary: Mapping[str, object]  # the object that --json prints


Event = TurnStarted | Planned | Acting | Observed | ReplyDelta | Replied | Failed | Notice | TurnEnded


def record(event: Event, thread: str, turn: str) -> dict[str, object] | None:
    """*event*, of that turn, as one line of --ndjson; None where it is not for records."""
    head: dict[str, object] = {"schema": SCHEMA, "event": "", "thread": thread, "turn": turn}
    body: dict[str, object]
    match event:
        case TurnStarted(_, _, goal):
            name, body = "turn_started", {"goal": goal}
        case Planned(n, plan, _):
            body = {"n": n, "action": plan.action, "arguments": dict(plan.arguments), "finish": plan.finish}
            name, body = "planned", {**body, "text": plan.text}
        case Acting(request):
            name, body = "acting", {"n": request.n, "action": request.action, "target": request.target}
        case Observed(n, action, outcome):
            body = {"n": n, "action": action, "state": outcome.state, "outcome": outcome.text}
            name, body = "outcome", {**body, "value": outcome.value}
        case ReplyDelta(text):
            name, body = "reply_delta", {"text": text}
        case Replied(text, sources):
            name, body = "replied", {"text": text, "sources": [source._asdict() for source in sources]}
        case Failed():
            name, body = "failed", event._asdict()
        case TurnEnded(status, exit_status, summary):
            name, body = "turn_ended", {"status": status, "exit_status": exit_status, "summary": summary}
        case _:
            return None
    return {**head, "event": name, **body}
