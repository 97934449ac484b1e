"""Makes files that only their owner can read, locks some while a process lives, and tells whose a file is."""

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import NoReturn

from .errors import AnothersFile, SettingsError, StoreFailed

# Seconds. A brain that waits here gives no sign of life: well below those after which its client kills it.
PATIENCE = 2.0
_MOST_LINKS = 40
# Folders found to be this person's or root's, which no other user can replace: they are not looked at again.
_OWN_FOLDERS: dict[str, os.stat_result] = {}


def private_folder(path: str) -> str:
    """Create the folder *path* and missing parents with mode 0700. Return *path*.

    Raises StoreFailed. Creates nothing in another user's folder.
    """
    check_owner(path)
    with _usable(f"The folder {path}"):
        make_folder(path)
        mode = os.stat(path).st_mode
        if not stat.S_ISDIR(mode):  # whatever it is, its mode is none of our business
            raise _fault(errno.ENOTDIR)
        if mode & 0o077:
            os.chmod(path, 0o700)
    return path


def make_folder(path: str) -> None:
    """Create the folder *path* and missing parents for their owner only. Existing ones stay unchanged."""
    if path and not os.path.isdir(path):
        make_folder(os.path.dirname(path))  # makedirs would make these readable for all
        with contextlib.suppress(FileExistsError):  # by another process, just now; or it is no folder
            os.mkdir(path, 0o700)


def private_file(path: str) -> str:
    """Make the file *path*, with mode 0600 in a private folder, if it is missing. Return *path*.

    One that is there is not opened: to close it would end each lock of this process on it, SQLite's too.
    """
    private_folder(os.path.dirname(path))
    with _usable(f"The file {path}"):
        if not os.path.lexists(path):
            os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600))
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode) or stat.S_ISDIR(status.st_mode):
            raise _fault(errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.ELOOP)
        check_owner(path)
        if not os.access(path, os.R_OK | os.W_OK):
            raise _fault(errno.EACCES)
        if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
            os.chmod(path, 0o600)
    return path


def check_owner(path: str) -> None:
    """Raise StoreFailed if *path* or any folder above it belongs to another user.

    That user could redirect our writes to another file. *path* may be missing.
    """
    is_lasting = True
    with _usable(path):
        for at, status in _on_the_way(path, _OWN_FOLDERS):
            if not is_own(status):
                raise AnothersFile(
                    f"{path} can't be used: {'it' if at == path else at} belongs to another user.",
                    hint=f"Choose a folder of your own: export JARVIS_HOME={own_home()}/jarvis",
                )
            if is_lasting and stat.S_ISDIR(status.st_mode):
                _OWN_FOLDERS[at] = status
            is_lasting = is_lasting and bool(not is_shared(status) or status.st_mode & stat.S_ISVTX)


@contextlib.contextmanager
def _usable(what: str) -> Iterator[None]:
    """Raise StoreFailed where an OSError says that *what* can't be used."""
    try:
        yield
    except OSError as error:
        hint = f"Make it writable, or choose another place: export JARVIS_HOME={own_home()}/jarvis"
        raise StoreFailed(f"{what} can't be used: {error.strerror}.", hint=hint) from None


def _fault(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def replace_file(path: str, text: str) -> None:
    """Put *text* at *path*, all or nothing, for the owner only. One writer at a time.

    If *path* is a link, its target is replaced. Raises StoreFailed, with nothing changed.
    """
    path = os.path.realpath(path)
    with _usable(path):
        write_whole(path, text.encode())


def write_whole(path: str, body: bytes) -> None:
    """Put *body* at *path*, all or nothing, for the owner only. One writer at a time. Raises OSError."""
    new = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):  # one that a crash left
        os.remove(new)
    try:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        with open(os.open(new, flags, 0o600), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())  # or a loss of power could leave an empty one
        os.replace(new, path)
    finally:
        with contextlib.suppress(OSError):  # it is gone by now, but on a full disk
            os.remove(new)


def read_text(path: str) -> str:
    """Return the first MB of a small file, or "" if it is unreadable."""
    try:
        if not os.path.isfile(path):  # opening a pipe would wait until somebody writes to it
            return ""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(1024 * 1024)
    except OSError:
        return ""


# A lock ends with the process, or once its descriptor is closed.


def try_lock(path: str) -> int | None:
    """Try to lock *path*. Returns its descriptor, or None if another process holds the lock."""
    # Not inheritable (Python's default), or a browser we start would keep it.
    descriptor = os.open(private_file(path), os.O_RDWR)
    with _usable(f"The lock {path}"):
        try:
            _lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):  # as Unix and Windows say that it is taken
                return None
            raise
    return descriptor


