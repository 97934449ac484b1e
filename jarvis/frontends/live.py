"""A turn as it happens, for a person at a terminal: the answer on stdout, steps on stderr."""

from __future__ import annotations

from ..events import (
    Acting,
    Event,
    Failed,
    Notice,
    Observed,
    Planned,
    Replied,
    ReplyDelta,
    TurnEnded,
    TurnStarted,
)
from ..render import Renderer
from ..text import clean
from .screen import Screen
from .shown import show_failure


class Answer:
    """What goes to a terminal's stdout."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._renderer = Renderer(screen.width, colour=screen.out_colour)
        self._streamed = ""

    def tell(self, event: Event) -> None:
        match event:
            case Observed(_, action, outcome) if not (action == "search" and outcome.state == "done"):
                self._screen.out(self._renderer.outcome(outcome))
                if outcome.hint:
                    self._screen.err(f"  hint: {clean(outcome.hint)}")
            case ReplyDelta(text):
                piece = clean(text)
                self._streamed += piece
                self._screen.out(piece, end="")
            case Replied():
                self._replied(event)
            case Failed(_, message, hint):
                if self._streamed:
                    self._screen.out(" (cut off)")
                show_failure(self._screen, message, hint)

    def _replied(self, replied: Replied) -> None:
        text = clean(replied.text)
        if text:
            rest = text[len(self._streamed) :] if text.startswith(self._streamed) else f"\n{text}"
            self._screen.out(rest)
        if replied.sources:
            self._screen.out("")
        for number, source in enumerate(replied.sources, 1):
            self._screen.out(self._renderer.source(number, source))


class Steps:
    """What goes to stderr meanwhile."""

    def __init__(self, screen: Screen, *, verbose: bool = False) -> None:
        self._screen = screen
        self._verbose = verbose
        self._renderer = Renderer(screen.width, colour=screen.err_colour)

    def tell(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._screen.passing("thinking…")
            case Planned():
                self._screen.err(self._renderer.plan(event, reason=self._verbose))
                self._screen.passing("searching…" if event.plan.action == "search" else "…")
            case Observed(_, action, outcome):
                if self._verbose and action == "search" and outcome.state == "done":
                    self._screen.err(self._renderer.dim(f"  {outcome.text}"))
                self._screen.passing("thinking…")
            case Acting():
                self._screen.passing("…")
            case Notice(text):
                self._screen.err(self._renderer.dim(text))
            case Replied(_, _, from_memory) if from_memory:
                self._screen.err(self._renderer.dim("From the model's memory: nothing could be looked up."))
            case TurnEnded(_, _, summary):
                self._screen.err(self._renderer.footer(str(summary["thread"]), summary["usage"]))  # type: ignore[arg-type]
