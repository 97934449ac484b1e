"""Writes a turn for programs: one JSON object at the end, or a record a line as it happens."""

import json
import re
from contextlib import suppress
from typing import Any

from ..core import events
from ..core.events import SCHEMA, Event, Tell
from ..core.text import clean
from ..core.types import ActionRequest
from .screen import Screen, as_typed_at, fitted


def dumped(value: Any) -> str:
    """Return *value* as JSON. Characters that would steer a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r"[^ -~]", lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def json_in(line: str) -> Any:
    """Return the record in *line*, or None if it isn't JSON."""
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None


def show(screen: Screen, record: object, *lines: str, as_json: bool, none: str = "") -> None:
    """Print *record* as JSON, or *lines*. Without lines, print *none* to stderr."""
    if as_json:
        screen.out(dumped(record))
    elif lines:
        text = "\n".join(as_typed_at(screen, line) for line in lines)
        screen.out(fitted(text, screen))  # at once: there may be thousands
    elif none:
        screen.err(none)


def object_teller(screen: Screen) -> Tell:
    """Return a listener that prints one JSON object when the turn has ended."""
    notices: list[str] = []  # that the person must know

    def tell(event: Event) -> None:
        match event:
            case events.Unreported(text=text):
                screen.err(clean(text))
                notices.append(text)
            case events.Replied(note=str(note)) if note:
                screen.err(clean(note))
            case events.Notice(text, must_know=True):
                notices.append(text)
            case events.TurnEnded(summary=summary):
                screen.out(dumped({**summary, "notices": notices}))

    return tell


def record_teller(screen: Screen) -> Tell:
    """Return a listener that prints one JSON record a line, as it happens."""
    thread = turn = ""

    def tell(event: Event) -> None:
        nonlocal thread, turn
        if isinstance(event, events.TurnStarted):
            thread, turn = event.thread, event.turn
        if (line := record(event, thread, turn)) is not None:
            screen.out(dumped(line))

    return tell


def record(event: Event, thread: str, turn: str) -> dict[str, object] | None:
    """Return *event* as a record of --ndjson, or None if only people see it."""
    body: dict[str, object]
    match event:
        case events.TurnStarted(_, _, goal):
            name, body = "turn_started", {"goal": goal}
        case events.Unreported(thread, turn, n, action, target, state):
            name, body = "outcome", {"n": n, "action": action, "target": target}
            more = {"code": "" if state == "done" else state, "exit_status": int(state != "done")}
            body = {**body, "state": state, "outcome": event.text, **more}
        case events.Planned(n, plan, effect, target):  # `origin` is for people
            name, body = "planned", {"n": n, **plan._asdict(), "effect": effect, "target": target}
        case events.QuestionAsked(n, question):
            name, body = "asked", {"n": n, "question": question.as_record()}
        case ActionRequest() as request:
            name, body = "acting", request.as_record()
        case events.StepFinished(n, action, effect, outcome):
            more = {name: getattr(outcome, name) for name in ("value", "code", "hint", "exit_status")}
            head = {"n": n, "action": action, "effect": effect}
            name, body = "outcome", {**head, "state": outcome.state, "outcome": outcome.text, **more}
        case events.TableShown(table, first):
            name, body = "table", {"table": table.as_record(first)}
        case events.ReplyDelta(text):
            name, body = "reply_delta", {"text": text}
        case events.Replied():
            sources = [source._asdict() for source in event.sources]
            name, body = "replied", {**event._asdict(), "sources": sources}
        case events.TurnFailed():
            name, body = "failed", event._asdict()
        case events.TurnEnded():
            name, body = "turn_ended", event._asdict()
        case events.Notice(text, must_know=True):
            name, body = "notice", {"text": text}
        case events.Notice() | events.Waiting():
            return None
    return {"schema": SCHEMA, "event": name, "thread": thread, "turn": turn, **body}
