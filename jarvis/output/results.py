"""What is printed the same way everywhere: JSON, a failure with its hint, hosts that nothing vouches for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import Interrupted, JarvisError, Terminated
from ..core.events import SCHEMA, Replied, TurnEnded, TurnFailed, record
from ..core.text import HINT, clean, one_line
from ..core.urls import host_of

if TYPE_CHECKING:
    from .surface import Surface


def dumped(value: Any) -> str:
    """Return *value* as JSON in which characters that would steer a terminal are escaped."""
    # Only JSON to be printed needs them.
    import json
    import re

    def spelt(match: re.Match[str]) -> str:
        return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]

    return re.sub(r"[^ -~]", spelt, json.dumps(value, ensure_ascii=False))


def told_unverified(replied: Replied) -> str:
    """Return a line on the hosts in a reply that nothing vouches for; empty where there are none."""
    hosts = ", ".join(dict.fromkeys(host_of(url) for url in replied.unverified))
    return f"Not from your words nor from a search: {clean(hosts)}" if hosts else ""


def fitted(text: str, screen: Surface) -> str:
    """Return *text*, which is of few words, in lines that stdout has room for, where it is a terminal."""
    if not screen.out_tty or len(text) <= screen.width // 2:
        return text
    from .lines import broken  # a pipe has no width

    return broken(text, screen.width)


def show_failure(screen: Surface, message: str, hint: str = "") -> None:
    screen.err(f"jarvis: {one_line(message)}")
    show_hint(screen, hint)


def show_hint(screen: Surface, hint: str) -> None:
    if hint:
        screen.err(f"{HINT}{one_line(hint)}")


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


# The object of the contract where there is no turn.
_NOTHING: Mapping[str, Any] = {
    "schema": SCHEMA,
    "status": "failed",
    "thread": None,
    "turn": None,
    "goal": None,
    "reply": "",
    "steps": [],
    "sources": [],
    "tables": [],
    "result": None,
    "intent": None,
    "unverified": [],
    "unkept": None,
    "question": None,
    "usage": {
        "model_calls": 0,
        "searches": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "seconds": 0,
        "credits": 0,
        "searches_left": None,
    },
    "error": None,
}
