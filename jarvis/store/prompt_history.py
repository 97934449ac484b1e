"""Keeps what was typed in chats, each entry with the thread that it was typed in.

The file is as prompt_toolkit reads it: of an entry it takes the lines that begin with +. Those that earlier
versions wrote name no thread, so they go only where all goes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from ..core.errors import StoreFailed
from ..core.files import alone, replace_file

_THREAD = "# thread "


class PromptHistory:
    """What was typed, in the file at *path*, which several chats may write."""

    def __init__(self, path: str) -> None:
        self._path = path

    def keep(self, thread: str, text: str) -> None:
        """Add *text*, which was typed in *thread*. Raises OSError or StoreFailed where it can't be kept."""
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        lines = "".join(f"+{line}\n" for line in text.split("\n"))
        with alone(self._lock), open(self._path, "ab") as file:
            file.write(f"\n# {when}\n{_THREAD}{thread}\n{lines}".encode(errors="replace"))

    def forget(self, thread: str | None) -> None:
        """Delete what was typed in *thread*; None: all. Raises StoreFailed."""
        if not os.path.exists(self._path):
            return
        with alone(self._lock):
            entries = self._entries()
            left = [lines for named, lines in entries if thread not in (None, named)]
            if len(left) < len(entries):
                replace_file(self._path, "".join(left))

    def _entries(self) -> list[tuple[str, str]]:
        try:
            with open(self._path, encoding="utf-8", errors="replace", newline="\n") as file:
                return list(_entries(file))
        except OSError as error:
            told = f"{self._path} can't be read: {error.strerror}."
            raise StoreFailed(told, hint=f"To forget all that was typed: rm {self._path}") from None

    @property
    def _lock(self) -> str:
        return f"{self._path}.lock"


def _entries(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Return the entries in *lines*, each with the thread that it names; empty: none."""
    thread, entry, is_typed = "", "", False
    for line in lines:
        if is_typed and not line.startswith("+"):
            yield thread, entry
            thread, entry = "", ""
        is_typed = line.startswith("+")
        thread = line.removeprefix(_THREAD).rstrip("\n") if line.startswith(_THREAD) else thread
        entry += line
    yield thread, entry
