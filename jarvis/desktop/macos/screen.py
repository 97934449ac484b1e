"""Take a picture of a Mac's main screen.

The system's own program takes it, not Pillow, which runs the same one without a time limit and ignores its
status.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import TYPE_CHECKING, Any

from ...core.errors import CaptureFailed
from .. import programs, shots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PIL import Image

_CORE_GRAPHICS = "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"
_SETTINGS = "x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture"


def take(env: Mapping[str, str], root: str, may_capture: Callable[[], bool], timeout: float) -> Image.Image:
    """Return a picture of the main screen. timeout: seconds for the program that takes it."""
    # Without the permission the program reports success, and gives the wallpaper alone.
    if not may_capture():
        raise CaptureFailed(
            "This terminal may not see the screen. Allow it in System Settings > Privacy & Security > "
            "Screen & System Audio Recording, then restart the terminal.",
            hint=f"open '{_SETTINGS}'",
        )
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "screen.png")
        ended = programs.run_program(capture_argv(file, root), env, timeout)
        if ended.trouble:
            raise CaptureFailed(f"The screen could not be read: {ended.trouble}.")
        return shots.read_picture(file)


def capture_argv(file: str, root: str = "/") -> list[str]:
    """Return the command that writes the main screen to *file* as PNG, without a sound."""
    return [os.path.join(root, "usr/sbin/screencapture"), "-x", "-t", "png", file]


def may_capture(load: Callable[[str], Any] | None = None) -> bool:
    """Return whether this terminal may see the screen; if it may not, have the system ask the person.

    load: loads a library; None: ctypes does.
    Source: CGWindow.h, macOS 10.15; before it no permission was needed.
    """
    graphics = (load or ctypes.CDLL)(_CORE_GRAPHICS)
    try:
        allowed, ask = graphics.CGPreflightScreenCaptureAccess, graphics.CGRequestScreenCaptureAccess
    except AttributeError:
        return True
    allowed.restype = ask.restype = ctypes.c_bool
    return bool(allowed()) or bool(ask())
