"""Who is at work in a thread: one model turn at a time, by a lock that dies with its holder."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from ..errors import StoreFailed
from .files import private_file

if sys.platform == "win32":
    import msvcrt

    # Others can't read what is locked there: so it lies far behind the text, where the file has nothing.
    _FAR = 1 << 30

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _give_back(descriptor: int) -> None:
        """Closing does it too, but Windows does not say how soon."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _give_back(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


# Seconds. A brain that waits here gives no sign of life, and is killed after four seconds without one.
PATIENCE = 2.0


class Lock(Protocol):
    """Whose turn it is in one thread."""

    async def take(self) -> bool:
        """Whether it is ours now. Never waits for its holder."""
        ...

    async def holder(self) -> str:
        """Who holds it, in words, as far as that is known; may be empty."""
        ...

    async def confirm(self) -> None:
        """Raises ThreadBusy where it was lost meanwhile, and taken by another."""
        ...

    async def release(self) -> None: ...


Locks = Callable[[str], Lock]  # the lock of a thread


def file_locks(state_folder: str) -> Locks:
    return lambda thread: FileLock(state_folder, thread)


class FileLock:
    """Its file stays: removing it would let two hold it."""

    def __init__(self, state_folder: str, thread: str) -> None:
        # Hashed, since two names may be one file name where case does not count.
        name = hashlib.blake2b(thread.encode(), digest_size=12).hexdigest()
        self._path = os.path.join(state_folder, "locks", name)
        self._descriptor: int | None = None

    async def take(self) -> bool:
        descriptor = _taken(self._path)
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
        """A lock on a file is lost with its process only."""

    async def release(self) -> None:
        if self._descriptor is not None:
            _give_back(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


def _taken(path: str) -> int | None:
    """The descriptor of the file at *path*, which is locked now; None where another has it."""
    # Not inheritable (Python's default), or a browser we start would keep it.
    descriptor = os.open(private_file(path), os.O_RDWR)
    try:
        _take(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:
        os.close(descriptor)
        if error.errno == errno.EACCES:  # how Windows says that it is taken
            return None
        raise StoreFailed(
            f"{path} can't be locked: {error.strerror}.",
            hint="Keep the folder on a local disk: export JARVIS_HOME=~/jarvis",
        ) from None
    return descriptor


@contextlib.contextmanager
def alone(path: str) -> Iterator[None]:
    """For what takes a moment: while no other process has locked the file at *path*, which stays.

    Raises StoreFailed where another has it for long.
    """
    deadline = time.monotonic() + PATIENCE
    while (descriptor := _taken(path)) is None:
        if time.monotonic() > deadline:
            raise StoreFailed(f"{path} is locked by another program.", hint="Try again in a moment.")
        time.sleep(0.01)  # a lock that is waited for has no time limit
    try:
        yield
    finally:
        _give_back(descriptor)
        os.close(descriptor)
