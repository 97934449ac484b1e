"""Waits for a server that is away, as long as a work may, and tells the person of it."""

from __future__ import annotations

import asyncio
import time
from typing import Self

from ..core.errors import ServiceUnreachable
from ..core.frontend import notice
from .postgres_errors import NoConnectionLeft

_PAUSE = 0.3  # seconds between two attempts
_SHORT = 1.0  # seconds that a person need not be told of
_FULL = 4.0  # seconds, where the server is well and others have all of its connections


class Patience:
    """That of one work, from now on."""

    def __init__(self, name: str, seconds: float) -> None:
        """name: of the server."""
        self._name = name
        self._seconds = seconds
        self._began = time.monotonic()
        self._telling: asyncio.TimerHandle | None = None
        self._told = False
        self._repeats = 3  # at most, of what others at the same rows undid

    def may_repeat(self) -> bool:
        """Return whether what another transaction undid is to be tried again, at once."""
        self._repeats -= 1
        return self._repeats >= 0

    async def wait(self, trouble: ServiceUnreachable) -> bool:
        """Return whether the work is to be tried again after *trouble*, once it is time to.

        The first time it is at once: a connection that was kept may have led nowhere.
        """
        waited, is_full = time.monotonic() - self._began, isinstance(trouble, NoConnectionLeft)
        if waited > _FULL and is_full:
            return False
        if not self._telling:
            what = "has no connection left" if is_full else "can't be reached"
            in_seconds = max(0, _SHORT - waited)
            self._telling = asyncio.get_running_loop().call_later(in_seconds, self._tell, what)
            return True
        if waited > self._seconds:
            return False
        await asyncio.sleep(_PAUSE)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._telling:
            self._telling.cancel()
        if self._told and kind is None:
            notice(f"{self._name} is back")

    def _tell(self, what: str) -> None:
        self._told = True
        notice(f"{self._name} {what}: waiting for it")
