"""What the commands of a chat work on: its thread, and its screen."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Callable

from ...config.settings import Settings
from ...core.concurrency import aside
from ...output.screen import Screen
from ...store.threads import Thread
from ..registry import slashes
from ..storage import on_store


class Commands:
    """Implements registry.ChatContext."""

    def __init__(self, thread: str, settings: Callable[[], Settings], screen: Screen) -> None:
        """settings: as they are now; they may be changed while a chat is open."""
        self.thread = thread  # that the chat is in
        self.screen = screen
        self._settings = settings

    async def run(self, name: str, argument: str) -> None:
        """Raises EOFError to leave, UsageError for what makes no sense."""
        slash = next(each for each in slashes() if each.name == name)
        await slash.run(self, argument)

    async def known(self) -> list[Thread]:
        screen = Screen(self.screen.environment)
        try:
            return await aside(lambda: on_store(self._settings(), screen, lambda store: store.threads.all()))
        except asyncio.CancelledError:
            screen.close()  # what is said from now on would land in the next prompt
            raise

    def turn_to(self, name: str, how: str) -> None:
        self.thread = name
        self.screen.err(f"{how}: {name}")

    def print(self, line: str) -> None:
        indent = "    " if line.startswith(" ") else ""
        width = self.screen.width
        self.screen.out(textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False))
