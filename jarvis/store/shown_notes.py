"""Remembers notes shown with answers, so that a thread sees each again only if it changed."""

import os
from contextlib import suppress

from ..core.errors import StoreFailed
from ..core.files import private_file
from ..core.text import digest

_MOST = 200  # things that are remembered of a thread


def should_show(state_folder: str, thread: str, about: str, text: str) -> bool:
    """Return whether *thread* last saw a different *text* on the topic *about*, and record this one.

    It keeps only digests, in one file per thread. If it can't write, it always returns True.
    """
    path, line = os.path.join(_folder(state_folder), digest(thread)), f"{digest(about)} {digest(text)}\n"
    lines_before: list[str] = []
    with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
        lines_before = file.readlines()
    if line in lines_before:
        return False
    lines = [each for each in lines_before if not each.startswith(digest(about))]
    with suppress(StoreFailed, OSError), open(private_file(path), "w", encoding="ascii") as file:
        file.writelines([*lines, line][-_MOST:])
    return True


def forget_shown_notes(state_folder: str, thread: str | None) -> None:
    """Forget the notes shown in *thread* (None: in all)."""
    folder = _folder(state_folder)
    with suppress(OSError):
        for name in os.listdir(folder) if thread is None else [digest(thread)]:
            os.unlink(os.path.join(folder, name))


def _folder(state_folder: str) -> str:
    return os.path.join(state_folder, "told")
