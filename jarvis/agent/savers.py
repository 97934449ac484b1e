"""LangGraph's own savers, unchanged, for turns in flight: on history's server, or in a file of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..core.concurrency import in_time
from ..core.errors import JarvisError, StoreFailed
from ..core.files import private_file
from ..store.database import Database
from ..store.history import History

if TYPE_CHECKING:
    from ..store.postgres import Postgres

Saver = BaseCheckpointSaver[str]
_SECONDS = 5.0  # for what is deleted of a turn that has ended


def strict() -> JsonPlusSerializer:
    """Return the serializer. LangGraph's default would revive any class that a tampered row names."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)


class Savers(NamedTuple):
    make: Callable[[], Saver]  # that of a turn
    ask: Callable[[str], Awaitable[Iterable[Any]]]  # by SQL, where they keep it
    translate: Callable[[Exception], JarvisError | None]  # what an error means; None: it is no saver's

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise the errors of a saver in this block as ours."""
        try:
            yield
        except Exception as error:
            if (ours := self.translate(error)) is None:
                raise
            raise ours from None

    async def delete(self, saver: Saver, turn: str) -> None:
        """Delete what is kept of *turn*. Where that can't be done in time, the next start sweeps."""
        with suppress(JarvisError, TimeoutError), self.translated():
            await in_time(saver.adelete_thread(turn), _SECONDS, lambda: None)

    async def sweep(self, history: History) -> None:
        """Delete what a crash left of turns that have ended and wait for no answer."""
        saver = self.make()
        with self.translated():
            kept = await self.ask("SELECT DISTINCT thread_id FROM checkpoints")
            for turn in await history.ended({row[0] for row in kept}):
                await saver.adelete_thread(turn)


@asynccontextmanager
async def savers_for(database: Database, path: str) -> AsyncIterator[Savers]:
    """Open the savers: on *database* where that is a server, else on the file at *path*."""
    if database.shared:
        yield await _on_server(cast("Postgres", database))
        return
    try:
        async with aiosqlite.connect(private_file(path)) as connection:
            saver = AsyncSqliteSaver(connection, serde=strict())
            await connection.executescript("PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL")
            await saver.setup()
            yield Savers(lambda: saver, connection.execute_fetchall, lambda error: _of_file(error, path))
    except sqlite3.Error as error:
        raise _told(error, path) from None


def _of_file(error: Exception, path: str) -> StoreFailed | None:
    return _told(error, path) if isinstance(error, sqlite3.Error) else None


def _told(error: sqlite3.Error, path: str) -> StoreFailed:
    hint = f"Check that there is space, and that the folder is writable. If {path} is broken, delete it: "
    return StoreFailed(f"The turn can't be kept: {error}.", hint=f"{hint}it holds requests under way alone.")


async def _on_server(server: Postgres) -> Savers:
    # Most have no server.
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    from ..store.postgres import trouble

    def make() -> AsyncPostgresSaver:
        return AsyncPostgresSaver(cast(Any, server.pool), serde=strict())

    async def set_up(_: object) -> None:  # some of it builds indexes, which no transaction may do
        async with server.connection() as connection:
            await AsyncPostgresSaver(cast(Any, connection)).setup()

    if await _version(server) < len(AsyncPostgresSaver.MIGRATIONS) - 1:
        await server.alone(set_up)
    await server.pool.open()
    # One a turn: each is a lock of its own.
    return Savers(make, server.run, lambda error: trouble(error, server.name))


async def _version(server: Postgres) -> int:
    """Return the version of LangGraph's tables; -1 where there are none."""
    find = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
    if not await server.run(find, "checkpoint_migrations"):
        return -1
    rows = await server.run("SELECT max(v) FROM checkpoint_migrations")
    return -1 if rows[0][0] is None else int(rows[0][0])
