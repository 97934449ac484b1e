"""Takes a picture of the whole screen and saves it, or leaves nothing behind.

Never the X way under Wayland: XWayland answers with black pixels and no error.
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING

from ..errors import CaptureFailed, SaveFailed
from .session import WAYLAND, require
from .wayland import by_wayland

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from PIL import Image

# What file systems without links say (exFAT, some network ones).
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def capture(path: str, env: Mapping[str, str], timeout: float, patience: float) -> tuple[int, int]:
    """Save the whole screen as PNG at *path*; its size in pixels (width, height).

    timeout: seconds for a program that takes the picture for us.
    patience: seconds for the person, whom the desktop may ask first.
    """
    picture = by_wayland(env, timeout, patience) if require(env) == WAYLAND else _by_x11(env)
    if _is_blank(picture):
        raise CaptureFailed(
            "The picture was blank: one colour all over.", hint="Unlock or wake the screen, then try again."
        )
    _save(picture, path)
    return picture.size


def _by_x11(env: Mapping[str, str]) -> Image.Image:
    from PIL import ImageGrab

    try:
        # Without an explicit display, Pillow tries other programs and leaves their files behind.
        return ImageGrab.grab(xdisplay=env["DISPLAY"])
    except OSError as error:
        raise CaptureFailed(
            f"The screen could not be read: {error}.", hint="xhost +si:localuser:$(id -un)"
        ) from error


def _is_blank(picture: Image.Image) -> bool:
    colours = picture.getcolors(1)  # None: more than one
    return colours is not None


def _save(picture: Image.Image, path: str) -> None:
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with _temporary(folder) as temporary:
            with open(temporary, "wb") as file:
                picture.save(file, "PNG", compress_level=1)
            _move_into_place(temporary, path)
    except OSError as error:
        import shlex

        raise SaveFailed(
            f"The picture can't be written to {folder}: {error.strerror or error}.",
            hint=f"ls -ld {shlex.quote(folder)}; df -h {shlex.quote(folder)}",
        ) from error


@contextlib.contextmanager
def _temporary(folder: str) -> Iterator[str]:
    """A new empty file in *folder* that only we can read, gone afterwards."""
    path = os.path.join(folder, f".screenshot-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    try:
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _move_into_place(temporary: str, path: str) -> None:
    """A link and not a rename, which would overwrite what is there."""
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise SaveFailed(
            f"{path} is there already.", hint="Try again: the next one has another name."
        ) from error
    except OSError as error:
        if error.errno not in _NO_LINKS or os.path.lexists(path):
            raise
        os.rename(temporary, path)
