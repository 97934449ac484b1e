"""`jarvis paths`: the folders and files that are used, whether they are there yet or not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...desktop import desktop
from ...output.results import dumped
from ..work import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ..grammar import Call


def list_paths(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        kept = _kept(settings, os.path.join(desktop(dict(screen.environment)).pictures(), "Jarvis"))
        found = [(name, path, os.path.lexists(path)) for name, path in kept.items()]
        if call.options.json:
            screen.out(dumped([{"name": n, "path": path, "exists": is_there} for n, path, is_there in found]))
            return
        width = max(map(len, kept))
        for name, path, is_there in found:
            screen.out(f"{name:<{width}}  {path}{'' if is_there else '   (not there yet)'}")

    return with_settings(call, screen, work)


def _kept(settings: Settings, pictures: str) -> dict[str, str]:
    """Return the folders, and the files in them."""
    folders = settings.folders
    databases = [folders.outbox] if settings.database_url else [folders.history, folders.inflight]
    files = [
        *(folders.toml, folders.env_file, folders.policy, folders.aliases, folders.consents, folders.keyring),
        *(*databases, settings.log_file or folders.log, folders.chat_history),
    ]
    return {**folders._asdict(), "pictures": pictures, **{os.path.basename(path): path for path in files}}
