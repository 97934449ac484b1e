"""Who tells of a turn of the loop: a program, a pipe or a person."""

from __future__ import annotations

from ..core.options import Options
from ..store.log import Log
from .log_events import Logged
from .screen import Surface
from .summary import InTheEnd, Teller, machine_teller


def tellers(options: Options, screen: Surface, log: Log | None) -> list[Teller]:
    """Those for this surface, and the log's. Imports rich where a person looks."""
    logged = Logged(log)
    if teller := machine_teller(options, screen):
        return [logged, teller]
    from .live import OnTerminal, Steps

    chosen: list[Teller] = [OnTerminal(screen) if screen.out_tty else InTheEnd(screen)]
    if options.verbose or (screen.err_tty and not options.quiet):
        chosen.insert(0, Steps(screen, verbose=bool(options.verbose)))
    return [logged, *chosen]
