"""Remembers what a thread was told beside its answers, so that it is told again only where it changed."""

import os
from contextlib import suppress

from ..core.errors import StoreFailed
from ..core.files import private_file
from ..core.text import digest

_MOST = 200  # things that are remembered of a thread


def is_news(state_folder: str, thread: str, about: str, text: str) -> bool:
    """Return whether *thread* was last told another *text* of what it is *about*, and note this one.

    Only digests are kept, in a file of the thread's own. Where none can be kept, everything is news.
    """
    path, line = os.path.join(_folder(state_folder), digest(thread)), f"{digest(about)} {digest(text)}\n"
    known: list[str] = []
    with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
        known = file.readlines()
    if line in known:
        return False
    lines = [each for each in known if not each.startswith(digest(about))]
    with suppress(StoreFailed, OSError), open(private_file(path), "w", encoding="ascii") as file:
        file.writelines([*lines, line][-_MOST:])
    return True


def forget_told(state_folder: str, thread: str | None) -> None:
    """Forget what *thread* was told; None: what all were."""
    folder = _folder(state_folder)
    with suppress(OSError):
        for name in os.listdir(folder) if thread is None else [digest(thread)]:
            os.unlink(os.path.join(folder, name))


def _folder(state_folder: str) -> str:
    return os.path.join(state_folder, "told")
