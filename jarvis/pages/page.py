"""Reads a public page or a file of the person's, as the text that the model sees of it."""

import os

from ..core.errors import ReadFailed
from ..core.urls import host_of
from .fetch import Fetched, fetch
from .picture import picture_at, picture_kind
from .text import PageText, excerpt, text_of, tokens_in

_EACH, _ALL = 6_000, 12_000  # tokens of one, and of all that a turn reads
_LARGEST = 5_000_000  # bytes of a file
_MOST_LISTED = 1_000  # names in a folder


async def read(target: str, *, words: str, before: str) -> PageText:
    """Return what stands at *target*, an address or an absolute path; of a long one what *words* are about.

    Of a folder that are the names in it. before: what the turn has read already. Raises JarvisErrors.
    """
    is_file = os.path.isabs(target)
    name = os.path.basename(target) if is_file else host_of(target)
    if is_file and picture_kind(target):
        picture_at(target)  # which says what is wrong with it
        return PageText(name, "It is shown below.", 0, target)
    found = _file(target) if is_file else await fetch(target)
    try:
        page = await text_of(found.body, found.kind, found.charset, found.url)
    except ReadFailed as error:
        raise ReadFailed(f"{name} can't be read: {error.message}.") from None
    if not page.text.strip():
        raise ReadFailed(f"{name} has no text in it.")
    room = min(_EACH, _ALL - tokens_in(before))
    if room <= 0:
        raise ReadFailed(f"{name} is not read: enough was.", hint="Ask for it by itself.")
    return page._replace(text=excerpt(page.text, words, room))


def _file(path: str) -> Fetched:
    """Return the file at *path*; of a folder, its list. Raises ReadFailed."""
    name = os.path.basename(path)
    try:
        if os.path.isdir(path):
            return Fetched(path, "text", _listed(path).encode(errors="replace"), "")
        with open(path, "rb") as file:
            body = file.read(_LARGEST + 1)
    except OSError as error:
        raise ReadFailed(f"{name} can't be read: {error.strerror}.") from None
    if len(body) > _LARGEST:
        raise ReadFailed(f"{name} is too large: it has more than {_LARGEST / 1e6:g} MB.")
    if body.startswith(b"%PDF-"):
        return Fetched(path, "pdf", body, "")
    utf_16 = body.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in body and not utf_16:
        raise ReadFailed(f"{name} is no text, and no PDF.")
    return Fetched(path, "text", body, "utf-16" if utf_16 else "")


def _listed(folder: str) -> str:
    """Return the names in *folder*, one a line, with the sizes of files. Raises OSError."""
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    lines = [
        f"{each.name}/" if each.is_dir() else f"{each.name} ({each.stat(follow_symlinks=False).st_size:,} B)"
        for each in entries[:_MOST_LISTED]
    ]
    more = len(entries) - len(lines)
    return "\n".join([*lines, f"… and {more:,} more"] if more else lines) or "The folder is empty."
