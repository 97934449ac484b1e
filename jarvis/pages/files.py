"""A file of the person's: it is opened once, and what is open is judged, read and sent."""

import os
import stat
from typing import NamedTuple

from ..core.errors import ReadFailed
from ..core.files import shared_folder
from ..core.types import NamedFile

_LARGEST = 14_000_000  # bytes of a picture: a request has room for 20 MB, and there it is a third larger
_PICTURES = {"jpg": "jpeg", **{kind: kind for kind in ("png", "jpeg", "webp", "heic", "heif")}}


# No link is followed, no pipe waited for; a folder on the way need not let its names be read. Not every
# system has all of these.
_OURS = "O_NOFOLLOW", "O_CLOEXEC"
_FILE = sum(getattr(os, each, 0) for each in (*_OURS, "O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
_FOLDER = sum(getattr(os, each, 0) for each in (*_OURS, "O_PATH", "O_DIRECTORY"))
_WALKS = os.open in os.supports_dir_fd  # but on Windows


def named_file(name: str) -> NamedFile:
    """Return the file or folder at *name* now. Only this function follows links."""
    path = os.path.abspath(os.path.expanduser(name))
    return NamedFile(os.path.realpath(path), name, shared_folder(path))


class Picture(NamedTuple):
    """A picture that the model is shown."""

    kind: str  # as in HTTP: image/png
    body: bytes


def picture_kind(path: str) -> str:
    """Return the media type of the picture at *path* by its ending, or "" if no model takes it."""
    kind = _PICTURES.get(path.rpartition(".")[2].lower())
    return f"image/{kind}" if kind else ""


def picture_at(path: str) -> Picture:
    """Return the picture in the file at *path*. Raises ReadFailed."""
    body = contents(path, _LARGEST)
    if not (body.startswith((b"\x89PNG", b"\xff\xd8", b"RIFF")) or body[4:8] == b"ftyp"):
        raise ReadFailed("The file isn't a picture.")
    return Picture(picture_kind(path), body)


def contents(path: str, largest: int) -> bytes:
    """Return the content of the file at *path*, or the names in a folder. Raises ReadFailed.

    largest: in bytes.
    """
    try:
        body = beginning(path, largest + 1)
    except OSError as error:
        raise ReadFailed(f"{error.strerror}.") from None
    if len(body) > largest:
        raise ReadFailed(f"The file has more than {largest / 1e6:g} MB.")
    return body


def beginning(path: str, most: int) -> bytes:
    """Return the first bytes of the file at *path*, or the names in a folder. Raises ReadFailed, OSError.

    Where anything on the way is a link by now, nothing of it is returned.
    """
    try:
        return _read(path, most)
    finally:
        if os.path.realpath(path) != path:
            raise ReadFailed("It leads somewhere else by now.", hint="Ask again.") from None


def _read(path: str, most: int) -> bytes:
    if os.name == "nt" and os.path.isdir(path):  # which can't be opened there
        return _names_in(path)
    descriptor = _walked(path) if _WALKS else os.open(path, _FILE)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            return _names_in(descriptor)
        if not stat.S_ISREG(mode):
            raise ReadFailed("That isn't a file.")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(descriptor)


def _names_in(folder: str | int) -> bytes:
    """Return the names in *folder*, of files with their sizes."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            size = entry.stat(follow_symlinks=False).st_size
            names.append(entry.name + ("/" if entry.is_dir(follow_symlinks=False) else f" ({size:,} B)"))
    return "\n".join(sorted(names)).encode(errors="replace")


def _walked(path: str) -> int:
    """Return a descriptor of what lies at *path*, each folder opened from the one above it."""
    *folders, name = path.split("/")[1:]
    at = os.open("/", _FOLDER)
    try:
        for folder in folders:
            above, at = at, os.open(folder, _FOLDER, dir_fd=at)
            os.close(above)
        return os.open(name or ".", _FILE, dir_fd=at)
    finally:
        os.close(at)
