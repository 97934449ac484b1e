"""LangGraph's own saver for Postgres, on connections that history's server lends for one call each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ..store.postgres import Connection, Postgres

T = TypeVar("T")


class ServerSaver(AsyncPostgresSaver):
    """Each call may be made again: the server may be away for a while. Whatever it writes, it writes over."""

    def __init__(self, server: Postgres, serde: JsonPlusSerializer) -> None:
        super().__init__(cast(Any, server.pool), serde=serde)
        self._server = server

    async def _call(self, call: Callable[[AsyncPostgresSaver], Awaitable[T]]) -> T:
        def on(connection: Connection) -> Awaitable[T]:
            return call(AsyncPostgresSaver(cast(Any, connection), serde=self.serde))

        return await self._server.lent(on)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._call(lambda saver: saver.aget_tuple(config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self._call(lambda saver: saver.aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._call(lambda saver: saver.aput_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._call(lambda saver: saver.adelete_thread(thread_id))


async def open_tables(server: Postgres) -> None:
    """Bring LangGraph's tables up to date, unless they are."""

    async def set_up(_: object) -> None:  # some of it builds indexes, which no transaction may do
        async with server.connection() as connection:
            await AsyncPostgresSaver(cast(Any, connection)).setup()

    if await _version(server) < len(AsyncPostgresSaver.MIGRATIONS) - 1:
        await server.alone(set_up)


async def _version(server: Postgres) -> int:
    """Return the version of LangGraph's tables; -1 where there are none."""
    find = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
    if not await server.run(find, "checkpoint_migrations"):
        return -1
    rows = await server.run("SELECT max(v) FROM checkpoint_migrations")
    return -1 if rows[0][0] is None else int(rows[0][0])
