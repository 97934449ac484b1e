"""Reads a few names out of the SQLite history: nothing is made, migrated, locked or waited for."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence

from ..core.errors import StoreFailed
from ..core.files import check_owner
from ..core.text import one_line
from .database import Row

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
