"""Takes over the file in which a portal hands us a picture, and removes it where it is ours to remove."""

from __future__ import annotations

import os
import stat
from urllib.parse import unquote_to_bytes, urlsplit

from ...config.paths import home_of
from ...core.errors import CaptureFailed
from ...core.stdlib import TYPE_CHECKING
from .. import shots
from ..folders import pictures
from .session import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

_SLACK = 2.0  # seconds: as coarse as the times of a FAT file system


def take_over(uri: str, since: float, env: Mapping[str, str]) -> Image.Image | None:
    """The picture at *uri*, None if there is none that was made after *since* (seconds since 1970).

    The portal's word alone is not enough: one backend always names the same file, which may be left from
    another day, or another person's.
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
    """The path that a file URI of this machine names, "" for any other."""
    parts = urlsplit(uri)
    local = parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/")
    return os.fsdecode(unquote_to_bytes(parts.path)) if local else ""


def _open(path: str, flags: int) -> int:
    # Not through a link that others may have put into /tmp, nor waiting at a pipe.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_new_and_ours(made: os.stat_result, since: float) -> bool:
    return stat.S_ISREG(made.st_mode) and made.st_uid == os.getuid() and made.st_mtime >= since - _SLACK


def _remove(path: str, made: os.stat_result, env: Mapping[str, str]) -> None:
    """Remove what was only made to hand the picture over.

    No rule says whose the file is. It is taken for ours if it is new and the person's own (as was found when
    it was opened), is a picture that was read to its end, still is that very file, and lies where portals put
    what they make for a request. Anything else stays: a copy too many is better than a file lost.
    """
    try:
        if _is_handover_place(os.path.dirname(path), env) and os.path.samestat(os.lstat(path), made):
            os.unlink(path)
    except OSError:  # gone by itself, or not to be removed
        pass


def _is_handover_place(folder: str, env: Mapping[str, str]) -> bool:
    cache = env.get("XDG_CACHE_HOME") or os.path.join(home_of(env), ".cache")
    # The portal is a program of its own: our TMPDIR need not be its.
    places = ("/tmp", env.get("TMPDIR") or "/tmp", runtime(env), cache, pictures(env))  # noqa: S108
    inside = os.path.realpath(folder)
    return any(os.path.commonpath((inside, place)) == place for place in map(os.path.realpath, places))
