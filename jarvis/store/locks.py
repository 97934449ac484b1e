"""Who is at work in a thread: one model turn at a time, by a lock that dies with its holder."""

from __future__ import annotations

import errno
import hashlib
import os
import sys

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


class ThreadLock:
    """The lock of one thread. Its file stays: removing it would let two hold it."""

    def __init__(self, state_folder: str, thread: str) -> None:
        # Hashed, since two names may be one file name where case does not count.
        name = hashlib.blake2b(thread.encode(), digest_size=12).hexdigest()
        self._path = os.path.join(state_folder, "locks", name)
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Whether it is ours now. Never waits."""
        # Not inheritable (Python's default), or a browser we start would keep it.
        descriptor = os.open(private_file(self._path), os.O_RDWR)
        try:
            _take(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError as error:
            os.close(descriptor)
            if error.errno == errno.EACCES:  # how Windows says that it is taken
                return False
            raise StoreFailed(
                f"{self._path} can't be locked: {error.strerror}.",
                hint="Keep the state folder on a local disk: export JARVIS_HOME=~/jarvis",
            ) from None
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, b"%-20d" % os.getpid())
        self._descriptor = descriptor
        return True

    def holder(self) -> int | None:
        """The process that holds it, as far as it has said so."""
        try:
            with open(self._path, "rb") as file:
                return int(file.read(20) or b"0") or None
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        if self._descriptor is not None:
            _give_back(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
