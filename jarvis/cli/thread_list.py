"""How threads are listed, and how a person picks one to go on in: by `-r`, and by a chat's `/resume`."""

import time
from collections.abc import Sequence

from ..config.settings import Settings
from ..core.errors import NeedsAnswer, Refused, UsageError
from ..core.text import clean, one_line, shortened
from ..core.types import TERMINALS, Options
from ..output.screen import Screen
from ..output.styles import FAINT, styled
from ..store.threads import Thread
from ..store.turns import PastTurn
from .invocation import ask_line, settings_for, visit_store

LONGEST = 200  # characters of a text that is told on one line
_LISTED = 20  # threads, where one is picked
_SHORT = 30  # characters of a title beside something else
_SHOWN = 8  # lines of a reply


def lines_of(threads: Sequence[Thread], width: int, now: str = "") -> list[str]:
    """Return the list of *threads* for a person, who picks one by its number or its title.

    now: the one that they are in.
    """
    marked = ((f"{n:>4}{'*' if thread.id == now else ' '}", thread) for n, thread in enumerate(threads, 1))
    return [shortened(f"{n} {when(thread.used_at)}  {known_as(thread)}", width) for n, thread in marked]


def row_of(thread: Thread) -> str:
    """Return the line of a thread for a program, which knows it by its name."""
    told = one_line(thread.told, 50)
    return f"{one_line(thread.id):<20} {thread.turns:>5}  {when(thread.used_at)}  {told}"


def known_as(thread: Thread) -> str:
    """Return what a person knows *thread* by: its title, behind its name unless that is a terminal's."""
    name = "" if thread.id.startswith(TERMINALS) and thread.told else one_line(thread.id)
    return f"{name}  {one_line(thread.told, LONGEST)}".strip()


def short_name(thread: Thread) -> str:
    """Return the name of *thread*; of a terminal's own the beginning of its title."""
    own = thread.id.startswith(TERMINALS) and one_line(thread.told, _SHORT)
    return f"“{own}”" if own else one_line(thread.id)


def when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


# One is picked.


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

    now: the one they are in. Raises UsageError for none or several, Refused where they pick none.
    """
    known = visit_store(settings, screen, lambda store: store.threads.all())
    if not known:
        raise UsageError("There are no threads yet.", hint="jarvis hello")
    thread = thread_meant(typed or _ask_which(known, screen, now), known)
    screen.err(shortened(f"In the thread: {known_as(thread)}", screen.width - 1))
    turns = visit_store(settings, screen, lambda store: store.threads.turns(thread.id))
    _show_last_exchange(turns, screen)
    return thread


def _ask_which(known: Sequence[Thread], screen: Screen, now: str) -> str:
    """Return what the person types to pick one of *known* threads. Raises Refused where they pick none."""
    screen.err("\n".join(lines_of(known[:_LISTED], screen.width - 1, now)))
    screen.err("Which one? Its number, or a part of its title; Enter: none")
    if typed := one_line(ask_line(screen, "> ")):
        return typed
    raise Refused("No thread was picked. Nothing was done.", hint="jarvis threads list")


def thread_meant(typed: str, known: Sequence[Thread]) -> Thread:
    """Return the thread that *typed* means, by its name, its line, its title or a part of that.

    Raises UsageError where that is none, or several.
    """
    part = typed.casefold()
    titled = [(one_line(thread.told).casefold(), thread) for thread in known]
    named = [thread for thread in known if thread.id == typed]
    numbered = known[int(typed) - 1 :][:1] if typed.isdecimal() and int(typed) else []
    whole = [thread for title, thread in titled if title == part]
    found = [thread for title, thread in titled if part in title]
    if first := [*named, *numbered, *whole] or found * (len(found) == 1):
        return first[0]
    if not found:
        raise no_thread(typed)
    raise UsageError(f"{len(found)} threads have that in their titles.", hint="jarvis threads list")


def no_thread(name: str) -> UsageError:
    return UsageError(f"There is no thread {one_line(name, 64)}.", hint="jarvis threads list")


def _show_last_exchange(turns: Sequence[PastTurn], screen: Screen) -> None:
    """Show what was asked last, and the beginning of what came of it: here the person goes on."""
    for turn in turns[-1:]:
        lines = clean(turn.reply or turn.did).strip().splitlines()
        told = [f"> {one_line(turn.goal, LONGEST)}", *lines[:_SHOWN], *["…"][: len(lines) > _SHOWN]]
        for line in told:
            screen.err(styled(line, FAINT, color=screen.err_color))
