"""Keeps turns in flight, by LangGraph, under their ids, until they close: in memory, and a little on disk.

On disk, or on the server, is what another brain could go on from if this one died: the state after a step,
from which the model is asked next. There a turn stands for seconds, and has something to lose.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from ..core.errors import StoreFailed
from ..core.files import PATIENCE, private_file
from ..store.database import Database, Statement
from ..store.sqlite import is_broken
from .state import strict

T = TypeVar("T")
BESIDE = ("-wal", "-shm")  # what belongs to an SQLite file


def file_at(path: str) -> tuple[int, int] | None:
    """Return which file is at *path*; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


@asynccontextmanager
async def checkpointer(database: Database, path: str) -> AsyncIterator[InFlight]:
    """Open the checkpointer: on *database* where that is a server, else on a file of its own at *path*."""
    if not database.shared:
        async with in_file(path) as saver:
            yield InFlight(saver)
        return
    from .checkpoints_postgres import in_postgres  # most have no server

    yield InFlight(await in_postgres(database))


async def sweep(durable: Any, ended: Callable[[Collection[str]], Awaitable[Collection[str]]]) -> None:
    """Delete what a crash left of turns that have ended. What else is kept may be another program's."""
    for turn in await ended(await durable.kept()):
        await durable.adelete_thread(turn)


class InFlight(InMemorySaver):
    """Keeps all of a turn in memory, and what another brain could go on from in *durable* too."""

    def __init__(self, durable: Any) -> None:
        """durable: a FileSaver or a PostgresSaver."""
        super().__init__(serde=strict())
        self.durable = durable
        self._written: set[str] = set()  # the turns of which something is kept there

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        if _asks_model_again(checkpoint):
            self._written.add(config["configurable"]["thread_id"])
            # Every channel counts as new: the checkpoints in which they changed were not written there.
            await self.durable.aput(config, checkpoint, metadata, checkpoint["channel_versions"])
        return await super().aput(config, checkpoint, metadata, new_versions)

    async def state_of(self, turn: str) -> Mapping[str, Any]:
        """Return the state of *turn* that another brain kept; empty where it kept none."""
        where: RunnableConfig = {"configurable": {"thread_id": turn, "checkpoint_ns": ""}}
        found = await self.durable.aget_tuple(where)
        if found is None:
            return {}
        self._written.add(turn)
        kept: Mapping[str, Any] = found.checkpoint["channel_values"]
        return kept

    def deleting(self, turn: str) -> Sequence[Statement]:
        """Return what deletes what is durable of *turn*, if that goes along with its end in history.

        Should it not come to that, the sweep of the next start does it.
        """
        statements: Sequence[Statement] = self.durable.deleting(turn) if turn in self._written else ()
        if statements:
            self._written.remove(turn)
        return statements

    async def adelete_thread(self, thread_id: str) -> None:
        await super().adelete_thread(thread_id)
        if thread_id in self._written:  # else a server would be asked for nothing
            self._written.remove(thread_id)
            await self.durable.adelete_thread(thread_id)


def _asks_model_again(checkpoint: Checkpoint) -> bool:
    """Return whether a step came to its outcome, and the planner is next."""
    channels = checkpoint["channel_values"]  # beside the state's, LangGraph's own: each has a node run
    return bool(channels.get("steps")) and "branch:to:planner" in channels


@asynccontextmanager
async def in_file(path: str) -> AsyncIterator[FileSaver]:
    """Open what is durable on the file at *path*, which only the person can read."""
    with _translated():
        saver = FileSaver(path)
    try:
        yield saver
    finally:
        saver.conn.close()


class FileSaver(SqliteSaver):
    """LangGraph's own for SQLite. It writes at once, as history does, and its errors are translated.

    Its twin for asyncio hands each statement to another thread.
    A file that is broken or gone is made anew: what it held counted for turns that were under way.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._open()

    def deleting(self, turn: str) -> Sequence[Statement]:
        """Return nothing: history is in another file."""
        return ()

    async def aput(self, *arguments: Any, **more: Any) -> Any:
        return self._surely(lambda: self.put(*arguments, **more))

    async def aget_tuple(self, *arguments: Any, **more: Any) -> CheckpointTuple | None:
        return self._surely(lambda: self.get_tuple(*arguments, **more))

    async def adelete_thread(self, thread_id: str) -> None:
        self._surely(lambda: self.delete_thread(thread_id))

    async def kept(self) -> set[str]:
        """Return the ids of all turns of which something is kept."""
        return self._surely(self._kept)

    def _kept(self) -> set[str]:
        with self.cursor(transaction=False) as cursor:
            return {str(row[0]) for row in cursor.execute("SELECT DISTINCT thread_id FROM checkpoints")}

    def _surely(self, work: Callable[[], T]) -> T:
        """Return what *work* returns, on a new file where the one that was there is broken or gone."""
        with _translated():
            if file_at(self._path) != self._file:
                self._reopen()
            try:
                return work()
            except sqlite3.DatabaseError as error:
                if not is_broken(error):
                    raise
            self._reopen()
            return work()

    def _reopen(self) -> None:
        """Open what is there now: a new file, or that of another brain that made it anew."""
        self.conn.close()
        if file_at(self._path) == self._file:
            self._remove("", *BESIDE)
        self._open()

    def _open(self) -> None:
        try:
            self._connect()
        except sqlite3.DatabaseError as error:
            if not is_broken(error):
                raise
            self.conn.close()
            self._remove("", *BESIDE)
            self._connect()

    def _connect(self) -> None:
        if file_at(self._path) is None:  # a log that is there is of one that is gone
            self._remove(*BESIDE)
        private_file(self._path)
        connection = sqlite3.connect(self._path, timeout=PATIENCE, check_same_thread=False)
        super().__init__(connection, serde=strict())
        self._file = file_at(self._path)
        connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
        self.setup()

    def _remove(self, *parts: str) -> None:
        for part in parts:
            with suppress(FileNotFoundError):
                os.remove(f"{self._path}{part}")


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
