"""Takes a picture of the whole screen.

Never the X way under Wayland: XWayland answers with black pixels and no error.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..errors import CaptureFailed
from . import shots
from .proc import child_env, which
from .session import WAYLAND, require

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

_GRIM = ("grim",)
_OTHERS = (("gnome-screenshot", "-f"), ("spectacle", "-b", "-n", "-f", "-o"))
_WLROOTS = ("SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE")


def capture(path: str, env: Mapping[str, str], timeout: float) -> tuple[int, int]:
    """Save the whole screen as PNG at *path*; its size in pixels (width, height).

    timeout: seconds for a program that takes the picture for us.
    """
    picture = _by_program(env, timeout) if require(env) == WAYLAND else _by_x11(env)
    return shots.keep(picture, path)


def _by_x11(env: Mapping[str, str]) -> Image.Image:
    from PIL import ImageGrab

    try:
        # Without an explicit display, Pillow tries other programs and leaves their files behind.
        return ImageGrab.grab(xdisplay=env["DISPLAY"])
    except OSError as error:
        raise CaptureFailed(
            f"The screen could not be read: {error}.", hint="xhost +si:localuser:$(id -un)"
        ) from error


def _by_program(env: Mapping[str, str], timeout: float) -> Image.Image:
    """By the first program that makes a picture: each knows another family of desktops."""
    is_wlroots = any(env.get(name) for name in _WLROOTS)
    tools = (_GRIM, *_OTHERS) if is_wlroots else (*_OTHERS, _GRIM)
    tried = []
    for tool in tools:
        if which(tool[0], env):
            tried.append(tool[0])
            picture = _run(tool, env, timeout)
            if picture:
                return picture
    if tried:
        raise CaptureFailed(
            f"Your desktop did not allow the picture ({', '.join(tried)} gave none).", hint=_install(env)
        )
    raise CaptureFailed("No program that can photograph this desktop is installed.", hint=_install(env))


def _run(tool: tuple[str, ...], env: Mapping[str, str], timeout: float) -> Image.Image | None:
    import subprocess
    import tempfile

    from PIL import Image

    null = subprocess.DEVNULL  # a captured pipe would hang if the program leaves a child behind
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "screen.png")
        argv = [which(tool[0], env) or tool[0], *tool[1:], file]
        try:
            subprocess.run(
                argv, env=child_env(env), stdin=null, stdout=null, stderr=null,
                start_new_session=True, timeout=timeout, check=True,
            )  # fmt: skip
            with Image.open(file) as picture:
                return picture.convert("RGB")
        except (OSError, subprocess.SubprocessError):
            return None


def _install(env: Mapping[str, str]) -> str:
    desktop = env.get("XDG_CURRENT_DESKTOP", "").upper()
    package = "gnome-screenshot" if "GNOME" in desktop else "kde-spectacle" if "KDE" in desktop else "grim"
    return f"sudo apt install {package}"
