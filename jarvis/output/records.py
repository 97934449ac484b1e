"""Tells programs: one JSON object when all is over, or a record a line as it happens."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..core.errors import Interrupted, JarvisError, Terminated
from ..core.events import (
    SCHEMA,
    Event,
    Notice,
    Replied,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    UnknownStep,
    record,
)
from ..core.text import clean
from .screen import Surface, as_typed_at, fitted, show_failure

# The object of the contract where there is no turn.
_NOTHING: Mapping[str, Any] = {
    "schema": SCHEMA,
    "status": "failed",
    **dict.fromkeys(("thread", "turn", "goal")),
    "reply": "",
    "steps": [],
    "sources": [],
    "tables": [],
    **dict.fromkeys(("result", "intent")),
    "unverified": [],
    **dict.fromkeys(("unkept", "question")),
    "usage": {
        **dict.fromkeys(
            ("model_calls", "searches", "input_tokens", "output_tokens", "seconds", "credits"), 0
        ),
        "searches_left": None,
    },
}


def dumped(value: Any) -> str:
    """Return *value* as JSON in which characters that would steer a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r"[^ -~]", lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def show(screen: Surface, record: object, *lines: str, as_json: bool) -> None:
    """Print *record* for a program that wants JSON, else *lines*, for a person too."""
    if as_json:
        screen.out(dumped(record))
    elif lines:
        told = "\n".join(as_typed_at(screen, line) for line in lines)
        screen.out(fitted(told, screen))  # at once: there may be thousands


def show_error(screen: Surface, error: JarvisError, *, as_json: bool, as_records: bool) -> int:
    """Tell an error that kept a turn from beginning; return its exit status."""
    failed = TurnFailed(error.code, error.message, error.hint)
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    whole: dict[str, Any] = {**_NOTHING, "status": status, "error": failed._asdict()}
    if as_json:
        screen.out(dumped(whole))
    elif as_records:
        for event in (failed, TurnEnded(status, error.exit_status, whole)):
            screen.out(dumped(record(event, "", "")))
    else:
        show_failure(screen, error.message, error.hint)
    return error.exit_status


class ObjectTeller:
    """Tells one JSON object, when the turn has ended."""

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self._notices: list[str] = []  # that the person must know

    def tell(self, event: Event) -> None:
        match event:
            case UnknownStep():
                self._screen.err(clean(event.text))
            case Replied(note=str(note)) if note:
                self._screen.err(clean(note))
            case Notice(text, must_know=True):
                self._notices.append(text)
            case TurnEnded(summary=summary):
                self._screen.out(dumped({**summary, "notices": self._notices}))


class RecordTeller:
    """Tells one JSON record a line, as it happens."""

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self._thread = self._turn = ""

    def tell(self, event: Event) -> None:
        if isinstance(event, TurnStarted):
            self._thread, self._turn = event.thread, event.turn
        if (line := record(event, self._thread, self._turn)) is not None:
            self._screen.out(dumped(line))
