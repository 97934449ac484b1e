"""Lists threads, and lets the user choose one to continue: by `-r`, and by `/resume` in a chat."""

import time
from collections.abc import Sequence

from ..config.settings import Settings
from ..core.errors import NeedsAnswer, Refused, UsageError
from ..core.text import clean, one_line, truncate
from ..core.types import TERMINALS, Options
from ..output.screen import Screen
from ..output.styles import BOLD, styled
from ..output.tables import table_lines
from ..store.addresses import tables_in
from ..store.threads import Thread
from .invocation import ask_line, settings_for, visit_store

LONGEST = 200  # characters of a text shown on one line
_LISTED = 20  # threads to choose from
_SHORT = 30  # characters of a title used as a name
_SHOWN = 20  # lines of a reply


def lines_of(threads: Sequence[Thread], width: int, now: str = "") -> list[str]:
    """Return the numbered list of *threads* for people. now: the id of the current one."""
    marked = ((f"{n:>4}{'*' if thread.id == now else ' '}", thread) for n, thread in enumerate(threads, 1))
    return [truncate(f"{n} {when(thread.used_at)}  {known_as(thread)}", width) for n, thread in marked]


def row_of(thread: Thread) -> str:
    """Return the line of a thread for programs, which use its id."""
    title = one_line(thread.formatted, 50)
    return f"{one_line(thread.id):<20} {thread.turns:>5}  {when(thread.used_at)}  {title}"


def known_as(thread: Thread) -> str:
    """Return the name and title of *thread*, or only the title if its name is a terminal's."""
    name = "" if thread.id.startswith(TERMINALS) and thread.formatted else one_line(thread.id)
    return f"{name}  {one_line(thread.formatted, LONGEST)}".strip()


def short_name(thread: Thread) -> str:
    """Return the name of *thread*, or the beginning of its title if its name is a terminal's."""
    own = thread.id.startswith(TERMINALS) and one_line(thread.formatted, _SHORT)
    return f"“{own}”" if own else one_line(thread.id)


def when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


# Choosing one.


def resumed(options: Options, screen: Screen) -> Options:
    """Return *options* with the thread that the user chooses.

    Raises UsageError if *options* name another, NeedsAnswer without a terminal, Refused for no choice.
    """
    if options.thread or options.continue_last:
        raise UsageError("Use only one of -r, -t, and -c.", hint="jarvis -r")
    if options.json or options.ndjson or not screen.is_interactive:
        raise NeedsAnswer(
            "-r needs a terminal to ask which conversation.",
            hint="Use the last one: jarvis -c …   or one by name: jarvis -t NAME …",
        )
    thread = pick_thread(settings_for(options, screen), screen)
    screen.err("")
    return options._replace(thread=thread.id)


def pick_thread(settings: Settings, screen: Screen, *, now: str = "", typed: str = "") -> Thread:
    """Return the thread that *typed* matches, or that the user chooses, and show its last exchange.

    now: the id of the current one. Raises UsageError for no match or several, Refused for no choice.
    """
    threads = visit_store(settings, screen, lambda store: store.threads.all())
    if not threads:
        raise UsageError("No conversations yet.", hint="jarvis hello")
    thread = find_thread(typed or _ask_which(threads, screen, now), threads)
    screen.err(truncate(f"Conversation: {known_as(thread)}", screen.width - 1))
    show_last_exchange(thread.id, settings, screen)
    return thread


def _ask_which(threads: Sequence[Thread], screen: Screen, now: str) -> str:
    """Return the user's choice among *threads*, as typed. Raises Refused for none."""
    screen.err("\n".join(lines_of(threads[:_LISTED], screen.width - 1, now)))
    screen.err("Which one? Type a number or part of a title, or press Enter to cancel.")
    if typed := one_line(ask_line(screen, "> ")):
        return typed
    raise Refused("No conversation chosen. Nothing done.", hint="jarvis threads")


def find_thread(typed: str, threads: Sequence[Thread]) -> Thread:
    """Return the thread with the name, number, title, or part of a title that was *typed*.

    Raises UsageError for no match or several.
    """
    part = typed.casefold()
    titles = [(one_line(thread.formatted).casefold(), thread) for thread in threads]
    by_name = [thread for thread in threads if thread.id == typed]
    by_number = threads[int(typed) - 1 :][:1] if typed.isdecimal() and int(typed) else []
    by_title = [thread for title, thread in titles if title == part]
    by_part = [thread for title, thread in titles if part in title]
    if first := [*by_name, *by_number, *by_title] or by_part * (len(by_part) == 1):
        return first[0]
    if not by_part:
        raise no_thread(typed)
    raise UsageError(f"{len(by_part)} conversations match. Type more of the title.", hint="jarvis threads")


def no_thread(name: str) -> UsageError:
    return UsageError(f"No conversation called {one_line(name, 64)}.", hint="jarvis threads")


def show_last_exchange(thread: str, settings: Settings, screen: Screen) -> None:
    """Show the last request of *thread*, its tables, and the beginning of its reply."""
    for turn in visit_store(settings, screen, lambda store: store.threads.turns(thread))[-1:]:
        screen.err(styled(f"\n> {one_line(turn.goal, LONGEST)}", BOLD, color=screen.err_color))
        for table, first in tables_in(turn.tables):
            screen.err("\n".join(table_lines(screen, table, first, screen.width)))
        lines = clean(turn.reply or turn.did, tabs=True).strip().splitlines()
        reply = "\n".join([*lines[:_SHOWN], *["…"][: len(lines) > _SHOWN]])
        (screen.reply if screen.out_tty else screen.err)(reply)
        screen.reply("")
