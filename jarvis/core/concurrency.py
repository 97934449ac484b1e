"""The event loop, work on threads, deadlines, a clock, and a limiter for turns."""

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from .errors import JarvisError, OutOfTime, attempt, on_signals
from .events import Notice

_LATE = 1.0  # seconds after which it is told why something waits
_T = TypeVar("_T")


def run_async(work: Coroutine[Any, Any, _T]) -> _T:
    """Run *work* on an event loop of its own, and return what it returns."""
    # psycopg can't work with what is the default there.
    factory = asyncio.SelectorEventLoop if sys.platform == "win32" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


def run_until_signal(work: Coroutine[Any, Any, _T]) -> _T:
    """Run *work* on an event loop of its own and return its result.

    A signal cancels it and raises Terminated or Interrupted here. An exception raised inside a callback of
    the loop would be lost.
    """
    reasons: list[JarvisError] = []

    async def ended() -> _T:
        task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()

        def end(reason: JarvisError) -> None:
            reasons.append(reason)
            loop.call_soon_threadsafe(task.cancel)

        with on_signals(end):
            return await task

    try:
        return run_async(ended())
    except asyncio.CancelledError:
        raise reasons[0] from None


async def in_thread(work: Callable[[], _T]) -> _T:
    """Do *work* on a thread of its own, in the context of the caller, and return what it returns.

    With asyncio.to_thread the whole program would wait for the thread's end, even after Ctrl-C.
    """
    future: Future[_T] = Future()
    future.set_running_or_notify_cancel()  # nobody cancels a thread, only the wait for it

    def target() -> None:
        result, error = attempt(work)
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    threading.Thread(target=copy_context().run, args=(target,), name="aside", daemon=True).start()
    return await asyncio.wrap_future(future)


async def with_timeout(work: Awaitable[_T], seconds: float | None, hang_up: Callable[[], None]) -> _T:
    """Return the result of *work*. Raises TimeoutError after *seconds*.

    If canceled or out of time, it calls *hang_up* first, so that *work* ends at once. Otherwise psycopg would
    wait for the server to confirm, which a hung server never does.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            raise TimeoutError
    except (asyncio.CancelledError, TimeoutError):
        await _given_up(task, hang_up)
        raise
    return task.result()


async def _given_up(task: asyncio.Future[Any], hang_up: Callable[[], None]) -> None:
    hang_up()
    task.cancel()
    await asyncio.wait({task}, timeout=1)
    if task.done() and not task.cancelled():
        task.exception()  # seen: nobody else asks for it


class Clock:
    """Measures a turn's time. Waiting for the person or the desktop does not count."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()
        self._away = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the turn began, with all waiting."""
        return time.monotonic() - self._began

    def allow(self, seconds: float) -> None:
        """Let the turn take so many seconds in all."""
        self._seconds = seconds

    def left(self) -> float:
        """Return the seconds that the turn may still take, more than 0. Raises OutOfTime."""
        left = self._seconds - (self.elapsed - self._away)
        if left <= 0:
            message = f"The turn took more than {self._seconds:g} s."
            raise OutOfTime(message, hint="Ask for less, or allow more: --timeout 120")
        return left

    async def run(self, work: Awaitable[_T]) -> _T:
        """Return the result of *work*. Raises OutOfTime once the turn's time is over. That time may grow."""
        task = asyncio.ensure_future(work)
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=self.left())
        except (asyncio.CancelledError, OutOfTime):
            await _given_up(task, lambda: None)
            raise
        return task.result()

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Leave out the time that is spent in this block."""
        left = time.monotonic()
        try:
            yield
        finally:
            self._away += time.monotonic() - left


@contextlib.contextmanager
def telling_late(tell: Callable[[Notice], None], why: str) -> Iterator[None]:
    """Tell *why* it takes so long where this block, which waits, lasts for more than a second."""
    telling = asyncio.get_running_loop().call_later(_LATE, tell, Notice(why))
    try:
        yield
    finally:
        telling.cancel()


class Limiter:
    """Lets through one turn of a thread at a time, and so many in all, each in the order they came."""

    def __init__(self, most: int) -> None:
        """most: the number of turns that may run at once. Turns waiting for their thread don't count."""
        self._most = most
        self._slots = asyncio.Semaphore(most)
        self._threads: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def in_thread(self, thread: str, tell: Callable[[Notice], None]) -> AsyncIterator[None]:
        """Keep others out of *thread* during this block. tell: called with the reason if it has to wait."""
        lock = self._threads.setdefault(thread, asyncio.Lock())
        with telling_late(tell, f"Another terminal is using the conversation {thread}: waiting"):
            await lock.acquire()
        try:
            yield
        finally:
            lock.release()

    @contextlib.asynccontextmanager
    async def slot(self, tell: Callable[[Notice], None]) -> AsyncIterator[None]:
        """Hold one of the slots during this block. tell: called with the reason if it has to wait."""
        with telling_late(tell, f"{self._most} requests are under way, as many as may be at once: waiting"):
            await self._slots.acquire()
        try:
            yield
        finally:
            self._slots.release()

    @contextlib.asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        """Give the slot to another turn during this block, while this turn waits for its user."""
        self._slots.release()
        try:
            yield
        finally:
            await self._slots.acquire()
