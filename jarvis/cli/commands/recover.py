"""`jarvis threads recover`: goes on from a history that is broken with all that can be read of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from ...core.errors import JarvisError, UsageError
from ...core.files import alone
from ...core.stdlib import TYPE_CHECKING
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
        if at_once(is_sound(path)):
            raise UsageError(f"{path} is not broken. Nothing was changed.")
        found = recovered(path)
        new = at_once(_written(found, f"{path}.recovered"))
        with alone(f"{path}.lock"):
            kept = set_aside(path, word="broken")
            os.rename(new, path)
        screen.out(
            f"Recovered {counted(len(found.threads), 'threads')} with {counted(found.turns, 'turns')}."
        )
        screen.err(fitted(f"The broken history is kept as it was: {kept}", screen))
        return _told(found, screen)

    return with_settings(call, screen, work)


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
