"""Keeps turns in flight in Postgres: LangGraph's tables beside those of history, through the same pool."""

from __future__ import annotations

from typing import Any, cast

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from ..store.database import Database
from ..store.postgres import Postgres
from .state import strict


async def in_postgres(database: Database) -> PostgresSaver:
    """Return the checkpointer on the server of *database*, its tables up to date."""
    saver = PostgresSaver(cast(Postgres, database))
    await saver.set_up_once()
    return saver


class PostgresSaver(AsyncPostgresSaver):
    """LangGraph's own, with patience. Each call may be repeated: it writes the same row again."""

    def __init__(self, database: Postgres) -> None:
        super().__init__(database.pool, serde=strict())  # type: ignore[arg-type]
        self._database = database

    async def set_up_once(self) -> None:
        if await self._version() < len(self.MIGRATIONS) - 1:
            # Some build indexes, which no transaction may do: so the lock is held by another connection.
            await self._database.alone(lambda _: self.setup())

    async def aput(self, *arguments: Any, **more: Any) -> Any:
        put = super().aput
        return await self._database.answered(lambda: put(*arguments, **more))

    async def aput_writes(self, *arguments: Any, **more: Any) -> None:
        put = super().aput_writes
        await self._database.answered(lambda: put(*arguments, **more))

    async def aget_tuple(self, *arguments: Any, **more: Any) -> CheckpointTuple | None:
        get = super().aget_tuple
        return await self._database.answered(lambda: get(*arguments, **more))

    async def adelete_thread(self, thread_id: str) -> None:
        delete = super().adelete_thread
        await self._database.answered(lambda: delete(thread_id))

    async def kept(self) -> set[str]:
        """Return the ids of all turns of which something is kept."""
        return {str(row[0]) for row in await self._database.run("SELECT DISTINCT thread_id FROM checkpoints")}

    async def _version(self) -> int:
        """Return the version of the tables; -1 where there are none."""
        find = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
        if not await self._database.run(find, "checkpoint_migrations"):
            return -1
        rows = await self._database.run("SELECT max(v) FROM checkpoint_migrations")
        return -1 if rows[0][0] is None else int(rows[0][0])
