"""Lets through one turn of a thread at a time, and so many in all, each in the order they came.

Neither the server nor a lock is asked meanwhile, and nothing is written: whoever waits has begun no turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from ..core.events import Notice


class Limiter:
    def __init__(self, most: int) -> None:
        """most: how many turns are under way at once; those that wait for their thread are none of them."""
        self._most = most
        self._slots = asyncio.Semaphore(most)
        self._threads: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def slot(self, thread: str, tell: Callable[[Notice], None]) -> AsyncIterator[None]:
        """Hold a slot for a turn of *thread* while this block lasts. tell: is told why it has to wait."""
        lock = self._threads.setdefault(thread, asyncio.Lock())
        if lock.locked():
            tell(Notice(f"The thread {thread} is in use by another terminal: waiting"))
        async with lock:
            if self._slots.locked():
                tell(Notice(f"{self._most} requests are under way, as many as may be at once: waiting"))
            async with self._slots:
                yield

    @asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        """Leave the slot to another turn while this block lasts, in which a turn waits for its person."""
        self._slots.release()
        try:
            yield
        finally:
            await self._slots.acquire()
