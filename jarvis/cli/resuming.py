"""`-r`: the person picks the thread to go on in from a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.errors import NeedsAnswer, Refused, UsageError
from ..core.text import clean, fitting, one_line
from ..core.types import Options
from ..output.questions import typed_line
from ..output.screen import Screen
from ..store.threads import Thread
from ..store.turns import PastTurn
from .commands.threads import known_as, when
from .work import settings_for, visit_store

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
    settings = settings_for(options, screen)
    known = visit_store(settings, screen, lambda store: store.threads.all())
    if not known:
        raise UsageError("There are no threads yet.", hint="jarvis hello")
    thread = picked(known, screen)
    show_last_exchange(visit_store(settings, screen, lambda store: store.threads.turns(thread.id)), screen)
    screen.err("")
    return options._replace(thread=thread.id, resume=False)


def picked(known: Sequence[Thread], screen: Screen, now: str = "") -> Thread:
    """Return the thread that the person picks. now: the one they are in.

    Raises Refused where they pick none.
    """
    offered = known
    while True:
        show_threads(offered[:_LISTED], screen.err, screen.width - 1, now=now)
        more = f" of the {_LISTED} used last, or of any" if len(offered) > _LISTED else ""
        screen.err(f"Which one? Its number, or a part of its title{more}; Enter: none")
        typed = one_line(typed_line(screen, "> "))
        if not typed:
            raise Refused("No thread was picked. Nothing was done.", hint="jarvis threads list")
        found = on_line(typed, offered[:_LISTED]) or named(typed, known)
        if len(found) == 1:
            screen.err(fitting(f"In the thread: {known_as(found[0])}", screen.width - 1))
            return found[0]
        screen.err(f"{len(found)} threads have that in their titles." if found else "No thread has that.")
        offered = found or known


def show_last_exchange(turns: Sequence[PastTurn], screen: Screen) -> None:
    """Show what was asked last, and the beginning of what came of it: here the person goes on."""
    for turn in turns[-1:]:
        lines = clean(turn.reply or turn.did).strip().splitlines()
        told = [f"> {one_line(turn.goal, _LONGEST_GOAL)}", *lines[:_SHOWN], *["…"][: len(lines) > _SHOWN]]
        for line in told:
            screen.err(f"\x1b[2m{line}\x1b[0m" if screen.err_colour else line)


def show_threads(threads: Sequence[Thread], tell: Callable[[str], None], width: int, *, now: str) -> None:
    """Tell a numbered line of each, no wider than *width*. now: the thread that the person is in."""
    for n, thread in enumerate(threads, 1):
        mark = "*" if thread.id == now else " "
        tell(fitting(f"{n:>4}{mark} {when(thread.used_at)}  {known_as(thread)}", width))


def on_line(typed: str, offered: Sequence[Thread]) -> Sequence[Thread]:
    """Return the thread on the line whose number was *typed*, if that is one."""
    number = int(typed) if typed.isdecimal() and len(typed) < 6 else 0
    return offered[number - 1 : number] if number else ()


def named(typed: str, known: Sequence[Thread]) -> Sequence[Thread]:
    """Return the threads that have *typed* in their title, or have that name."""
    part = typed.casefold()
    exactly = [thread for thread in known if thread.id == typed]
    return exactly or [thread for thread in known if part in one_line(thread.told).casefold()]
