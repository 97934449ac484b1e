"""Something to know while waiting, said from deep down to whoever the turn under way is for."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

# A turn's own: many may be under way in one process.
listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    if (tell := listener.get()) is not None:
        tell(text)
