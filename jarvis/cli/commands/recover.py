"""`jarvis threads recover`: goes on from a history that is broken with all that can be read of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.errors import JarvisError, StoreFailed, UsageError
from ...core.files import alone
from ...core.text import counted
from ...output.results import dumped, fitted
from ...store.recovery import Recovered, recovered, write
from ...store.sqlite import Sqlite, at_once, is_sound
from ...store.sqlite_file import set_aside
from ..work import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ..grammar import Call


def recover_threads(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> int:
        path = settings.folders.history
        with alone(f"{path}.recovered.lock"):  # two at once would write into one new file
            found, kept = in_place(path)
        screen.out(
            f"Recovered {counted(len(found.threads), 'threads')} with {counted(found.turns, 'turns')}."
        )
        screen.err(fitted(f"The broken history is kept as it was: {kept}", screen))
        return _told(found, screen)

    return with_settings(call, screen, work)


def in_place(path: str) -> tuple[Recovered, str]:
    """Put a new history where the broken one is. Return what is in it, and where the other is."""
    if at_once(is_sound(path)):
        raise UsageError(f"{path} is not broken. Nothing was changed.")
    before = _state(path)
    found = recovered(path)
    new = at_once(_written(found, f"{path}.recovered"))
    with alone(f"{path}.lock"):
        if _state(path) != before:
            raise StoreFailed(
                f"A turn was written into {path} meanwhile. Nothing was changed.",
                hint="Let turns that are under way end, then try again.",
            )
        kept = set_aside(path, word="broken")
        os.rename(new, path)
    return found, kept


def _state(path: str) -> list[tuple[int, int]]:
    """Return what differs once somebody has written into the file at *path*, or into its log."""
    found = [os.stat(part) for part in (path, f"{path}-wal") if os.path.exists(part)]
    return [(each.st_size, each.st_mtime_ns) for each in found]


async def _written(found: Recovered, path: str) -> str:
    """Return *path*, where a history with what was *found* is then."""
    with contextlib.suppress(FileNotFoundError):  # one that a crash left
        os.remove(path)
    file = Sqlite(path)
    try:
        await write(found, file)
    finally:
        await file.close()
    return path


def export_readable(names: Sequence[str], settings: Settings, screen: Screen) -> int:
    """Print the threads of a broken history, all or those of these *names*, and tell what is left out."""
    found = recovered(settings.folders.history)
    if unknown := sorted(set(names).difference(found.threads)):
        raise UsageError(f"Of a thread {unknown[0]} nothing can be read.", hint="jarvis threads export")
    for name in names or found.threads:
        screen.out(dumped(found.record(name)))
    screen.err(fitted("History is broken. To go on with what can be read: jarvis threads recover", screen))
    return _told(found, screen)


def _told(found: Recovered, screen: Screen) -> int:
    """Tell what could not be read; return the exit status."""
    for part in found.left_out:
        screen.err(f"Left out, for it can't be read: {part}.")
    return JarvisError.exit_status if found.left_out else 0
