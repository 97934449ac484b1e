"""LangGraph's own savers, unchanged, for turns in flight: on history's server, or in a file of their own."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..core.errors import JarvisError, StoreFailed
from ..core.files import private_file
from ..store.database import Database
from ..store.history import History
from ..store.sqlite import PARTS, is_broken

if TYPE_CHECKING:
    from ..store.postgres import Postgres

Saver = BaseCheckpointSaver[str]


def strict() -> JsonPlusSerializer:
    """Return the serializer. LangGraph's default would revive any class that a tampered row names."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)


class Savers:
    def __init__(
        self,
        make: Callable[[], Saver],
        kept: Callable[[str], Awaitable[Iterable[Any]]],
        translate: Callable[[Exception], JarvisError | None],
    ) -> None:
        """make: makes that of a turn. kept: asks where they keep it, by SQL.

        translate: returns what an error means; None: it is no saver's.
        """
        self.make = make
        self._kept = kept
        self._translate = translate

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise the errors of a saver in this block as ours."""
        try:
            yield
        except Exception as error:
            if (ours := self._translate(error)) is None:
                raise
            raise ours from None

    async def sweep(self, history: History) -> None:
        """Delete what a crash left of turns that have ended and wait for no answer."""
        saver = self.make()
        with self.translated():
            kept = await self._kept("SELECT DISTINCT thread_id FROM checkpoints")
            for turn in await history.ended({row[0] for row in kept}):
                await saver.adelete_thread(turn)


@asynccontextmanager
async def savers_for(database: Database, path: str) -> AsyncIterator[Savers]:
    """Open the savers: on *database* where that is a server, else on the file at *path*."""
    if database.shared:
        yield await _on_server(cast("Postgres", database))
        return
    connection = await _opened(path)
    try:
        saver = AsyncSqliteSaver(connection, serde=strict())
        yield Savers(lambda: saver, connection.execute_fetchall, _translated)
    finally:
        await connection.close()


async def _on_server(server: Postgres) -> Savers:
    from ..store.postgres import trouble
    from .server_saver import ServerSaver, open_tables  # most have no server

    await open_tables(server)
    server.also = lambda: open_tables(server)
    await server.pool.open()
    # One a turn: each is a lock of its own.
    return Savers(
        make=lambda: ServerSaver(server, strict()),
        kept=server.run,
        translate=lambda error: trouble(error, server.name),
    )


async def _opened(path: str) -> aiosqlite.Connection:
    """Open the file at *path*, or a new one in place of one that is broken: it held turns under way alone."""
    try:
        return await _connected(path)
    except sqlite3.Error as error:
        if not is_broken(error):
            raise _told(error) from None
    for part in PARTS:
        with suppress(FileNotFoundError):
            os.remove(f"{path}{part}")
    return await _connected(path)


async def _connected(path: str) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(private_file(path))
    try:
        await connection.executescript("PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL")
        await AsyncSqliteSaver(connection, serde=strict()).setup()
    except BaseException:
        await connection.close()
        raise
    return connection


def _translated(error: Exception) -> JarvisError | None:
    return _told(error) if isinstance(error, sqlite3.Error) else None


def _told(error: sqlite3.Error) -> StoreFailed:
    return StoreFailed(
        f"The turn can't be kept: {error}.",
        hint="Check that there is space, and that the folder is writable.",
    )
