"""Take a picture of the whole screen: X11's by Pillow, Wayland's by grim, a portal or the desktop's program.

Under Wayland never by X: XWayland answers with black pixels and no error.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from PIL import ImageGrab

from ...core.errors import CaptureFailed
from ..pictures import keep, read_picture
from ..programs import run_program
from .portal import by_portal
from .session import WAYLAND, check_only_ours, require, which

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

PORTAL = ("the portal",)
_GRIM = ("grim",)
_OTHERS = (("gnome-screenshot", "-f"), ("spectacle", "-b", "-n", "-f", "-o"))
_WLROOTS = ("SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE")


def capture(path: str, env: Mapping[str, str], timeout: float, patience: float) -> tuple[int, int]:
    """Save the whole screen as PNG at *path*. Return its size in pixels (width, height).

    timeout: seconds for a program that takes the picture for us.
    patience: seconds for the person to answer, if the desktop asks first.
    """
    picture = _by_wayland(env, timeout, patience) if require(env) == WAYLAND else _by_x11(env)
    return keep(picture, path)


def _by_x11(env: Mapping[str, str]) -> Image.Image:
    try:
        # Without an explicit display, Pillow tries other programs and leaves their files behind.
        return ImageGrab.grab(xdisplay=env["DISPLAY"])
    except OSError as error:
        raise CaptureFailed(
            f"The screen could not be read: {error}.", hint="xhost +si:localuser:$(id -un)"
        ) from error


def _by_wayland(env: Mapping[str, str], timeout: float, patience: float) -> Image.Image:
    """Return the picture from the first way that gives one. After a refusal, no other way is tried."""
    tried, setting = ways(env), _family(env).setting
    for way in tried:
        picture = by_portal(env, timeout, patience, setting) if way == PORTAL else _run(way, env, timeout)
        if picture:
            return picture
    raise nothing_from(tried, env)


def _run(way: tuple[str, ...], env: Mapping[str, str], timeout: float) -> Image.Image | None:
    program = which(way[0], env) or way[0]
    check_only_ours(program, way[0], env)
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(CaptureFailed):
        file = os.path.join(folder, "screen.png")
        ended = run_program([program, *way[1:], file], env, timeout)
        return None if ended.trouble else read_picture(file)
    return None


def ways(env: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the ways to a picture that may work under this Wayland, the best first."""
    known = (_GRIM, PORTAL, *_OTHERS) if _is_wlroots(env) else (PORTAL, *_OTHERS, _GRIM)
    return [way for way in known if way == PORTAL or which(way[0], env)]


def nothing_from(tried: list[tuple[str, ...]], env: Mapping[str, str]) -> CaptureFailed:
    """Return the error that none of the ways that were *tried* gave a picture, with what to install."""
    family = _family(env)
    missing = family.portal if which(family.program, env) else family.package
    names = ", ".join(way[0] for way in tried)
    text = f"Your desktop did not allow the picture ({names} gave none)."
    if tried == [PORTAL]:
        text = "This desktop has no portal for pictures, and no program that can photograph it is installed."
    return CaptureFailed(text, hint=f"sudo apt install {missing}")


class _Family(NamedTuple):
    """Desktops whose screen is photographed in the same way."""

    program: str
    package: str  # the package of the program
    portal: str  # the package of the portal's backend for this family
    setting: str = "In your desktop's settings, allow screenshots for your terminal."


_FAMILIES = {
    "GNOME": _Family(
        "gnome-screenshot",
        "gnome-screenshot",
        "xdg-desktop-portal-gnome",
        "In Settings > Apps > your terminal, switch on Screenshots.",
    ),
    "KDE": _Family(
        "spectacle",
        "kde-spectacle",
        "xdg-desktop-portal-kde",
        "In System Settings > Application Permissions, allow screenshots for your terminal.",
    ),
}
_OTHER = _Family("grim", "grim", "xdg-desktop-portal-wlr")


def _family(env: Mapping[str, str]) -> _Family:
    desktop = env.get("XDG_CURRENT_DESKTOP", "").upper()
    return next((family for name, family in _FAMILIES.items() if name in desktop), _OTHER)


def _is_wlroots(env: Mapping[str, str]) -> bool:
    """Return whether this is sway, Hyprland or similar: these let any program photograph the screen."""
    return any(env.get(name) for name in _WLROOTS)
