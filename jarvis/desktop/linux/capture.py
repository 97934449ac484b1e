"""Take a picture of the whole screen.

Under Wayland never by X: XWayland answers with black pixels and no error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.errors import CaptureFailed
from .. import shots
from .session import WAYLAND, require
from .wayland import by_wayland

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image


def capture(path: str, env: Mapping[str, str], timeout: float, patience: float) -> tuple[int, int]:
    """Save the whole screen as PNG at *path*. Return its size in pixels (width, height).

    timeout: seconds for a program that takes the picture for us.
    patience: seconds for the person to answer, if the desktop asks first.
    """
    picture = by_wayland(env, timeout, patience) if require(env) == WAYLAND else _by_x11(env)
    return shots.keep(picture, path)


def _by_x11(env: Mapping[str, str]) -> Image.Image:
    from PIL import ImageGrab  # not needed under Wayland

    try:
        # Without an explicit display, Pillow tries other programs and leaves their files behind.
        return ImageGrab.grab(xdisplay=env["DISPLAY"])
    except OSError as error:
        raise CaptureFailed(
            f"The screen could not be read: {error}.", hint="xhost +si:localuser:$(id -un)"
        ) from error
