"""What the commands of a chat do: help, and which thread it is in."""

from __future__ import annotations

import asyncio
import itertools
import textwrap
import time
from collections.abc import Callable, Collection

from ...config.settings import Settings, check_thread
from ...core.concurrency import aside
from ...core.errors import UsageError
from ...core.text import one_line
from ...output.screen import Screen
from ...store.threads import Thread
from ..storage import on_store
from ..thread_list import show_threads
from .slash import COMMANDS

_KEYS = "Ctrl-C stops what is under way, Alt-Enter begins a new line, Ctrl-R searches what was typed."


class Commands:
    def __init__(self, thread: str, settings: Callable[[], Settings], screen: Screen) -> None:
        """settings: as they are now; they may be changed while a chat is open."""
        self.thread = thread  # that the chat is in
        self._settings = settings
        self._screen = screen

    async def run(self, name: str, argument: str) -> None:
        """Raises EOFError to leave, UsageError for what makes no sense."""
        match name:
            case "help":
                self._help()
            case "new":
                await self._begin(argument)
            case "threads" if argument:
                await self._go_on(argument)
            case "threads":
                show_threads(self._screen, await self._known(), now=self.thread)
            case "quit":
                raise EOFError

    def _help(self) -> None:
        self._print("Say in plain words what you want, or:")
        for command in COMMANDS:
            words = f" (or: {', '.join(command.words)})" if command.words else ""
            self._print(f"  {command.shown:<16} {command.help}{words}")
        self._print(_KEYS)

    def _print(self, line: str) -> None:
        indent = "    " if line.startswith(" ") else ""
        width = self._screen.width
        self._screen.out(textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False))

    async def _begin(self, name: str) -> None:
        taken = {thread.id for thread in await self._known()}
        name = name or _free(taken)
        check_thread(name)
        if name in taken:
            raise UsageError(f"There is a thread {name} already.", hint=f"To go on in it: /threads {name}")
        self._turn_to(name, "A new thread")

    async def _go_on(self, name: str) -> None:
        if name not in {thread.id for thread in await self._known()}:
            raise UsageError(f"There is no thread {one_line(name, 64)}.", hint="To begin one: /new NAME")
        self._turn_to(name, "In the thread")

    def _turn_to(self, name: str, how: str) -> None:
        self.thread = name
        self._screen.err(f"{how}: {name}")

    async def _known(self) -> list[Thread]:
        """The one used last first."""
        screen = Screen(self._screen.environment)
        try:
            return await aside(lambda: on_store(self._settings(), screen, lambda store: store.threads.all()))
        except asyncio.CancelledError:
            screen.close()  # what is said from now on would land in the next prompt
            raise


def _free(taken: Collection[str]) -> str:
    """A thread's name that is not in use: the date, and a number."""
    today = time.strftime("%Y-%m-%d")
    return next(name for n in itertools.count(1) if (name := f"{today}-{n}") not in taken)
