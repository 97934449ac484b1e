"""A turn, told in the end: on a pipe, as JSON, or by a plain command. Without a heavy import."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.errors import Interrupted, JarvisError, Terminated
from ..core.events import (
    SCHEMA,
    Acting,
    Event,
    Observed,
    Replied,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
    record,
)
from ..core.stdlib import Any, Protocol
from ..core.text import clean, one_line
from ..core.types import Options, Outcome
from ..core.urls import host_of
from .screen import Surface


class Teller(Protocol):
    """Is told what happens, and tells the person or the program."""

    streams: bool  # whether it shows a reply while it is being written

    def tell(self, event: Event) -> None: ...


class InTheEnd:
    """Tells what happened once the turn has ended: for pipes and for plain commands.

    On a pipe an opening that worked is told as its address alone; what did not work, in words, and on
    stderr where there is better to carry.
    """

    streams = False

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self._observed: list[Observed] = []
        self._replied = Replied("")

    def tell(self, event: Event) -> None:
        match event:
            case Unsure():
                self._screen.err(clean(event.text))
            case Acting(request):
                # A browser may take seconds to say that it starts.
                self._screen.passing(f"{request.effect.target} …")
            case Observed() if not event.goes_without_saying:
                self._observed.append(event)
            case Replied():
                self._replied = event
            case TurnEnded(status):
                self._end(status)
            case TurnFailed(_, message, hint):
                show_failure(self._screen, message, hint)

    def _end(self, status: str) -> None:
        for observed in self._observed:
            self._tell_outcome(observed.outcome, aside=status == "done" or self._is_beside(observed))
        if self._replied.note:
            self._screen.err(clean(self._replied.note))
        if self._replied.text:
            self._screen.out(clean(self._replied.text))
        if hosts := told_unverified(self._replied):
            self._screen.err(hosts)
        if self._replied.sources:
            self._screen.out("")
        for number, source in enumerate(self._replied.sources, 1):
            title = one_line(source.title, 80) or "(no title)"
            self._screen.out(f"[{number}] {title}  {clean(source.url)}")

    def _is_beside(self, observed: Observed) -> bool:
        """Whether a pipe has better to carry than what did not work.

        A reply is better than a failed search only: of anything else it may claim what did not happen.
        """
        if self._screen.out_tty:
            return False
        has_reply = observed.effect == "reads" and bool(self._replied.text)
        return has_reply or any(each.outcome.is_good for each in self._observed)

    def _tell_outcome(self, outcome: Outcome, *, aside: bool) -> None:
        text = clean(outcome.text)
        if outcome.state == "done":
            self._screen.out(text if self._screen.out_tty else clean(outcome.value) or text)
        elif outcome.is_good or not aside:
            self._screen.out(text)
        else:
            self._screen.err(text)
        show_hint(self._screen, outcome.hint)


class ObjectTeller:
    """One JSON object, when the turn has ended."""

    streams = False

    def __init__(self, screen: Surface) -> None:
        self._screen = screen

    def tell(self, event: Event) -> None:
        if isinstance(event, Unsure):
            self._screen.err(clean(event.text))
        elif isinstance(event, Replied) and event.note:
            self._screen.err(clean(event.note))
        elif isinstance(event, TurnEnded):
            self._screen.out(dumped(event.summary))


class RecordTeller:
    """One JSON record a line, as it happens."""

    streams = True

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self._thread = self._turn = ""

    def tell(self, event: Event) -> None:
        if isinstance(event, TurnStarted):
            self._thread, self._turn = event.thread, event.turn
        if (line := record(event, self._thread, self._turn)) is not None:
            self._screen.out(dumped(line))


def machine_teller(options: Options, screen: Surface) -> Teller | None:
    """For a program that asked for records; None for people."""
    if options.ndjson:
        return RecordTeller(screen)
    return ObjectTeller(screen) if options.json else None


def told_unverified(replied: Replied) -> str:
    """A line on the hosts in a reply that nothing vouches for; empty: there are none."""
    hosts = ", ".join(dict.fromkeys(host_of(url) for url in replied.unverified))
    return f"Not from your words nor from a search: {clean(hosts)}" if hosts else ""


def show_failure(screen: Surface, message: str, hint: str = "") -> None:
    screen.err(f"jarvis: {one_line(message)}")
    show_hint(screen, hint)


def show_hint(screen: Surface, hint: str) -> None:
    if hint:
        screen.err(f"  hint: {one_line(hint)}")


def show_error(screen: Surface, error: JarvisError, *, as_json: bool, as_records: bool) -> int:
    """Tell an error that kept a turn from beginning; its exit status."""
    failed = TurnFailed(error.code, error.message, error.hint)
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    whole = {**_NOTHING, "status": status, "error": failed._asdict()}
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
    "intent": None,
    "unverified": [],
    "question": None,
    "usage": {"model_calls": 0, "searches": 0, "input_tokens": 0, "output_tokens": 0, "seconds": 0},
    "error": None,
}


def dumped(value: Any) -> str:
    """As JSON that prints: what would steer a terminal is there, but spelt out."""
    # Only JSON to be printed needs them.
    import json
    import re

    def spelt(match: re.Match[str]) -> str:
        return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]

    return re.sub(r"[^ -~]", spelt, json.dumps(value, ensure_ascii=False))
