"""Who tells of a turn of the loop: a program, a pipe or a person; and the log."""

from __future__ import annotations

import time

from ..core.events import Event, Observed, Planned, TurnEnded, TurnFailed, TurnStarted
from ..core.stdlib import Any
from ..core.types import Options
from ..store.log import Log
from .screen import Surface
from .summary import InTheEnd, Teller, machine_teller


def tellers(options: Options, screen: Surface, log: Log | None) -> list[Teller]:
    """Those for this surface, and the log's. Imports rich where a person looks."""
    logged = Logged(log)
    if teller := machine_teller(options, screen):
        return [logged, teller]
    from .live import OnTerminal, Steps  # rich, for a person alone

    chosen: list[Teller] = [OnTerminal(screen) if screen.out_tty else InTheEnd(screen)]
    if options.verbose or (screen.err_tty and not options.quiet):
        chosen.insert(0, Steps(screen, verbose=bool(options.verbose)))
    return [logged, *chosen]


_COUNTS = ("seconds", "model_calls", "searches", "input_tokens", "output_tokens")


class Logged:
    """Implements shown.Teller. Both ways tell the same, so both are logged here."""

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
