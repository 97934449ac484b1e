"""The gate of a process: lets through one turn of a thread at a time, and so many in all, in order.

Neither the server nor a lock is asked meanwhile, and nothing is written: whoever waits has begun no turn.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager

from ..core.errors import TooManyTurns
from ..core.events import Notice
from ..core.text import counted

_AGAIN_SECONDS = 10.0  # until who waits is told their place again, where it has changed


class Gate:
    def __init__(self, most: int, most_waiting: int = 256) -> None:
        """most: how many turns are under way at once. most_waiting: also for others of their thread."""
        self._under_way = Queue(most)
        self._queues: dict[str, Queue] = {}  # of the threads in which somebody is, or waits
        self._most_waiting = most_waiting

    @asynccontextmanager
    async def passed(self, thread: str, tell: Callable[[Notice], None]) -> AsyncIterator[None]:
        """Let a turn of *thread* through, once it is its turn. Who waits is told how many are before them.

        Who waits behind another of their thread takes no place from other threads.
        Raises TooManyTurns, at once, where too many wait already.
        """
        queue = self._queues.get(thread) or Queue(1)
        if (queue.is_full or self._under_way.is_full) and self.waiting >= self._most_waiting:
            raise TooManyTurns(
                f"{self.waiting} requests are waiting already, so this one was not begun.",
                hint="Try again in a moment.",
            )
        self._queues[thread] = queue
        used = f"The thread {thread} is in use by another terminal"
        busy = f"{counted(self._under_way.most, 'requests')} under way, as many as may be at once"
        try:
            async with queue.passed(_teller(used, tell)), self._under_way.passed(_teller(busy, tell)):
                yield
        finally:
            if queue.is_empty:
                del self._queues[thread]

    def away(self) -> AbstractContextManager[None]:
        """Let another turn through while this block lasts, in which a turn waits for its person."""
        return self._under_way.away()

    @property
    def waiting(self) -> int:
        """How many wait, for others of their thread or for the gate."""
        return sum(queue.waiting for queue in (self._under_way, *self._queues.values()))


class Queue:
    """Lets in so many at once; who comes later waits, and is let in in the order they came."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        return self._inside >= self.most

    @property
    def is_empty(self) -> bool:
        return not self._inside and not self._waiting

    @asynccontextmanager
    async def passed(self, tell: Callable[[int], None]) -> AsyncIterator[None]:
        """Be inside while this block lasts. tell: is told how many wait before this one."""
        if self.is_full:
            await self._let_in(tell)
        else:
            self._inside += 1
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Be outside while this block lasts. Who comes back need not wait, even where it is full by then."""
        self._leave()
        try:
            yield
        finally:
            self._inside += 1

    async def _let_in(self, tell: Callable[[int], None]) -> None:
        """Wait until `_leave` has let this one in, and counted it."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        told = -1
        try:
            while not place.done():
                if (before := self._waiting.index(place)) != told:
                    tell(told := before)
                await asyncio.wait([place], timeout=_AGAIN_SECONDS)
        except BaseException:  # however it ends, no place is lost
            if place.done():  # let in at the very moment it was given up
                self._leave()
            else:
                self._waiting.remove(place)
            raise

    def _leave(self) -> None:
        self._inside -= 1
        while self._waiting and not self.is_full:
            self._inside += 1
            self._waiting.popleft().set_result(None)


def _teller(why: str, tell: Callable[[Notice], None]) -> Callable[[int], None]:
    """Return what tells one who waits how many are before them. why: there is no room."""

    def place(before: int) -> None:
        tell(Notice(f"{why}: waiting, {f'{before} before yours' if before else 'yours is next'}"))

    return place
