"""The threads, as a list for a person."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..core.stdlib import TYPE_CHECKING
from ..core.text import fitting, one_line

if TYPE_CHECKING:
    from ..output.screen import Screen
    from ..store.threads import Thread


def show_threads(screen: Screen, threads: Sequence[Thread], *, now: str) -> None:
    """A line for each, no wider than the terminal. now: the thread the person is in."""
    widest = max((len(thread.id) for thread in threads), default=0)
    for thread in threads:
        mark = "*" if thread.id == now else " "
        head = f"{mark} {one_line(thread.id):<{widest}} {thread.turns:>4}  {when(thread.used_at)}"
        line = f"{head}  {one_line(thread.last, 200)}"
        screen.out(fitting(line, screen.width))
    if not threads:
        screen.err("No threads yet.")


def when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
