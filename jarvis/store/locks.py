"""Locks a thread for one model turn at a time. A lock ends with the process that holds it.

Where history is in Postgres it is held by a transaction that stays open, so behind a transaction pooler too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ..core.files import give_back, taken
from ..core.text import digest

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from .postgres import Postgres


class Lock(Protocol):
    """The lock of one thread."""

    async def take(self) -> bool:
        """Return whether the lock is ours now. Never waits for its holder."""
        ...

    async def release(self) -> None: ...


Locks = Callable[[str], Lock]  # the lock of a thread


class FileLock:
    """A lock on a file. The file stays: if it were removed, two processes could hold the lock."""

    def __init__(self, state_folder: str, thread: str) -> None:
        # A digest, since two names may be one file name where case does not count.
        self._path = os.path.join(state_folder, "locks", digest(thread))
        self._descriptor: int | None = None

    async def take(self) -> bool:
        self._descriptor = taken(self._path)
        return self._descriptor is not None

    async def release(self) -> None:
        if self._descriptor is not None:
            give_back(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


class AdvisoryLock:
    """A lock in Postgres, held by a transaction of its own on a connection of the pool.

    Where that connection is lost, so is the lock: another turn of the thread may begin beside this one.
    """

    def __init__(self, database: Postgres, thread: str) -> None:
        self._database = database
        self._held: AsyncExitStack | None = None  # ends the transaction
        key = int.from_bytes(bytes.fromhex(digest(f"{database.schema}/{thread}")), "big", signed=True)
        self._question = f"SELECT pg_try_advisory_xact_lock({key})"

    async def take(self) -> bool:
        self._held = await self._database.hold(self._question)
        return self._held is not None

    async def release(self) -> None:
        held, self._held = self._held, None
        if held:
            await held.aclose()
