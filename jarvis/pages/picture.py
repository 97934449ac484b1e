"""A picture that the model is shown as it is: of which kinds it takes them, and how large."""

import os
from typing import NamedTuple

from ..core.errors import ReadFailed

_LARGEST = 14_000_000  # bytes: a request has room for 20 MB, and a picture in it takes 4/3 of what it is
# Where the signs of a kind begin, and what they are.
_SIGNS = (
    (0, b"\x89PNG\r\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
)


class Picture(NamedTuple):
    name: str  # by which the model knows it
    kind: str  # image/png and the like
    body: bytes


def picture_kind(path: str) -> str:
    """Return the kind of the picture in the file at *path*; empty where it is none that a model takes."""
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError:
        return ""
    return next((kind for at, signs, kind in _SIGNS if head.startswith(signs, at)), "")


def picture_at(path: str, name: str = "") -> Picture:
    """Return the picture in the file at *path*, under that *name*. Raises ReadFailed."""
    told = os.path.basename(path)
    try:
        with open(path, "rb") as file:
            body = file.read(_LARGEST + 1)
    except OSError as error:
        raise ReadFailed(f"{told} can't be read: {error.strerror}.") from None
    if len(body) > _LARGEST:
        raise ReadFailed(f"{told} is too large: a picture may have {_LARGEST / 1e6:g} MB.")
    return Picture(name, picture_kind(path), body)
