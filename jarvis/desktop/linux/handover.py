"""Read the file in which a portal delivers a picture, and delete it if it was made for us."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes, urlsplit

from ...config.paths import home_of
from ...core.errors import CaptureFailed
from .. import shots
from ..folders import pictures
from .session import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

_SLACK = 2.0  # seconds: as coarse as the times of a FAT file system


def take_over(uri: str, since: float, env: Mapping[str, str]) -> Image.Image | None:
    """Return the picture at *uri*; None if there is none made after *since* (seconds since 1970).

    The time is checked because one backend always names the same file, which may be left from another day,
    or be another person's.
    """
    try:
        path = _path(uri)
        with open(path, "rb", opener=_open) as file:
            made = os.fstat(file.fileno())
            if not _is_new_and_ours(made, since):
                return None
            picture = shots.read_picture(file)
    except (OSError, ValueError, CaptureFailed):
        return None
    _remove(path, made, env)
    return picture


def _path(uri: str) -> str:
    """Return the path that a file URI of this machine names; "" for any other URI."""
    parts = urlsplit(uri)
    local = parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/")
    return os.fsdecode(unquote_to_bytes(parts.path)) if local else ""


def _open(path: str, flags: int) -> int:
    # Don't follow a link that others may have put into /tmp, and don't wait for a pipe.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_new_and_ours(made: os.stat_result, since: float) -> bool:
    return stat.S_ISREG(made.st_mode) and made.st_uid == os.getuid() and made.st_mtime >= since - _SLACK


def _remove(path: str, made: os.stat_result, env: Mapping[str, str]) -> None:
    """Delete the file if it was made only to deliver the picture.

    No rule says who has to delete it. We do if it is new and the person's own (checked when it was opened),
    is a picture that was read to its end, is still the same file, and lies where portals put the files that
    they make for a request. Otherwise it stays: a copy too many is better than a lost file.
    """
    try:
        if _is_handover_place(os.path.dirname(path), env) and os.path.samestat(os.lstat(path), made):
            os.unlink(path)
    except OSError:  # already gone, or it can't be deleted
        pass


def _is_handover_place(folder: str, env: Mapping[str, str]) -> bool:
    cache = env.get("XDG_CACHE_HOME") or os.path.join(home_of(env), ".cache")
    # The portal is another program: its TMPDIR may differ from ours.
    places = ("/tmp", env.get("TMPDIR") or "/tmp", runtime(env), cache, pictures(env))  # noqa: S108
    inside = os.path.realpath(folder)
    return any(os.path.commonpath((inside, place)) == place for place in map(os.path.realpath, places))
