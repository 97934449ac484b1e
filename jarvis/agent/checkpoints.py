"""A turn in flight, kept by LangGraph under the turn's id and deleted when the turn closes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any

from ..store.database import Database
from .checkpoints_sqlite import in_file


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
