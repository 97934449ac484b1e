"""The commands of a chat, and the thread and the screen that they work on."""

from __future__ import annotations

import asyncio
import itertools
import textwrap
import time
from collections.abc import Callable, Collection, Sequence

from ...config.settings import Settings, check_thread
from ...core.concurrency import aside
from ...core.errors import UsageError
from ...core.text import fitting, one_line
from ...output.screen import Screen
from ...store.threads import Thread
from ..commands.threads import when
from ..grammar import named_function
from ..registry import SLASHES
from ..storage import on_store

_KEYS = "Ctrl-C stops what is under way, Alt-Enter begins a new line, Ctrl-R searches what was typed."


class Commands:
    """The state that the commands of a chat work on."""

    def __init__(self, thread: str, settings: Callable[[], Settings], screen: Screen) -> None:
        """settings: reads the settings of now, which may change while a chat is open."""
        self.thread = thread  # that the chat is in
        self.screen = screen
        self._settings = settings

    async def run(self, name: str, argument: str) -> None:
        """Do the command called *name*. Raises EOFError to leave, UsageError for what makes no sense."""
        slash = next(each for each in SLASHES if each.name == name)
        await named_function(slash.run)(self, argument)

    async def known(self) -> list[Thread]:
        """Return the threads there are, the one used last first."""
        screen = Screen(self.screen.environment)
        try:
            return await aside(lambda: on_store(self._settings(), screen, lambda store: store.threads.all()))
        except asyncio.CancelledError:
            screen.close()  # what is said from now on would land in the next prompt
            raise

    def turn_to(self, name: str, how: str) -> None:
        """Go on in the thread *name*, and tell *how*."""
        self.thread = name
        self.screen.err(f"{how}: {name}")

    def print(self, line: str) -> None:
        """Print *line*, no wider than the terminal."""
        indent = "    " if line.startswith(" ") else ""
        width = self.screen.width
        self.screen.out(textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False))


async def list_commands(chat: Commands, argument: str) -> None:
    chat.print("Say in plain words what you want, or:")
    for slash in SLASHES:
        words = f" (or: {', '.join(slash.words)})" if slash.words else ""
        chat.print(f"  {slash.shown:<16} {slash.help}{words}")
    chat.print(_KEYS)


async def begin_thread(chat: Commands, name: str) -> None:
    taken = {thread.id for thread in await chat.known()}
    name = name or _free(taken)
    check_thread(name)
    if name in taken:
        raise UsageError(f"There is a thread {name} already.", hint=f"To go on in it: /threads {name}")
    chat.turn_to(name, "A new thread")


def _free(taken: Collection[str]) -> str:
    """Return a thread's name that is not in use: the date, and a number."""
    today = time.strftime("%Y-%m-%d")
    return next(name for n in itertools.count(1) if (name := f"{today}-{n}") not in taken)


async def leave_chat(chat: Commands, argument: str) -> None:
    raise EOFError


async def go_to_thread(chat: Commands, name: str) -> None:
    """Go on in the thread *name*; without one, list the threads."""
    known = await chat.known()
    if not name:
        show_threads(chat.screen, known, now=chat.thread)
        return
    if name not in {thread.id for thread in known}:
        raise UsageError(f"There is no thread {one_line(name, 64)}.", hint="To begin one: /new NAME")
    chat.turn_to(name, "In the thread")


def show_threads(screen: Screen, threads: Sequence[Thread], *, now: str) -> None:
    """Print a line for each, no wider than the terminal. now: the thread the person is in."""
    widest = max((len(thread.id) for thread in threads), default=0)
    for thread in threads:
        mark = "*" if thread.id == now else " "
        head = f"{mark} {one_line(thread.id):<{widest}} {thread.turns:>4}  {when(thread.used_at)}"
        line = f"{head}  {one_line(thread.told, 200)}"
        screen.out(fitting(line, screen.width))
    if not threads:
        screen.err("No threads yet.")
