"""A turn in flight, kept by LangGraph under the turn's id and deleted when the turn closes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from sqlite3 import Error

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..errors import StoreFailed
from ..store.files import private_file

# What a checkpointer may raise where its database is in trouble.
TROUBLES = (Error,)


@asynccontextmanager
async def opened(path: str) -> AsyncIterator[AsyncSqliteSaver]:
    """The checkpointer on the file at *path*, which only the person can read."""
    private_file(path)
    try:
        async with aiosqlite.connect(path, timeout=10) as connection:
            # Strict: the default would revive any class that a tampered row names.
            serde = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
            saver = AsyncSqliteSaver(connection, serde=serde)
            await saver.setup()
            await connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
            yield saver
    except TROUBLES as error:
        raise troubled(error) from None


def troubled(error: Exception) -> StoreFailed:
    return StoreFailed(
        f"The turn can't be kept: {error}.",
        hint="Check that there is space, and that the folder is writable.",
    )


async def sweep(saver: AsyncSqliteSaver, open_turns: Callable[[], Collection[str]]) -> None:
    """Delete what a crash left of turns that are closed."""
    async with saver.lock, saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints") as cursor:
        kept = {str(row[0]) for row in await cursor.fetchall()}
    # In this order: a turn that begins meanwhile, in another process, is not among those kept.
    for turn in kept.difference(open_turns()) if kept else ():
        await saver.adelete_thread(turn)
