"""Makes files that only their owner can read, locks some while a process lives, and tells whose a file is."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from .errors import AnothersFile, SettingsError, StoreFailed


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

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def give_back(descriptor: int) -> None:
        """Unlock it. Closing does that too, but Windows does not say how soon."""
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


# Tells who on this machine can change what is at a path: this person and root alone, or others too.


_MOST_LINKS = 40


class Other(NamedTuple):
    """A file or folder that others can change."""

    path: str
    status: os.stat_result

    @property
    def is_theirs(self) -> bool:
        """Whether it belongs to another user; otherwise others can write to it."""
        return not is_own(self.status)


def own_uid() -> int:
    if sys.platform == "win32":
        return 0  # that of every file there
    else:  # noqa: RET505 (mypy knows a platform's code by its branch)
        return os.getuid()


def own_home() -> str:
    """Return this person's home folder by the user database, since sudo may leave another HOME.

    Empty for a user that it does not list.
    """
    if sys.platform == "win32":
        return os.path.expanduser("~")
    else:  # noqa: RET505
        import pwd  # few have to

        try:
            return pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:  # a container's made-up user
            return ""


def is_own(status: os.stat_result) -> bool:
    """Return whether the file belongs to this person, to root, or to the owner of `/`.

    In a sandbox in which root does not appear, another user stands for root.
    """
    return status.st_uid in (0, own_uid()) or status.st_uid == os.stat("/").st_uid


def is_shared(status: os.stat_result) -> bool:
    """Return whether others can write to the file, by its mode."""
    if status.st_mode & stat.S_IWOTH:
        return sys.platform != "win32"
    return bool(status.st_mode & stat.S_IWGRP) and not is_private(status.st_gid)


def owned_by_another(path: str) -> Other | None:
    """Return the first folder, link or file on the way to *path* that belongs to another user."""
    return next((Other(at, status) for at, status in _on_the_way(path) if not is_own(status)), None)


def changed_by_others(program: str) -> Other | None:
    """Return what on the way to *program* others can change, and so decide what runs.

    A folder such as /tmp, where all may put files but not touch another's, counts if the program lies in it.
    """
    for at, status in _on_the_way(program):
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_own(status) or (_is_open(status) and not (is_folder and status.st_mode & stat.S_ISVTX)):
            return Other(at, status)
        if not is_folder and _is_open(within := os.lstat(os.path.dirname(at))):
            return Other(os.path.dirname(at), within)
    return None


def _is_open(status: os.stat_result) -> bool:
    return not stat.S_ISLNK(status.st_mode) and is_shared(status)  # a link's own mode says nothing


def _on_the_way(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all that is passed on the way to *path*, links one by one; stop where nothing is."""
    here, left, links = "/", path.split("/")[::-1], 0
    while left and sys.platform != "win32":
        at = os.path.normpath(os.path.join(here, left.pop()))  # where links are resolved, `..` is plain
        try:
            status = os.lstat(at)
        except (FileNotFoundError, NotADirectoryError):
            return
        yield at, status
        if not stat.S_ISLNK(status.st_mode):
            here = at
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        target = os.readlink(at)
        left += target.split("/")[::-1]
        here = "/" if target.startswith("/") else here


def is_private(gid: int) -> bool:
    """Return whether nobody but this person, or root, is in the group *gid*; False where that can't be told.

    The group must have their own name, since a directory service need not list its other members.
    """
    if sys.platform == "win32":
        return True
    else:  # noqa: RET505
        if gid not in (0, os.getgid()):
            return False
        # Few have to.
        import grp
        import pwd

        try:
            names = {pwd.getpwuid(uid).pw_name for uid in (0, os.getuid())}
            group = grp.getgrgid(gid)
            begin_in_it = {user.pw_name for user in pwd.getpwall() if user.pw_gid == gid}
        except (KeyError, OSError):
            return False
        return is_alone(names, group.gr_name, begin_in_it.union(group.gr_mem))


def is_alone(names: set[str], group: str, members: set[str]) -> bool:
    """Return whether the *group* is that of one of *names*, and has no other *members*."""
    return group in names and members <= names


def check_folder(path: str) -> None:
    """Raise SettingsError where others may put files into the folder at *path*; it need not be there."""
    try:
        status = os.stat(path)
    except OSError:  # then there is nothing in it to be read
        return
    check_private(status, path)


def check_private(status: os.stat_result, path: str, *, named: bool = False) -> None:
    """Raise SettingsError where others can write to the file at *path*, which has that *status*.

    named: the person named it, so it may be another's, as in a checkout that many share.
    """
    if sys.platform != "win32":  # modes say nothing there
        if is_shared(status):
            raise SettingsError(
                f"Other users of this machine can write to {path}, so it is not read.",
                hint=f"Look at it, then: chmod go-w {_quoted(path)}",
            )
        if not named and status.st_uid not in (0, os.getuid()):
            raise SettingsError(
                f"{path} belongs to another user of this machine, so it is not read.",
                hint=f"Look at it, then: sudo chown $(id -u) {_quoted(path)}",
            )


def _quoted(path: str) -> str:
    from shlex import quote  # few have to

    return quote(path)
