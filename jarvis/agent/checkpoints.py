"""A turn in flight, kept by LangGraph under the turn's id and deleted when the turn closes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from sqlite3 import Error
from typing import Any, TypeVar

import aiosqlite
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..core.errors import StoreFailed
from ..core.files import private_file
from ..store.database import Database
from .state import strict


@asynccontextmanager
async def opened(database: Database, path: str) -> AsyncIterator[Any]:
    """The checkpointer: in *database* where that is a server, else in a file of its own at *path*."""
    if not database.shared:
        async with in_file(path) as saver:
            yield saver
        return
    from .checkpoints_postgres import in_postgres

    yield await in_postgres(database)


async def sweep(saver: Any, ended: Callable[[Collection[str]], Awaitable[Collection[str]]]) -> None:
    """Delete what a crash left of turns that have ended. What else is kept there may be another program's."""
    for turn in await ended(await saver.kept()):
        await saver.adelete_thread(turn)


_T = TypeVar("_T")


@asynccontextmanager
async def in_file(path: str) -> AsyncIterator[SqliteSaver]:
    """The checkpointer on the file at *path*, which only the person can read."""
    private_file(path)
    try:
        async with aiosqlite.connect(path, timeout=10) as connection:
            saver = SqliteSaver(connection, serde=strict())
            await saver.setup()
            await connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
            yield saver
    except Error as error:
        raise _troubled(error) from None


class SqliteSaver(AsyncSqliteSaver):
    """LangGraph's own, its errors translated."""

    async def aput(self, *arguments: Any, **more: Any) -> Any:
        return await _translated(super().aput(*arguments, **more))

    async def aput_writes(self, *arguments: Any, **more: Any) -> None:
        await _translated(super().aput_writes(*arguments, **more))

    async def aget_tuple(self, *arguments: Any, **more: Any) -> CheckpointTuple | None:
        return await _translated(super().aget_tuple(*arguments, **more))

    async def adelete_thread(self, thread_id: str) -> None:
        await _translated(super().adelete_thread(thread_id))

    async def kept(self) -> set[str]:
        """The ids of all turns of which something is kept."""
        async with self.lock, self.conn.execute("SELECT DISTINCT thread_id FROM checkpoints") as cursor:
            return {str(row[0]) for row in await cursor.fetchall()}


async def _translated(work: Awaitable[_T]) -> _T:
    try:
        return await work
    except Error as error:
        raise _troubled(error) from None


def _troubled(error: Exception) -> StoreFailed:
    return StoreFailed(
        f"The turn can't be kept: {error}.",
        hint="Check that there is space, and that the folder is writable.",
    )
