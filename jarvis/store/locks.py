"""Locks a thread for one model turn at a time. A lock ends with the process that holds it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from typing import Protocol

from ..core.files import give_back, taken


class Lock(Protocol):
    """The lock of one thread."""

    async def take(self) -> bool:
        """Return whether the lock is ours now. Never waits for its holder."""
        ...

    async def holder(self) -> str:
        """Return who holds the lock, in words, as far as that is known; may be empty."""
        ...

    async def confirm(self) -> None:
        """Raise ThreadBusy where the lock was lost meanwhile, and taken by another."""
        ...

    async def release(self) -> None: ...


Locks = Callable[[str], Lock]  # the lock of a thread


def file_locks(state_folder: str) -> Locks:
    return lambda thread: FileLock(state_folder, thread)


class FileLock:
    """A lock on a file. The file stays: if it were removed, two processes could hold the lock."""

    def __init__(self, state_folder: str, thread: str) -> None:
        # Hashed, since two names may be one file name where case does not count.
        name = hashlib.blake2b(thread.encode(), digest_size=12).hexdigest()
        self._path = os.path.join(state_folder, "locks", name)
        self._descriptor: int | None = None

    async def take(self) -> bool:
        descriptor = taken(self._path)
        if descriptor is None:
            return False
        with contextlib.suppress(OSError):  # on a full disk nobody can be told who it is, and that is all
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, b"%-20d" % os.getpid())
        self._descriptor = descriptor
        return True

    async def holder(self) -> str:
        try:
            with open(self._path, "rb") as file:  # noqa: ASYNC230 (twenty bytes of a local file)
                return f"process {int(file.read(20))}"
        except (OSError, ValueError):
            return ""

    async def confirm(self) -> None:
        """Do nothing: a lock on a file is lost with its process only."""

    async def release(self) -> None:
        if self._descriptor is not None:
            give_back(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
