"""Who on this machine can change what is at a path: this person and root alone, or others too.

On Windows, whose modes and owners say nothing here, nobody else ever can.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator

from .errors import SettingsError
from .stdlib import NamedTuple

_MOST_LINKS = 40


class Other(NamedTuple):
    """What is not in this person's hands alone."""

    path: str
    status: os.stat_result

    @property
    def is_theirs(self) -> bool:
        """Whether it belongs to another user; else it can be written by others."""
        return not is_own(self.status)


def own_uid() -> int:
    if sys.platform == "win32":
        return 0  # that of every file there
    else:  # noqa: RET505 (mypy knows a platform's code by its branch)
        return os.getuid()


def own_home() -> str:
    """This person's own folder, whatever HOME is, as sudo may leave it; empty for one who has none."""
    if sys.platform == "win32":
        return os.path.expanduser("~")
    else:  # noqa: RET505
        import pwd  # few have to

        try:
            return pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:  # a container's made-up user
            return ""


def is_own(status: os.stat_result) -> bool:
    """Whether it is this person's or root's; or that of whoever owns `/`, and so can replace all of it.

    In a sandbox in which root does not appear, another user stands for root.
    """
    return status.st_uid in (0, own_uid()) or status.st_uid == os.stat("/").st_uid


def is_shared(status: os.stat_result) -> bool:
    """Whether others can write it, by its mode."""
    if status.st_mode & stat.S_IWOTH:
        return sys.platform != "win32"
    return bool(status.st_mode & stat.S_IWGRP) and not is_private(status.st_gid)


def owned_by_another(path: str) -> Other | None:
    """The first folder, link or file on the way to *path* that belongs to another user."""
    return next((Other(at, status) for at, status in _on_the_way(path) if not is_own(status)), None)


def changed_by_others(program: str) -> Other | None:
    """What on the way to *program* others can change, so that they say what runs.

    A folder where all may put files but not touch another's, as /tmp, counts if the program lies in it.
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
    """All that is passed on the way to *path*, links one by one; it ends early where nothing is."""
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
    """Whether this person, or root, is alone in the group of their own name; where that can't be told, no.

    By the name, since a directory service need not list who else is in a group.
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
    """Whether the *group* is that of one of *names*, and has nobody else among its *members*."""
    return group in names and members <= names


def check_folder(path: str) -> None:
    """Raises SettingsError where others may put files into the folder at *path*; it need not be there."""
    try:
        status = os.stat(path)
    except OSError:  # then there is nothing in it to be read
        return
    check_private(status, path)


def check_private(status: os.stat_result, path: str, *, named: bool = False) -> None:
    """Raises SettingsError where others can write what *status* tells of, which is at *path*.

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
