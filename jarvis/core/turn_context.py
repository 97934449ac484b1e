"""What belongs to the turn under way, wherever it is asked for: its clock, and who is told meanwhile.

Waiting for the person or the desktop is not a turn's own time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import OutOfTime

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


# A turn's own: many may be under way in one process.
listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    if (tell := listener.get()) is not None:
        tell(text)
