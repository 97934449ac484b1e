"""A turn as the log tells it: a record for each step, for what it failed by and for its end."""

from __future__ import annotations

import time

from ..core.events import Event, Failed, Observed, Planned, TurnEnded, TurnStarted
from ..core.stdlib import Any
from ..store.log import Log

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
            case Failed(code):
                self._write("error", code=code)
            case TurnEnded(status, exit_status, summary):
                used: Any = summary["usage"]
                counts = {name: used[name] for name in _COUNTS}
                self._write("turn", status=status, exit_status=exit_status, **counts)

    def _write(self, event: str, **fields: Any) -> None:
        if self._log:
            self._log.write(event, **self._of, **fields)
