"""`-r`, and a chat's `/resume`: the person picks the thread to go on in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.errors import NeedsAnswer, Refused, UsageError
from ..core.text import clean, fitting, one_line
from ..core.types import Options
from ..output.questions import typed_line
from ..output.screen import DIM, Screen, styled
from ..store.threads import Thread
from ..store.turns import PastTurn
from .commands.threads import known_as, lines_of
from .work import settings_for, visit_store

if TYPE_CHECKING:
    from ..config.settings import Settings

_LISTED = 20
_SHOWN = 8  # lines of a reply
_LONGEST_GOAL = 300  # characters


def resumed(options: Options, screen: Screen) -> Options:
    """Return *options* that name the thread which the person picks.

    Raises UsageError where the options name another, NeedsAnswer without a terminal, Refused for no pick.
    """
    if options.thread or options.continue_last:
        raise UsageError("-r picks a thread; -t and -c name one.", hint="jarvis -r")
    if options.json or options.ndjson or not screen.is_interactive:
        raise NeedsAnswer(
            "-r asks which thread is meant, and there is nobody to ask.",
            hint="jarvis -c … goes on in the one used last, jarvis -t NAME … in another",
        )
    thread = pick_thread(settings_for(options, screen), screen)
    screen.err("")
    return options._replace(thread=thread.id, resume=False)


def pick_thread(settings: Settings, screen: Screen, *, now: str = "", typed: str = "") -> Thread:
    """Return the thread that *typed* means, or else the person picks, and show where it stopped.

    now: the one they are in. Raises UsageError where there are none, Refused where they pick none.
    """
    known = visit_store(settings, screen, lambda store: store.threads.all())
    if not known:
        raise UsageError("There are no threads yet.", hint="jarvis hello")
    thread = _picked(known, screen, now, typed)
    screen.err(fitting(f"In the thread: {known_as(thread)}", screen.width - 1))
    turns = visit_store(settings, screen, lambda store: store.threads.turns(thread.id))
    _show_last_exchange(turns, screen)
    return thread


def _picked(known: Sequence[Thread], screen: Screen, now: str, typed: str) -> Thread:
    """Return the thread that *typed* means, or else the one that the person picks from a list."""
    listed = known
    while True:
        if typed:
            found = _meant(typed, listed, known)
            if len(found) == 1:
                return found[0]
            screen.err(f"{len(found)} threads have that in their titles." if found else "No thread has that.")
            listed = found or known
        screen.err("\n".join(lines_of(listed[:_LISTED], screen.width - 1, now)))
        screen.err("Which one? Its number, or a part of its title; Enter: none")
        typed = one_line(typed_line(screen, "> "))
        if not typed:
            raise Refused("No thread was picked. Nothing was done.", hint="jarvis threads list")


def _meant(typed: str, listed: Sequence[Thread], known: Sequence[Thread]) -> Sequence[Thread]:
    """Return the threads that *typed* means, by a name, a line of *listed*, a title or a part of titles."""
    if named := [thread for thread in known if thread.id == typed]:
        return named
    if typed.isdecimal() and 0 < int(typed) <= len(listed):
        return [listed[int(typed) - 1]]
    part = typed.casefold()
    titled = [(one_line(thread.told).casefold(), thread) for thread in known]
    whole = [thread for title, thread in titled if title == part]
    return whole[:1] or [thread for title, thread in titled if part in title]


def _show_last_exchange(turns: Sequence[PastTurn], screen: Screen) -> None:
    """Show what was asked last, and the beginning of what came of it: here the person goes on."""
    for turn in turns[-1:]:
        lines = clean(turn.reply or turn.did).strip().splitlines()
        told = [f"> {one_line(turn.goal, _LONGEST_GOAL)}", *lines[:_SHOWN], *["…"][: len(lines) > _SHOWN]]
        for line in told:
            screen.err(styled(line, DIM, colour=screen.err_colour))
