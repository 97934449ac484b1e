"""Who tells of a turn of the loop: a program, a pipe or a person."""

from __future__ import annotations

from ..commandline import Options
from .screen import Surface
from .shown import InTheEnd, Teller, machine_teller


def tellers(options: Options, screen: Surface) -> list[Teller]:
    """Those for this surface. Imports rich where a person looks."""
    if teller := machine_teller(options, screen):
        return [teller]
    from .live import OnTerminal, Steps

    chosen: list[Teller] = [OnTerminal(screen) if screen.out_tty else InTheEnd(screen)]
    if options.verbose or (screen.err_tty and not options.quiet):
        chosen.insert(0, Steps(screen, verbose=options.verbose))
    return chosen
