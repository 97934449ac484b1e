"""Save a picture of the screen as a file, or leave nothing behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from ..core.errors import ActionFailed, CaptureFailed

if TYPE_CHECKING:
    from PIL import Image

_UNSAVED = "save_failed"  # the code of a failure


def keep(picture: Image.Image, path: str) -> tuple[int, int]:
    """Save *picture* as PNG at *path*, unless it is blank. Return its size in pixels (width, height)."""
    if picture.getcolors(1) is not None:  # None: more than one
        raise CaptureFailed(
            "The picture was blank: one colour all over.",
            hint="Unlock or wake the screen, then try again; where it stays blank: jarvis doctor",
        )
    _save(picture, path)
    return picture.size


def read_picture(source: str | IO[bytes]) -> Image.Image:
    """Return the picture in *source*, a path or an open file. Raises CaptureFailed."""
    from PIL import Image  # only needed for a picture

    try:
        with Image.open(source, formats=("PNG", "JPEG")) as picture:  # others may have Pillow run a program
            return picture.convert("RGB")
    except Exception as error:  # a broken picture raises unrelated kinds of errors
        raise CaptureFailed("The screen could not be read: the result is not a picture.") from error


def _save(picture: Image.Image, path: str) -> None:
    """Save *picture* as PNG at *path*, where no file may exist yet. Raises ActionFailed."""
    folder = os.path.dirname(path)
    try:
        _make(folder)
        with _temporary(folder) as temporary:
            with open(temporary, "wb") as file:
                picture.save(file, compress_level=1)  # as its name says: of all formats that loads one
                file.flush()
                os.fsync(file.fileno())  # a file under its own name is whole, also after a power cut
            if os.path.lexists(path):  # its name was chosen as one that is free, a moment ago
                raise ActionFailed(
                    f"{path} already exists.",
                    hint="Try again: the next picture gets another name.",
                    code=_UNSAVED,
                )
            os.rename(temporary, path)
    except OSError as error:
        told = f"The picture can't be written to {folder}: {error.strerror or error}."
        raise ActionFailed(told, hint="Make it writable, or make room on its disk.", code=_UNSAVED) from error


def _make(folder: str) -> None:
    """Make *folder* and those above it, for their owner alone; existing ones stay as they are."""
    if folder and not os.path.isdir(folder):
        _make(os.path.dirname(folder))  # makedirs would make these readable for all
        with contextlib.suppress(FileExistsError):  # another process has just made it
            os.mkdir(folder, 0o700)


@contextlib.contextmanager
def _temporary(folder: str) -> Iterator[str]:
    """Make an empty file in *folder* that only its owner can read; delete it at the end."""
    path = os.path.join(folder, f".screenshot-{os.urandom(4).hex()}.png")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # O_EXCL follows no link
    try:
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
