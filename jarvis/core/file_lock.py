"""A lock on a file, which dies with the process that holds it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator

from .errors import StoreFailed
from .files import private_file

if sys.platform == "win32":
    import msvcrt

    # Others can't read what is locked there: so it lies far behind the text, where the file has nothing.
    _FAR = 1 << 30

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def give_back(descriptor: int) -> None:
        """Closing does it too, but Windows does not say how soon."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def give_back(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


# Seconds. A brain that waits here gives no sign of life, and is killed after four seconds without one.
PATIENCE = 2.0


def taken(path: str) -> int | None:
    """The descriptor of the file at *path*, which is locked now; None where another has it."""
    # Not inheritable (Python's default), or a browser we start would keep it.
    descriptor = os.open(private_file(path), os.O_RDWR)
    try:
        _lock(descriptor)
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
    while (descriptor := taken(path)) is None:
        if time.monotonic() > deadline:
            raise StoreFailed(f"{path} is locked by another program.", hint="Try again in a moment.")
        time.sleep(0.01)  # a lock that is waited for has no time limit
    try:
        yield
    finally:
        give_back(descriptor)
        os.close(descriptor)
