"""Tells who on this machine can change what is at a path: this person and root alone, or others too.

On Windows nobody else counts, since modes and owners say nothing there.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple

from .errors import SettingsError

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
