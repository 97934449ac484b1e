"""What a turn sets for all that runs in it: who is told meanwhile, and whether it is to hurry."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

# Set by a turn that was told to end: what is still to be written has one short try.
hurried: ContextVar[bool] = ContextVar("hurried", default=False)


# A turn's own: many may be under way in one process.
listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    if (tell := listener.get()) is not None:
        tell(text)