@contextlib.contextmanager
def exclusive_lock(path: str) -> Iterator[int]:
    """Hold the lock on the file at *path*, whose descriptor is given, while this block is done.

    The file stays. Raises StoreFailed where another process holds the lock for long.
    """
    deadline = time.monotonic() + PATIENCE
    while (descriptor := try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise StoreFailed(f"{path} is locked by another program.", hint="Try again in a moment.")
        time.sleep(0.01)  # a lock that is waited for has no time limit
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def end_process(status: int) -> NoReturn:
    """End this process at once: tearing a big one down takes time for nothing."""
    os._exit(status)


# Tells who on this machine can change what is at a path: this person and root alone, or others too.

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def own_uid() -> int:
        return 0  # that of every file there

    def own_home() -> str:
        return os.path.expanduser("~")

    def is_private(_gid: int) -> bool:
        return True
else:
    import fcntl
    import grp
    import pwd

    own_uid = os.getuid

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def own_home() -> str:
        """Return this person's home folder by the user database, since sudo may leave another HOME.

        Empty for a user that it does not list.
        """
        try:
            return pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:  # a container's made-up user
            return ""

    def is_private(gid: int) -> bool:
        """Return whether the group *gid* has the name of this person, or of root, and no other members."""
        try:
            names = {pwd.getpwuid(uid).pw_name for uid in (0, os.getuid())}
            group = grp.getgrgid(gid)
        except KeyError:
            return False
        return group.gr_name in names and names.issuperset(group.gr_mem)


def is_own(status: os.stat_result) -> bool:
    """Return whether the file belongs to this user, to root, or to the owner of `/`.

    In a sandbox without root, another user takes its place.
    """
    return status.st_uid in (0, own_uid()) or status.st_uid == os.stat("/").st_uid


def is_shared(status: os.stat_result) -> bool:
    """Return whether others may write to the file, by its mode. Means nothing for a link or on Windows."""
    if stat.S_ISLNK(status.st_mode) or os.name == "nt":
        return False
    is_groups = status.st_mode & stat.S_IWGRP and not is_private(status.st_gid)
    return bool(status.st_mode & stat.S_IWOTH or is_groups)


def changed_by_others(program: str) -> tuple[str, str]:
    """Return the first path on the way to *program* that others can change, and how, or two empty texts.

    Whoever changes it decides what runs. A folder such as /tmp counts only if the program is directly in it.
    """
    for at, status in _on_the_way(program, {}):
        is_folder, within = stat.S_ISDIR(status.st_mode), os.path.dirname(at)
        if not is_folder and is_shared(os.lstat(within)):
            return within, f"other users of this machine can change {within}"
        if not is_own(status):
            return at, f"{at} belongs to another user of this machine"
        if is_shared(status) and not (is_folder and status.st_mode & stat.S_ISVTX):
            return at, f"other users of this machine can change {at}"
    return "", ""


def shared_folder(path: str) -> str:
    """Return the first folder on the way to *path* in which others can replace it, or "".

    They can do so in their own folders, and directly in /tmp.
    """
    with contextlib.suppress(OSError):  # what can't be reached can't be read either
        at, _ = changed_by_others(path)
        return at if os.path.isdir(at) else ""
    return ""


def names_near(path: str) -> list[str]:
    """Return the names in its folder that are similar to *path*, which is missing, else those of its kind."""
    from difflib import get_close_matches  # few files are missing

    folder, name = os.path.split(path)
    try:
        there = {each.casefold(): each for each in sorted(os.listdir(folder or "."))}
    except OSError:
        return []
    name = name.casefold()
    longer = [each for each in there if each.endswith(f" {name}")]
    kind = [each for each in there if each.endswith(os.path.splitext(name)[1] or "/")]
    near = longer or get_close_matches(name, there, 3) or kind[:3]
    return [os.path.join(folder, there[each]) for each in near if there[each].isprintable()]


def _on_the_way(
    path: str, statuses: Mapping[str, os.stat_result], most: int = _MOST_LINKS
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield each path on the way to *path*, link by link, up to the first that is missing.

    statuses: the status of folders that were checked already.
    """
    at = "/"
    for name in path.split("/") if sys.platform != "win32" else ():
        at = os.path.normpath(os.path.join(at, name))  # where links are resolved, `..` is plain
        try:
            status = statuses.get(at) or os.lstat(at)
        except (FileNotFoundError, NotADirectoryError):
            return
        yield at, status
        if stat.S_ISLNK(status.st_mode):
            if not most:
                raise _fault(errno.ELOOP)
            yield from _on_the_way(os.path.join(os.path.dirname(at), os.readlink(at)), statuses, most - 1)
            at = os.path.realpath(at)


def check_folder(path: str) -> None:
    """Raise SettingsError if others may add files to the folder at *path*, which may be missing."""
    with contextlib.suppress(OSError):  # then there is nothing in it to be read
        check_private(os.stat(path), path)


def check_private(status: os.stat_result, path: str, *, is_named: bool = False) -> None:
    """Raise SettingsError where others can write to the file at *path*, which has that *status*.

    is_named: the person named it, so it may be another's, as in a checkout that many share.
    """
    if is_shared(status):
        raise SettingsError(
            f"Other users of this machine can write to {path}, so it is not read.",
            hint=f"Look at it, then: chmod go-w {quote(path)}",
        )
    if not is_named and status.st_uid not in (0, own_uid()):
        raise SettingsError(
            f"{path} belongs to another user of this machine, so it is not read.",
            hint=f"Look at it, then: sudo chown $(id -u) {quote(path)}",
        )
