"""`jarvis paths`: the folders and files that are used, whether they are there yet or not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import typer

from ...desktop import own_platform
from ...output.records import show
from ..parameters import Json
from ..work import current

if TYPE_CHECKING:
    from ...config.settings import Settings

app = typer.Typer()


@app.command("paths", help="The folders and files that are used.")
def list_paths(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings()
    kept = _kept(settings, os.path.join(own_platform(dict(screen.environment)).pictures(), "Jarvis"))
    found = [(name, path, os.path.lexists(path)) for name, path in kept.items()]
    width = max(map(len, kept))
    lines = (f"{n:<{width}}  {path}{'' if is_there else '   (not there yet)'}" for n, path, is_there in found)
    records = [{"name": name, "path": path, "exists": is_there} for name, path, is_there in found]
    show(screen, records, *lines, as_json=as_json)


def _kept(settings: Settings, pictures: str) -> dict[str, str]:
    """Return the folders, and the files in them."""
    folders = settings.folders
    databases = [folders.outbox] if settings.database_url else [folders.history, folders.inflight]
    files = [
        *(folders.toml, folders.env_file, folders.policy, folders.aliases, folders.keyring),
        *(*databases, settings.log_file or folders.log, folders.chat_history),
    ]
    return {**folders._asdict(), "pictures": pictures, **{os.path.basename(path): path for path in files}}
