"""Waits for another program that holds an SQLite file, as long in the brain as without one.

SQLite itself never waits: within one of its own waits neither Ctrl-C nor anybody else's turn would be heard.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
Pause = Callable[[float], Awaitable[object]]

_SECONDS = 0.02  # between two attempts


async def sleep(seconds: float) -> None:
    """Wait where there is nobody else to serve, and no event loop."""
    time.sleep(seconds)  # noqa: ASYNC251 (that is the point)


async def patiently(work: Callable[[], T], seconds: float, pause: Pause) -> T:
    """Return what *work* returns. It is done again while another program holds the file."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        await pause(_SECONDS)
