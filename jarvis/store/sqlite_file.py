"""Tells which file is under a database, as it lies in its folder, and keeps what is left of another."""

from __future__ import annotations

import contextlib
import itertools
import os

from ..core.files import alone, private_file

MEMORY = ":memory:"
# What belongs to a file as long as anybody has it open, or nobody closed it: its log has the newest of it.
BESIDE = ("-wal", "-shm")
_NOTE = "-log-of"  # where it is noted which file that log belongs to

File = tuple[int, int]


def file_at(path: str) -> File | None:
    """Return which file is at *path*; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def make_sure_of(path: str) -> None:
    """Make the file at *path* where it is missing. A log beside it is another file's then, and is kept."""
    if path == MEMORY:
        return
    if _has_anothers_log(path):
        with alone(f"{path}.lock"):
            if _has_anothers_log(path):  # still: else it is the log of the one that was made meanwhile
                set_aside(path, BESIDE)
                private_file(path)
    private_file(path)


def set_aside_log(path: str, log: File) -> None:
    """Set aside that *log* beside the file at *path*, unless somebody did: another is in use by then."""
    with alone(f"{path}.lock"):
        if file_at(f"{path}-wal") == log:
            set_aside(path, BESIDE)


def note_log(path: str) -> File | None:
    """Write down which file the log beside the one at *path* belongs to. Return which file that log is.

    SQLite reads whatever has the log's name, also into a file that was put in the place of its own.
    """
    log = file_at(f"{path}-wal")
    with contextlib.suppress(OSError):  # on a full disk, or where nothing may be written
        if log and _noted(path) != (noted := f"{file_at(path)} {log}"):
            descriptor = os.open(f"{path}{_NOTE}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            os.write(descriptor, noted.encode())
            os.close(descriptor)
    return log


def _has_anothers_log(path: str) -> bool:
    log, file = file_at(f"{path}-wal"), file_at(path)
    if log is None:  # what is noted was of one that is gone: its number may be given again
        with contextlib.suppress(OSError):
            os.remove(f"{path}{_NOTE}")
        return False
    noted = _noted(path)
    if file is None or _is_empty(path):  # SQLite would delete the log of a file without a page
        return True
    return noted.endswith(f" {log}") and noted != f"{file} {log}"


def _is_empty(path: str) -> bool:
    try:
        return not os.path.getsize(path)
    except OSError:  # it is away by now
        return True


def _noted(path: str) -> str:
    try:
        with open(f"{path}{_NOTE}") as note:
            return note.read()
    except OSError:
        return ""


def set_aside(path: str, parts: tuple[str, ...] = ("", *BESIDE), word: str = "left") -> str:
    """Give the *parts* of the file at *path* one new name, under which they still belong together.

    Return it. What says nothing is removed: an empty log, and the index of one, which is made anew.
    """
    new = _free(path, word)
    for part in parts:
        with contextlib.suppress(FileNotFoundError):
            if part == "-shm" or (part and not os.path.getsize(f"{path}{part}")):
                os.remove(f"{path}{part}")
            else:
                os.rename(f"{path}{part}", f"{new}{part}")
    return new


def aside(path: str) -> list[str]:
    """Return the files that were set aside from the one at *path*: they may hold what is deleted there."""
    folder, name = os.path.split(path)
    kept = (f"{name}.left", f"{name}.broken")
    with contextlib.suppress(FileNotFoundError):  # with a server there may be no such folder
        return sorted(os.path.join(folder, each) for each in os.listdir(folder) if each.startswith(kept))
    return []


def _free(path: str, word: str) -> str:
    """Return a name beside *path* that neither a file has, nor a log."""
    names = (f"{path}.{word}{n if n > 1 else ''}" for n in itertools.count(1))
    return next(name for name in names if not any(os.path.lexists(f"{name}{p}") for p in ("", *BESIDE)))
