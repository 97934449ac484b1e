"""`-r`: the person picks the thread to go on in from a list."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import NeedsAnswer, Refused, UsageError
from ..core.text import fitting, one_line
from ..core.types import Options
from ..output.prompts import typed_answer
from ..output.screen import Screen
from ..store.threads import Thread
from .commands.threads import when
from .storage import visit_store
from .work import settings_for

_LISTED = 20


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
    return options._replace(thread=picked(known, screen).id, resume=False)


def picked(known: Sequence[Thread], screen: Screen) -> Thread:
    """Return the thread that the person picks. Raises Refused where they pick none."""
    offered = known
    while True:
        _list(offered, screen)
        typed = one_line(typed_answer(screen))
        if not typed:
            raise Refused("No thread was picked. Nothing was done.", hint="jarvis threads list")
        found = on_line(typed, offered[:_LISTED]) or named(typed, known)
        if len(found) == 1:
            screen.err(f"In the thread {one_line(found[0].id)}: {one_line(found[0].told, 60)}")
            return found[0]
        screen.err(f"{len(found)} threads have that in their titles." if found else "No thread has that.")
        offered = found or known


def _list(offered: Sequence[Thread], screen: Screen) -> None:
    for n, thread in enumerate(offered[:_LISTED], 1):
        line = f"{n:>4}  {when(thread.used_at)}  {one_line(thread.told, 200) or one_line(thread.id)}"
        screen.err(fitting(line, screen.width - 1))
    more = f" of the {_LISTED} used last, or of any" if len(offered) > _LISTED else ""
    screen.err(f"Which one? Its number, or a part of its title{more}; Enter: none")


def on_line(typed: str, offered: Sequence[Thread]) -> Sequence[Thread]:
    """Return the thread on the line whose number was *typed*, if that is one."""
    number = int(typed) if typed.isdecimal() and len(typed) < 6 else 0
    return offered[number - 1 : number] if number else ()


def named(typed: str, known: Sequence[Thread]) -> Sequence[Thread]:
    """Return the threads that have *typed* in their title, or have that name."""
    part = typed.casefold()
    exactly = [thread for thread in known if thread.id == typed]
    return exactly or [thread for thread in known if part in one_line(thread.told).casefold()]
