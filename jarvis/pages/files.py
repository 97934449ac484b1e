"""A file of the person's: what is in it, and a picture, which the model is shown as it is."""

import os
from contextlib import suppress
from typing import NamedTuple

from ..core.errors import ReadFailed

_LARGEST = 14_000_000  # bytes of a picture: a request has room for 20 MB, and there it is a third larger
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
    head = b""
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(16)
    return next((kind for at, signs, kind in _SIGNS if head.startswith(signs, at)), "")


def picture_at(path: str, name: str = "") -> Picture:
    """Return the picture in the file at *path*, under that *name*. Raises ReadFailed."""
    return Picture(name, picture_kind(path), contents(path, _LARGEST))


def contents(path: str, largest: int) -> bytes:
    """Return what is in the file at *path*, or the names in a folder. Raises ReadFailed.

    largest: bytes that it may have.
    """
    name = os.path.basename(path)
    try:
        if os.path.isdir(path):
            return "\n".join(sorted(map(_listed, os.scandir(path)))).encode(errors="replace")
        with open(path, "rb") as file:
            body = file.read(largest + 1)
    except OSError as error:
        raise ReadFailed(f"{name} can't be read: {error.strerror}.") from None
    if len(body) > largest:
        raise ReadFailed(f"{name} is too large: it has more than {largest / 1e6:g} MB.")
    return body


def _listed(entry: os.DirEntry[str]) -> str:
    """Return the name of *entry*, of a file with its size."""
    size = "/" if entry.is_dir() else f" ({entry.stat(follow_symlinks=False).st_size:,} B)"
    return entry.name + size
