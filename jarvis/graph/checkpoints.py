"""A turn in flight, kept by LangGraph under the turn's id and deleted when the turn closes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from os.path import join
from sqlite3 import Error

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..errors import StoreFailed
from ..store.files import private_file


@asynccontextmanager
async def opened(data_folder: str) -> AsyncIterator[AsyncSqliteSaver]:
    """The checkpointer on its own file, which only the person can read."""
    path = private_file(join(data_folder, "inflight.db"))
    try:
        async with aiosqlite.connect(path, timeout=10) as connection:
            # Strict: the default would revive any class that a tampered row names.
            serde = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
            saver = AsyncSqliteSaver(connection, serde=serde)
            await saver.setup()
            await connection.execute("PRAGMA synchronous = NORMAL")
            yield saver
    except Error as error:
        raise StoreFailed(
            f"The turn can't be kept: {error}.",
            hint=f"Check that there is space, and that {path} is writable.",
        ) from None


async def sweep(saver: AsyncSqliteSaver, open_turns: Collection[str]) -> None:
    """Delete what a crash left of turns that are closed."""
    async with saver.lock, saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints") as cursor:
        kept = [str(row[0]) for row in await cursor.fetchall()]
    for turn in kept:
        if turn not in open_turns:
            await saver.adelete_thread(turn)
