"""The words of turns that were under way, where a crash left them: deleted with their history."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence

from ..core.errors import StoreFailed
from .database import Rows
from .sqlite import empty_log

_PATIENCE = 10.0  # seconds that another process may hold the file
# LangGraph's own; `checkpoint_migrations` holds no words.
_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


async def forget_rows(rows: Rows, turns: Sequence[str]) -> None:
    """Delete every checkpoint of *turns* from the Postgres that *rows* is of."""
    for table in _TABLES:
        find = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
        if await rows.run(find, table):
            await rows.run(f"DELETE FROM {table} WHERE thread_id = ANY(?)", list(turns))


def forget_file(path: str, turns: Sequence[str]) -> None:
    """Delete every checkpoint of *turns* from the SQLite file at *path*, if there is one."""
    if not os.path.exists(path):
        return
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            tables = {
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            for table in tables & {"checkpoints", "writes"}:
                delete = f"DELETE FROM {table} WHERE thread_id = ?"
                connection.executemany(delete, [(turn,) for turn in turns])
            connection.commit()
            empty_log(connection)  # or the words would stay there
    except sqlite3.Error as error:
        raise StoreFailed(f"What was under way can't be deleted: {error}.", hint="Try again.") from None
