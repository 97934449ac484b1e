"""Take a picture of the screen: X11's by Pillow, Wayland's as wayland.py has it.

Under Wayland never by X: XWayland answers with black pixels and no error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PIL import ImageGrab

from ...core.errors import CaptureFailed
from ..pictures import keep
from . import WAYLAND, require

if TYPE_CHECKING:
    from PIL import Image


def capture(
    path: str, env: Mapping[str, str], timeout: float, patience: float, *, is_part: bool = False
) -> tuple[int, int]:
    """Save the screen as PNG at *path*. Return its size in pixels (width, height).

    timeout: seconds for a program that takes the picture for us.
    patience: seconds for the person to answer, if the desktop asks first.
    is_part: what the person chooses of it, in a dialog of the desktop's.
    """
    if require(env) != WAYLAND and not is_part:
        return keep(_by_x11(env), path)
    from .wayland import picture_of_screen  # the session bus, which X11 does without

    return keep(picture_of_screen(env, timeout, patience, is_part=is_part), path)


def _by_x11(env: Mapping[str, str]) -> Image.Image:
    try:
        # Without an explicit display, Pillow tries other programs and leaves their files behind.
        return ImageGrab.grab(xdisplay=env["DISPLAY"])
    except OSError as error:
        raise CaptureFailed(
            f"The screen could not be read: {error}.", hint="xhost +si:localuser:$(id -un)"
        ) from error
