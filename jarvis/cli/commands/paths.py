"""`jarvis paths`: the folders and files that are used, whether they are there yet or not."""

from __future__ import annotations

import os

import typer

from ...config.settings import Settings
from ...desktop import own_platform
from ..completion import Json
from ..work import current, report

app = typer.Typer()


@app.command("paths", help="The folders and files that are used.")
def list_paths(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings()
    pictures = os.path.join(own_platform(dict(screen.environment)).pictures(), "Jarvis")
    paths = {**settings.folders._asdict(), "pictures": pictures, **_files(settings)}
    rows = [{"name": name, "path": path, "exists": os.path.lexists(path)} for name, path in paths.items()]
    width = max(map(len, paths))
    gone = "   (not there yet)"
    lines = (f"{row['name']:<{width}}  {row['path']}{'' if row['exists'] else gone}" for row in rows)
    report(rows, *lines, as_json=as_json)


def _files(settings: Settings) -> dict[str, str]:
    folders = settings.folders
    databases = [folders.outbox] if settings.database_url else [folders.history, folders.inflight]
    files = [
        *(folders.toml, folders.env_file, folders.policy, folders.aliases, folders.keyring),
        *(*databases, settings.log_file or folders.log, folders.chat_history),
    ]
    return {os.path.basename(path): path for path in files}
