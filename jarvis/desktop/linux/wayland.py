"""Take a picture of a Wayland screen: by grim, by the desktop's portal, or by the desktop's own program."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from ...core.errors import CaptureFailed
from .. import programs, shots
from .advice import install, is_wlroots
from .portal import by_portal
from .session import check_only_ours, which

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

_GRIM = ("grim",)
PORTAL = ("the portal",)
_OTHERS = (("gnome-screenshot", "-f"), ("spectacle", "-b", "-n", "-f", "-o"))


def by_wayland(env: Mapping[str, str], timeout: float, patience: float) -> Image.Image:
    """Return the picture from the first way that gives one. After a refusal, no other way is tried.

    timeout: seconds for a program, or for the portal to take the request.
    patience: seconds for the person to answer, if the portal asks.
    """
    tried = []
    for way in ways(env):
        picture = by_portal(env, timeout, patience) if way == PORTAL else _run(way, env, timeout)
        if picture:
            return picture
        tried.append(way[0])
    raise CaptureFailed(none_from(tried), hint=install(env))


def ways(env: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the ways that may work here, the best for this desktop first."""
    known = (_GRIM, PORTAL, *_OTHERS) if is_wlroots(env) else (PORTAL, *_OTHERS, _GRIM)
    return [way for way in known if way == PORTAL or which(way[0], env)]


def none_from(tried: list[str]) -> str:
    """Return why there is no picture, where none of the ways that were *tried* gave one."""
    if tried == list(PORTAL):
        return "This desktop has no portal for pictures, and no program that can photograph it is installed."
    return f"Your desktop did not allow the picture ({', '.join(tried)} gave none)."


def _run(way: tuple[str, ...], env: Mapping[str, str], timeout: float) -> Image.Image | None:
    import tempfile  # not needed for a portal's picture

    program = which(way[0], env) or way[0]
    check_only_ours(program, way[0], env)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "screen.png")
        ended = programs.run_program([program, *way[1:], file], env, timeout)
        with contextlib.suppress(CaptureFailed):
            return None if ended.trouble else shots.read_picture(file)
    return None
