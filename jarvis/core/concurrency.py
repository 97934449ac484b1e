"""The event loop, and blocking work beside it; a turn's clock; and who is told something meanwhile.

For blocking work nobody waits once it is cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from .errors import OutOfTime

_T = TypeVar("_T")


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """What *work* returns, on an event loop of its own."""
    # psycopg can't work with what is the default there.
    factory = asyncio.SelectorEventLoop if sys.platform == "win32" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


async def aside(work: Callable[[], _T]) -> _T:
    """What *work* returns or raises.

    asyncio.to_thread would have the whole program wait for the thread's end, even after Ctrl-C.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()

    def deliver(result: _T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def target() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 (handed on, to be raised where it is awaited)
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result, error)

    threading.Thread(target=target, name="aside", daemon=True).start()
    return await future


# A turn's own: many may be under way in one process.
listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    if (tell := listener.get()) is not None:
        tell(text)


# Set by a turn that was told to end: what is still to be written has one short try.
hurried: ContextVar[bool] = ContextVar("hurried", default=False)


class Clock:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()
        self._away = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since it began, whoever's they were."""
        return time.monotonic() - self._began

    def left(self) -> float:
        """Seconds of our own that are left, more than 0. Raises OutOfTime."""
        left = self._seconds - (self.elapsed - self._away)
        if left <= 0:
            raise self.out_of_time()
        return left

    def out_of_time(self) -> OutOfTime:
        return OutOfTime(
            f"This took more than {self._seconds:g} s.", hint="Ask for less, or allow more: --timeout 120"
        )

    @contextmanager
    def away(self) -> Iterator[None]:
        """Time that does not count."""
        left = time.monotonic()
        try:
            yield
        finally:
            self._away += time.monotonic() - left
