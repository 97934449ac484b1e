"""Makes files and folders that only their owner can read, and locks files while a process lives."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator

from .errors import AnothersFile, StoreFailed
from .owners import is_own, own_home, owned_by_another


def private_folder(path: str) -> str:
    """Make the folder *path*, and those above it, with mode 0700 where they are missing. Return *path*.

    Raises StoreFailed; nothing is made in a folder of another user.
    """
    check_owner(path)
    if not os.path.isdir(parent := os.path.dirname(path)):
        private_folder(parent)  # makedirs would make these readable for all
    try:
        with contextlib.suppress(FileExistsError):  # by another process, just now; or it is no folder
            os.mkdir(path, 0o700)
        mode = os.stat(path).st_mode
        if not stat.S_ISDIR(mode):  # whatever it is, its mode is none of our business
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if mode & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise StoreFailed(
            f"The folder {path} can't be used: {error.strerror}.",
            hint="Make it writable, or choose another: export JARVIS_HOME=~/jarvis",
        ) from None
    return path


def private_file(path: str) -> str:
    """Make the file *path*, with mode 0600 in a private folder, if it is missing. Return *path*."""
    private_folder(os.path.dirname(path))
    try:
        status = _there(path) or _made(path)
        if is_own(status) and stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
            os.chmod(path, 0o600)
    except OSError as error:
        raise StoreFailed(
            f"The file {path} can't be used: {error.strerror}.",
            hint="Make it writable, or choose another folder: export JARVIS_HOME=~/jarvis",
        ) from None
    if not is_own(status):
        raise _anothers(path, path)
    return path


def _there(path: str) -> os.stat_result | None:
    """Return the status of *path*; None where there is none. Raises OSError where it can't be used.

    It is not opened: to close it again would end every lock that this process has on it, SQLite's too.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    fault = errno.ELOOP if stat.S_ISLNK(status.st_mode) and hasattr(os, "O_NOFOLLOW") else 0
    fault = fault or (errno.EISDIR if stat.S_ISDIR(status.st_mode) else 0)
    if not fault and is_own(status) and not os.access(path, os.R_OK | os.W_OK):
        fault = errno.EACCES
    if fault:
        raise OSError(fault, os.strerror(fault))
    return status


def _made(path: str) -> os.stat_result:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def check_owner(path: str) -> None:
    """Raise StoreFailed where *path*, or anything on the way to it, belongs to another user.

    That user could have us write into some other file, whatever the mode. *path* need not be there.
    """
    try:
        other = owned_by_another(path)
    except OSError as error:
        hint = f"Choose a folder of your own: export JARVIS_HOME={own_home()}/jarvis"
        raise StoreFailed(f"{path} can't be used: {error.strerror}.", hint=hint) from None
    if other:
        raise _anothers(path, other.path)


def _anothers(path: str, theirs: str) -> AnothersFile:
    whose = "it" if theirs == path else theirs
    return AnothersFile(
        f"{path} can't be used: {whose} belongs to another user.",
        hint=f"Choose a folder of your own: export JARVIS_HOME={own_home()}/jarvis",
    )


def replace_file(path: str, text: str) -> None:
    """Put *text* at *path*, all or nothing, for the owner alone. One writer at a time.

    Where *path* is a link, the file that it leads to is replaced. Raises StoreFailed, with nothing changed.
    """
    path = os.path.realpath(path)
    new = f"{path}.new"
    try:
        with contextlib.suppress(FileNotFoundError):  # one that a crash left
            os.remove(new)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        with open(os.open(new, flags, 0o600), "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
        _sync_folder(os.path.dirname(path))
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(new)
        raise StoreFailed(
            f"{path} can't be written: {error.strerror}.", hint="Make its folder writable, then try again."
        ) from None


def _sync_folder(path: str) -> None:
    """Make sure that a new name survives a loss of power. Windows has no way to."""
    if os.name != "nt":
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


if sys.platform == "win32":
    import msvcrt

    # Others can't read what is locked there: so it lies far behind the text, where the file has nothing.
    _FAR = 1 << 30

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def give_back(descriptor: int) -> None:
        """Unlock it. Closing does that too, but Windows does not say how soon."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:

    def _lock(descriptor: int) -> None:
        import fcntl  # a plain command locks nothing

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def give_back(descriptor: int) -> None:
        import fcntl  # by now it is there

        fcntl.flock(descriptor, fcntl.LOCK_UN)


# Seconds. A brain that waits here gives no sign of life, and is killed after four seconds without one.
PATIENCE = 2.0


def taken(path: str) -> int | None:
    """Lock the file at *path* and return its descriptor; None where another process has the lock."""
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
    """Hold the lock on the file at *path* while this block is done, which is to take a moment.

    The file stays. Raises StoreFailed where another process holds the lock for long.
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
