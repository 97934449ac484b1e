"""A file of the person's: what is in it, and a picture, which the model is shown as it is."""

import os

from ..core.errors import ReadFailed

_LARGEST = 14_000_000  # bytes of a picture: a request has room for 20 MB, and there it is a third larger
_PICTURES = {"jpg": "jpeg", **{kind: kind for kind in ("png", "jpeg", "webp", "heic", "heif")}}


def picture_kind(path: str) -> str:
    """Return the kind of the picture at *path*, by its ending; empty where it is none that a model takes."""
    kind = _PICTURES.get(path.rpartition(".")[2].lower())
    return f"image/{kind}" if kind else ""


def picture_at(path: str) -> bytes:
    """Return the picture in the file at *path*. Raises ReadFailed."""
    body = contents(path, _LARGEST)
    if not (body.startswith((b"\x89PNG", b"\xff\xd8", b"RIFF")) or body[4:8] == b"ftyp"):
        raise ReadFailed("The file is no picture.")
    return body


def contents(path: str, largest: int) -> bytes:
    """Return what is in the file at *path*, or the names in a folder. Raises ReadFailed.

    largest: bytes that it may have.
    """
    try:
        if os.path.isdir(path):
            return "\n".join(sorted(map(_listed, os.scandir(path)))).encode(errors="replace")
        if not os.path.isfile(path):  # by now: whoever opens a pipe waits
            raise ReadFailed("That is no file.")
        with open(path, "rb") as file:
            body = file.read(largest + 1)
    except OSError as error:
        raise ReadFailed(f"{error.strerror}.") from None
    if len(body) > largest:
        raise ReadFailed(f"The file has more than {largest / 1e6:g} MB.")
    return body


def _listed(entry: os.DirEntry[str]) -> str:
    """Return the name of *entry*, of a file with its size."""
    size = "/" if entry.is_dir() else f" ({entry.stat(follow_symlinks=False).st_size:,} B)"
    return entry.name + size
