"""Take a picture of an X11 screen, or read one, and save all of it or nothing."""

from __future__ import annotations

import os
from io import BytesIO
from typing import IO, TYPE_CHECKING

from ..core.errors import ActionFailed, CaptureFailed
from ..core.files import make_folder, write_whole

if TYPE_CHECKING:
    from PIL import Image

_UNSAVED = "save_failed"  # the code of a failure


def keep(picture: Image.Image, path: str) -> tuple[int, int]:
    """Save *picture* as PNG at *path*, unless it is blank or a file is there. Return its size in pixels.

    Raises ActionFailed.
    """
    if picture.getcolors(1) is not None:  # None: more than one
        raise CaptureFailed(
            "The picture was blank: one color all over.",
            hint="Unlock or wake the screen, then try again. Still blank? jarvis doctor",
        )
    folder, body = os.path.dirname(path), BytesIO()
    body.name = path
    picture.save(body, compress_level=1)  # as its name says: of all formats that loads one
    if os.path.lexists(path):  # its name was chosen as one that is free, a moment ago
        hint = "Try again: the next picture gets another name."
        raise ActionFailed(f"{path} already exists.", hint=hint, code=_UNSAVED)
    try:
        make_folder(folder)
        write_whole(path, body.getvalue())
    except OSError as error:
        message = f"Can't write the picture to {folder}: {error.strerror or error}."
        raise ActionFailed(
            message, hint="Make it writable, or free some disk space.", code=_UNSAVED
        ) from error
    return picture.size


def picture_of_x11(display: str) -> Image.Image:
    """Return the picture of the screen *display*. Raises CaptureFailed."""
    from PIL import ImageGrab  # only needed for a picture

    try:
        # Without an explicit display, Pillow tries other programs and leaves their files behind.
        return ImageGrab.grab(xdisplay=display)
    except OSError as error:
        hint = "xhost +si:localuser:$(id -un)"
        raise CaptureFailed(f"The screen could not be read: {error}.", hint=hint) from error


def read_picture(source: str | IO[bytes]) -> Image.Image:
    """Return the picture in *source*, a path or an open file. Raises CaptureFailed."""
    from PIL import Image  # as above

    try:
        with Image.open(source, formats=("PNG", "JPEG")) as picture:  # others may have Pillow run a program
            return picture.convert("RGB")
    except Exception as error:  # a broken picture raises unrelated kinds of errors
        raise CaptureFailed("The screen could not be read: the result is not a picture.") from error
