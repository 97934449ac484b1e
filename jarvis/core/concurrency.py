"""The event loop, and blocking work beside it, for which nobody waits once it is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from .errors import attempt

_T = TypeVar("_T")


def run_async(work: Coroutine[Any, Any, _T]) -> _T:
    """What *work* returns, on an event loop of its own."""
    # psycopg can't work with what is the default there.
    factory = asyncio.SelectorEventLoop if sys.platform == "win32" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


async def aside(work: Callable[[], _T]) -> _T:
    """Do *work* on a thread of its own, and return what it returns.

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
        result, error = attempt(work)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result, error)

    threading.Thread(target=target, name="aside", daemon=True).start()
    return await future
