"""Remembers what a thread was told beside its answers, so that it is told again only where it changed."""

from __future__ import annotations

import os
from contextlib import suppress

from .errors import StoreFailed
from .files import private_file
from .text import digest

_MOST = 200  # things that are remembered of a thread


class ToldBefore:
    """What *thread* was told, as digests in a file of its own. Where none can be kept, nothing is known."""

    def __init__(self, state_folder: str, thread: str) -> None:
        self._path = os.path.join(_folder(state_folder), digest(thread))

    def changes(self, about: str, text: str) -> bool:
        """Return whether *text* is another than what was told *about* the same before, and note it."""
        known, about, text = self._read(), digest(about), digest(text)
        if known.pop(about, "") == text:
            return False
        lines = [f"{each} {last}\n" for each, last in [*known.items(), (about, text)]]
        with suppress(StoreFailed, OSError), open(private_file(self._path), "w", encoding="ascii") as file:
            file.writelines(lines[-_MOST:])
        return True

    def _read(self) -> dict[str, str]:
        try:
            with open(self._path, encoding="ascii") as file:
                pairs = [line.split() for line in file]
        except (OSError, ValueError):
            return {}
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def forget_told(state_folder: str, thread: str | None) -> None:
    """Forget what *thread* was told; None: what all were."""
    folder = _folder(state_folder)
    with suppress(OSError):
        for name in os.listdir(folder) if thread is None else [digest(thread)]:
            os.unlink(os.path.join(folder, name))


def _folder(state_folder: str) -> str:
    return os.path.join(state_folder, "told")
