"""Files that say what Jarvis does: read only where nobody else can have written them."""

from __future__ import annotations

import os
import sys

from ..core.errors import SettingsError
from ..core.owners import is_shared


def check_folder(path: str) -> None:
    """Raises SettingsError where others may put files into the folder at *path*; it need not be there."""
    try:
        status = os.stat(path)
    except OSError:  # then there is nothing in it to be read
        return
    check(status, path)


def check(status: os.stat_result, path: str, *, named: bool = False) -> None:
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
