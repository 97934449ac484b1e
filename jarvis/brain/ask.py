"""Makes the message that asks a brain for a turn, of what the client knows of the person and their screen."""

from __future__ import annotations

import os

from ..actions import time_and_place
from ..core.types import Options
from ..output.screen import Screen
from .protocol import Ask


def ask_for(
    options: Options,
    screen: Screen,
    pictures: str,
    own_thread: str,
    *,
    turn: int,
    own: str,
    piped: str = "",
    is_chat: bool = False,
) -> Ask:
    """Return the message that asks for a turn.

    pictures: the folder for pictures. own_thread: that of the terminal.
    """
    return Ask(
        turn=turn,
        own=own,
        piped=piped,
        thread=options.thread or screen.environment.get("JARVIS_THREAD", "").strip(),
        own_thread=own_thread,
        continue_last=options.continue_last and not options.thread,
        place=time_and_place(),
        pictures=pictures,
        width=screen.width,
        out_tty=screen.out_tty,
        err_tty=screen.err_tty,
        out_colour=screen.out_colour,
        err_colour=screen.err_colour,
        quiet=options.quiet,
        verbose=options.verbose,
        json=options.json,
        ndjson=options.ndjson,
        csv=options.csv,
        yes=options.yes,
        is_chat=is_chat,
        asks=_how_to_ask(options, screen, is_chat=is_chat),
        model=options.model or "",
        answer=options.answer or "",
        id=os.urandom(8).hex(),
        resumes=False,
        did=[],
        told=[],
    )


def _how_to_ask(options: Options, screen: Screen, *, is_chat: bool) -> str:
    """Return how the person can be asked: one of Ask.asks."""
    if options.ndjson:
        return "records"
    return "typed" if is_chat or (screen.is_interactive and not options.json) else "nobody"
