"""Tells a turn as it happens to a person at a terminal: the answer on stdout, steps on stderr."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ..core.events import (
    Acting,
    Event,
    Notice,
    Observed,
    Planned,
    Replied,
    ReplyDelta,
    Tabled,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
    Waiting,
)
from ..core.text import clean
from .results import fitted, show_failure, show_hint, told_unverified
from .styles import Renderer
from .surface import Surface


class OnTerminal:
    """Tells the answer, on a terminal's stdout."""

    streams = True

    def __init__(self, screen: Surface, *, is_quiet: bool = False) -> None:
        self._screen = screen
        self._is_quiet = is_quiet
        self._renderer = Renderer(screen.width, colour=screen.out_colour)
        self._streamed = ""
        self._has_replied = False
        self._has_acted = False

    def tell(self, event: Event) -> None:
        match event:
            case Unsure():
                self._screen.err(clean(event.text))
            case Observed(goes_without_saying=True):
                pass
            case Observed():
                has_acted = event.outcome.is_good and event.effect != "reads"
                self._has_acted = self._has_acted or has_acted
                self._screen.out(fitted(self._renderer.outcome(event.outcome), self._screen))
                show_hint(self._screen, event.outcome.hint)
            case Tabled():
                from .tabled import show_table  # few turns have tables

                show_table(self._screen, event, is_quiet=self._is_quiet)
            case ReplyDelta(text, links):
                self._streamed += text
                self._screen.reply(clean(text, piece=True, tabs=True), links)
            case Replied():
                self._replied(event)
            case TurnFailed(_, message, hint):
                if self._streamed and not self._has_replied:
                    self._screen.reply(" (cut off)")
                    self._screen.out("")
                show_failure(self._screen, message, hint)

    def _replied(self, replied: Replied) -> None:
        self._has_replied = True
        text, streamed = replied.text, self._streamed
        rest = text[len(streamed) :] if text.startswith(streamed) else f"\n{text}"
        self._screen.reply(clean(rest, piece=True, tabs=True))
        self._screen.out("")
        if replied.sources:
            self._screen.out("")
        for number, source in enumerate(replied.sources, replied.first):
            self._screen.out(self._renderer.source(number, source))
        if replied.note:
            self._screen.err(clean(replied.note))
        for line in filter(None, (told_unverified(replied), self._how_to_open(replied))):
            self._screen.err(self._renderer.dim(line))

    def _how_to_open(self, replied: Replied) -> str:
        """Return how to open what was found, where nothing was opened and no table says so already."""
        is_listed = bool(replied.sources) and replied.first == 1 and not self._has_acted
        return "jarvis open 1 opens the first" if is_listed else ""


class Steps:
    """Tells what is going on meanwhile, on stderr."""

    streams = False

    def __init__(self, screen: Surface, *, verbose: bool = False) -> None:
        self._screen = screen
        self._verbose = verbose
        self._renderer = Renderer(screen.width, colour=screen.err_colour)
        self._began = time.monotonic()  # of the step under way; of one that another brain was at: of the rest
        self._under_way: Planned | None = None  # that step

    def tell(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._screen.passing("thinking…")
            case Planned():
                self._planned(event)
            case Acting(request):
                self._screen.passing(f"{request.effect.told} …")
            case Observed():
                self._observed(event)
                self._screen.passing("thinking…")
            case Notice(text, must_know=False):
                self._screen.err(self._renderer.dim(text))
            case Waiting(text):
                self._screen.passing(text or "thinking…")
            case TurnEnded(_, _, summary):
                self._ended(summary)

    def _planned(self, planned: Planned) -> None:
        self._began, self._under_way = time.monotonic(), planned
        # What came of a lookup is told with it, and what is kept has no more to it than what is told of it.
        if planned.effect not in ("reads", "keeps") or self._verbose:
            self._screen.err(self._renderer.plan(planned, reason=self._verbose))
        if planned.effect == "reads":
            name = planned.plan.action.replace("_", " ")
            self._screen.passing(f"{'searching' if name == 'search' else name}: {planned.target} …")

    def _observed(self, observed: Observed) -> None:
        """Tell what a lookup brought. Of anything else, and of what failed, the answer tells."""
        planned, outcome = self._under_way, observed.outcome
        if outcome.table and planned and not self._verbose:
            # Its table tells what it brought, so this is what it looked for, as Python has it.
            self._screen.err(self._renderer.plan(planned._replace(target=outcome.value or planned.target)))
        elif observed.goes_without_saying:
            seconds = time.monotonic() - self._began
            self._screen.err(self._renderer.lookup(observed.n, outcome, seconds))

    def _ended(self, summary: Mapping[str, Any]) -> None:
        self._screen.clear()
        if summary["usage"]["model_calls"]:
            self._screen.err(self._renderer.footer(summary))
