"""Keeps a turn in flight, by LangGraph, under the turn's id, and deletes it when the turn closes."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

from ..core.errors import StoreFailed
from ..core.files import PATIENCE, private_file
from ..store.database import Database
from .state import strict


@asynccontextmanager
async def checkpointer(database: Database, path: str) -> AsyncIterator[Any]:
    """Open the checkpointer: in *database* where that is a server, else in a file of its own at *path*."""
    if not database.shared:
        async with in_file(path) as saver:
            yield saver
        return
    from .checkpoints_postgres import in_postgres  # most have no server

    yield await in_postgres(database)


async def sweep(saver: Any, ended: Callable[[Collection[str]], Awaitable[Collection[str]]]) -> None:
    """Delete what a crash left of turns that have ended. What else is kept may be another program's."""
    for turn in await ended(await saver.kept()):
        await saver.adelete_thread(turn)


@asynccontextmanager
async def in_file(path: str) -> AsyncIterator[FileSaver]:
    """Open the checkpointer on the file at *path*, which only the person can read."""
    private_file(path)
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)) as connection:
            saver = FileSaver(connection, serde=strict())
            saver.setup()
            connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
            yield saver
    except sqlite3.Error as error:
        raise _troubled(error) from None


class FileSaver(SqliteSaver):
    """LangGraph's own for SQLite. It writes at once, as history does, and its errors are translated.

    Its twin for asyncio hands each statement to another thread.
    """

    async def aput(self, *arguments: Any, **more: Any) -> Any:
        with _translated():
            return self.put(*arguments, **more)

    async def aput_writes(self, *arguments: Any, **more: Any) -> None:
        with _translated():
            self.put_writes(*arguments, **more)

    async def aget_tuple(self, *arguments: Any, **more: Any) -> CheckpointTuple | None:
        with _translated():
            return self.get_tuple(*arguments, **more)

    async def alist(self, *arguments: Any, **more: Any) -> AsyncIterator[CheckpointTuple]:
        with _translated():
            for kept in self.list(*arguments, **more):
                yield kept

    async def adelete_thread(self, thread_id: str) -> None:
        with _translated():
            self.delete_thread(thread_id)

    async def kept(self) -> set[str]:
        """Return the ids of all turns of which something is kept."""
        with _translated(), self.cursor(transaction=False) as cursor:
            return {str(row[0]) for row in cursor.execute("SELECT DISTINCT thread_id FROM checkpoints")}


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _troubled(error) from None


def _troubled(error: Exception) -> StoreFailed:
    return StoreFailed(
        f"The turn can't be kept: {error}.",
        hint="Check that there is space, and that the folder is writable.",
    )
