"""The tellers of a turn: of a pipe or a plain command, of a program, and of the log. Imports little."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from ..core.events import (
    Acting,
    Event,
    Notice,
    Observed,
    Planned,
    Replied,
    Tabled,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
    record,
)
from ..core.text import clean, one_line
from ..core.types import Options, Outcome
from ..store.log import Log
from .results import dumped, fitted, show_failure, show_hint, told_unverified

if TYPE_CHECKING:
    from .surface import Surface

_COUNTS = ("seconds", "model_calls", "searches", "input_tokens", "output_tokens", "credits")


class Teller(Protocol):
    """Hears the events of a turn, and tells a person, a program or the log."""

    streams: bool  # whether it shows a reply while it is being written

    def tell(self, event: Event) -> None: ...


class InTheEnd:
    """Tells what happened once the turn has ended: for pipes and for plain commands.

    On a pipe, an opening that worked is told as its address alone. What did not work is told in words, on
    stderr where stdout has something better. Beside CSV all words stand there.
    """

    streams = False

    def __init__(self, screen: Surface, *, as_csv: bool = False, is_quiet: bool = False) -> None:
        self._screen = screen
        self._as_csv = as_csv
        self._is_quiet = is_quiet
        self._say = screen.err if as_csv else screen.out
        self._observed: list[Observed] = []
        self._replied = Replied("")
        self._has_table = False

    def tell(self, event: Event) -> None:
        match event:
            case Unsure():
                self._screen.err(clean(event.text))
            case Acting(request):
                # A browser may take seconds to say that it starts.
                self._screen.passing(f"{request.effect.target} …")
            case Observed(goes_without_saying=True):
                pass
            case Observed():
                self._observed.append(event)
            case Tabled():
                self._show(event)
            case Replied():
                self._replied = event
            case TurnEnded(status):
                self._end(status)
            case TurnFailed(_, message, hint):
                show_failure(self._screen, message, hint)

    def _show(self, tabled: Tabled) -> None:
        from .tabled import show_table  # few turns have tables

        if self._as_csv and self._has_table:
            self._screen.out("")
        show_table(self._screen, tabled, as_csv=self._as_csv, is_quiet=self._is_quiet)
        self._has_table = self._has_table or tabled.first > 0

    def _end(self, status: str) -> None:
        for observed in self._observed:
            self._tell_outcome(observed.outcome, aside=status == "done" or self._is_beside(observed))
        if self._replied.note:
            self._screen.err(clean(self._replied.note))
        if self._replied.text:
            self._say(clean(self._replied.text, tabs=True))
        if self._replied.unverified:
            self._screen.err(told_unverified(self._replied))
        if self._replied.sources:
            self._say("")
        for number, source in enumerate(self._replied.sources, self._replied.first):
            title = one_line(source.title, 80) or "(no title)"
            self._say(f"[{number}] {title}  {clean(source.url)}")

    def _is_beside(self, observed: Observed) -> bool:
        """Return whether a pipe has something better to carry than what did not work.

        A reply is better than a failed search only: of anything else it may claim what did not happen.
        """
        if self._screen.out_tty:
            return False
        has_reply = observed.effect == "reads" and bool(self._replied.text)
        return has_reply or self._has_table or any(each.outcome.is_good for each in self._observed)

    def _tell_outcome(self, outcome: Outcome, *, aside: bool) -> None:
        text = clean(outcome.text)
        if outcome.state == "done" and not self._screen.out_tty:
            self._say(clean(outcome.value) or text)
        elif outcome.is_good or not aside:
            self._say(fitted(text, self._screen))
        else:
            self._screen.err(text)
        if outcome.hint:
            show_hint(self._screen, outcome.hint)


class MustKnow:
    """Tells on stderr what the person must know: that something is not in history, what is allowed now."""

    streams = False

    def __init__(self, screen: Surface) -> None:
        self._screen = screen

    def tell(self, event: Event) -> None:
        if isinstance(event, Notice) and event.must_know:
            self._screen.err(clean(event.text))

    def recall(self, event: Event) -> None:
        """Do nothing: it stands there."""


class ObjectTeller:
    """Tells one JSON object, when the turn has ended."""

    streams = False

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self._notices: list[str] = []  # that the person must know

    def tell(self, event: Event) -> None:
        match event:
            case Unsure():
                self._screen.err(clean(event.text))
            case Replied(note=str(note)) if note:
                self._screen.err(clean(note))
            case Notice(text, must_know=True):
                self._notices.append(text)
            case TurnEnded(summary=summary):
                self._screen.out(dumped({**summary, "notices": self._notices}))


class RecordTeller:
    """Tells one JSON record a line, as it happens."""

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
    """Return the teller for a program that asked for JSON; None for people."""
    if options.ndjson:
        return RecordTeller(screen)
    return ObjectTeller(screen) if options.json else None


def in_the_end(options: Options, screen: Surface) -> InTheEnd:
    return InTheEnd(screen, as_csv=options.csv, is_quiet=options.quiet)


class Logged:
    """Writes a turn to the log."""

    streams = False

    def __init__(self, log: Log | None) -> None:
        self._log = log
        self._of: dict[str, Any] = {}
        self._began = time.monotonic()

    def tell(self, event: Event) -> None:
        match event:
            case TurnStarted(thread, turn):
                self._of = {"thread": thread, "turn": turn}
            case Planned():
                self._began = time.monotonic()
            case Observed(n, action, effect, outcome):
                step = {"n": n, "action": action, "effect": effect, "state": outcome.state}
                seconds = round(time.monotonic() - self._began, 3)
                self._write("step", **step, code=outcome.code, seconds=seconds)
            case TurnFailed(code):
                self._write("error", code=code)
            case TurnEnded(status, exit_status, summary):
                used: Any = summary["usage"]
                counts = {name: used[name] for name in _COUNTS}
                self._write("turn", status=status, exit_status=exit_status, **counts)

    def _write(self, event: str, **fields: Any) -> None:
        if self._log:
            self._log.write(event, **self._of, **fields)


class Tellers:
    """Tells several tellers, one after the other."""

    def __init__(self, *each: Teller) -> None:
        self._all = each
        self.streams = any(teller.streams for teller in each)

    def tell(self, event: Event) -> None:
        for teller in self._all:
            teller.tell(event)


def tellers_for(options: Options, screen: Surface, log: Log | None) -> Tellers:
    """Return the tellers for this surface, and the log's. Imports rich where a person looks."""
    told: list[Teller] = [Logged(log), *([] if options.quiet else [MustKnow(screen)])]
    if teller := machine_teller(options, screen):
        return Tellers(*told, teller)
    from .live import OnTerminal, Steps  # rich, for a person alone

    chosen: list[Teller] = [
        OnTerminal(screen, is_quiet=options.quiet)
        if screen.out_tty and not options.csv
        else in_the_end(options, screen)
    ]
    if options.verbose or (screen.err_tty and not options.quiet):
        chosen.insert(0, Steps(screen, verbose=bool(options.verbose)))
    return Tellers(*told, *chosen)
