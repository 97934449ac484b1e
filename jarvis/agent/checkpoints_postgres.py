"""Keeps what is durable of turns in flight in Postgres: LangGraph's tables beside those of history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from ..store.database import Database, Statement, T
from ..store.postgres import Postgres
from .state import strict


async def in_postgres(database: Database) -> PostgresSaver:
    """Return what is durable on the server of *database*, its tables up to date."""
    saver = PostgresSaver(cast(Postgres, database))
    await saver.set_up_once()
    return saver


class PostgresSaver(BaseCheckpointSaver[str]):
    """LangGraph's own, with patience. Each call may be repeated: it writes the same row again.

    Each has one to itself, on a connection of its own: LangGraph's lets in one call at a time.
    """

    def __init__(self, database: Postgres) -> None:
        super().__init__(serde=strict())
        self._database = database

    async def set_up_once(self) -> None:
        if await self._version() < len(AsyncPostgresSaver.MIGRATIONS) - 1:
            # Some build indexes, which no transaction may do: so the lock is held by another connection.
            await self._database.alone(lambda _: self._set_up())

    async def aput(self, *arguments: Any, **more: Any) -> Any:
        return await self._on_its_own(lambda saver: saver.aput(*arguments, **more))

    async def aget_tuple(self, *arguments: Any, **more: Any) -> CheckpointTuple | None:
        return await self._on_its_own(lambda saver: saver.aget_tuple(*arguments, **more))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._on_its_own(lambda saver: saver.adelete_thread(thread_id))

    def deleting(self, turn: str) -> Sequence[Statement]:
        """Return what deletes all that is kept of *turn*: history is in the same database."""
        tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
        return [(f"DELETE FROM {table} WHERE thread_id = ?", turn) for table in tables]

    async def kept(self) -> set[str]:
        """Return the ids of all turns of which something is kept."""
        return {str(row[0]) for row in await self._database.run("SELECT DISTINCT thread_id FROM checkpoints")}

    async def _on_its_own(self, work: Callable[[AsyncPostgresSaver], Awaitable[T]]) -> T:
        return await self._database.borrowed(lambda lent: work(AsyncPostgresSaver(lent, serde=self.serde)))  # type: ignore[arg-type]

    async def _set_up(self) -> None:
        async with self._database.connection() as connection:
            await AsyncPostgresSaver(connection).setup()  # type: ignore[arg-type]

    async def _version(self) -> int:
        """Return the version of the tables; -1 where there are none."""
        find = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
        if not await self._database.run(find, "checkpoint_migrations"):
            return -1
        rows = await self._database.run("SELECT max(v) FROM checkpoint_migrations")
        return -1 if rows[0][0] is None else int(rows[0][0])
