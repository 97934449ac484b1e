"""Turns, one at a time in each thread. What one turn does stands in running.py."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from .actions.base import Action
from .errors import ThreadBusy
from .events import Notice, TurnEnded, Unsure
from .running import Front, Parts, Running, Words
from .settings import Settings
from .store.history import History
from .store.locks import ThreadLock
from .urls import typed_addresses

_BUSY_SECONDS = 10.0


class Session:
    def __init__(
        self, graph: Any, saver: Any, history: History, settings: Settings, actions: Mapping[str, Action]
    ) -> None:
        self._settings = settings
        self._history = history
        self._parts = Parts(graph, saver, history, actions, settings.budgets)

    async def turn(self, words: Words, thread: str, front: Front) -> TurnEnded:
        """Everything that happens for *words*, told to *front* as it happens.

        Raises StoreFailed or ThreadBusy where nothing was begun; any later failure is an event.
        """
        lock = ThreadLock(self._settings.folders.state, thread)
        try:
            await self._take(lock, thread, front)
            for left in self._history.close_abandoned(thread):
                front.tell(Unsure(thread, *left))
            typed, piped = typed_addresses(words.own), typed_addresses(words.piped)
            turn = self._history.begin(thread, words.text, typed, piped)
            return await Running(self._parts, turn, words, front).run()
        finally:
            lock.release()

    async def _take(self, lock: ThreadLock, thread: str, front: Front) -> None:
        deadline = time.monotonic() + _BUSY_SECONDS
        told = False
        while not lock.take():
            by = f"in use by process {lock.holder() or 'unknown'}"
            if time.monotonic() > deadline:
                raise ThreadBusy(
                    f"The thread {thread} is {by}.", hint="Wait for it, or use another: jarvis -t other …"
                )
            if not told:
                front.tell(Notice(f"The thread {thread} is {by}: waiting"))
            told = True
            await asyncio.sleep(0.05)


__all__ = ["Front", "Session", "Words"]
