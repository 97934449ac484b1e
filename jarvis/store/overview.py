"""Looks into history without changing anything: no file is made, no table, no lock taken or waited for."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence

from ..config.settings import Settings
from ..core.errors import BrokenFile, StoreFailed
from ..core.files import check_owner
from ..core.text import one_line
from .database import Row
from .schema import VERSION
from .sqlite import is_broken, translated

_MOST = 200  # threads; somebody reads through them
_MOST_TURNS = 50
_LONGEST = 60  # characters of what tells of one


def threads(path: str, beginning: str) -> list[tuple[str, str]]:
    """Return the threads whose names have that *beginning*, the one used last first: name, title."""
    rows = _rows(
        path,
        "SELECT threads.id, COALESCE(NULLIF(title, ''), goal, '') FROM threads"
        " LEFT JOIN turns AS t ON t.thread = threads.id"
        f" AND t.n = threads.turns WHERE SUBSTR(threads.id, 1, ?) = ? ORDER BY used_at DESC LIMIT {_MOST}",
        (len(beginning), beginning),
    )
    return [(name, one_line(told, _LONGEST)) for name, told in rows]


def turns(path: str, thread: str) -> list[tuple[int, str]]:
    """Return the last turns of *thread*, newest first: number, request."""
    rows = _rows(
        path, f"SELECT n, goal FROM turns WHERE thread = ? ORDER BY n DESC LIMIT {_MOST_TURNS}", (thread,)
    )
    return [(n, one_line(goal, _LONGEST)) for n, goal in rows]


def _rows(path: str, sql: str, arguments: Sequence[object]) -> list[Row]:
    """Return what *sql* finds in the file at *path*; nothing where that can't be told at once."""
    with contextlib.suppress(sqlite3.Error, StoreFailed):
        check_owner(path)
        with contextlib.closing(sqlite3.connect(read_only(path), uri=True, timeout=0)) as connection:
            return connection.execute(sql, arguments).fetchall()
    return []


def read_only(path: str) -> str:
    """Return the URI by which SQLite reads the file at *path*, and makes none beside it.

    It would make them even to read, unless they are there: another process has the file open. Otherwise all
    is in the file itself.
    """
    is_open = os.path.exists(f"{path}-wal") and os.path.exists(f"{path}-shm")
    file = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{file}?{'mode=ro' if is_open else 'immutable=1'}"


def condition_of(settings: Settings) -> str:
    """Return where history is, and how it is there. Raises as `opened` does, where it can't be used."""
    path = settings.folders.history
    if settings.database_url:
        _check(settings.folders.outbox)
        return _of_server(settings)
    _check(settings.folders.inflight)
    version = _check(path, "SELECT version FROM schema_version")
    if version is None:
        return "SQLite; nothing was kept yet"
    if int(str(version)) > VERSION:
        raise StoreFailed(f"{path} was written by a newer version of Jarvis.", hint="Update Jarvis.")
    return f"SQLite, {path}"


def _check(path: str, sql: str = "SELECT 0") -> object:
    """Return what *sql* finds in the file at *path*; None where there is none.

    Raises StoreFailed, for a file that is broken anywhere.
    """
    check_owner(path)
    if not os.path.lexists(path):
        return None
    try:
        with contextlib.closing(sqlite3.connect(read_only(path), uri=True, timeout=1)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise _broken(path, f"it is malformed ({found})")
            row = connection.execute(sql).fetchone()
            return row[0] if row else 0
    except sqlite3.Error as error:
        if "no such table" in str(error):  # it was begun, and no more
            return None
        raise (_broken(path, str(error)) if is_broken(error) else translated(error, path)) from None


def _broken(path: str, why: str) -> BrokenFile:
    hint = f"The next request keeps it under another name. What can be read of it: sqlite3 {path} .recover"
    return BrokenFile(f"History can't be used: {why}.", hint=hint)


def _of_server(settings: Settings) -> str:
    # Most have no server.
    from ..core.concurrency import run_async
    from .postgres import Postgres

    async def look() -> str:
        server = Postgres(settings.database_url.reveal(), settings.budgets.database_seconds)
        version = await server.look()
        return f"{server.name}, schema {server.schema}{'' if version else '; it has no tables of ours yet'}"

    return run_async(look())
