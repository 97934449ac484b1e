"""Locks threads whose history is in Postgres, by advisory locks, which end with their connection.

One connection holds them all, and stays in a transaction as long as it holds one: behind a transaction
pooler, nothing else keeps a connection ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable

import psycopg
from psycopg import AsyncConnection

from ..core.concurrency import in_time
from ..core.errors import ThreadBusy
from .database import Row, T
from .postgres import WAIT, Postgres

_HOLDER = (
    "SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND ((classid::bigint << 32) | objid::bigint) = ? AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# An open transaction that does nothing is what holds our locks: no server is to end it for that.
_NOT_IDLE = (
    "SELECT set_config(name, '0', true) FROM pg_settings"
    " WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')"
)
_TRIES, _PAUSE = 10, 0.1  # seconds
_TROUBLE = (psycopg.Error, OSError, TimeoutError)


class AdvisoryLocks:
    """The locks of one process. A call returns the lock of a thread."""

    def __init__(self, database: Postgres) -> None:
        self._database = database
        self._connection: AsyncConnection[Row] | None = None
        self._held: set[int] = set()
        self._one_at_a_time = asyncio.Lock()

    def __call__(self, thread: str) -> AdvisoryLock:
        return AdvisoryLock(self, self._key(thread), thread)

    async def take(self, key: int) -> bool:
        """Return whether *key* is ours now. Within a process too, only one has it."""
        async with self._one_at_a_time:
            if key in self._held:
                return False
            async with contextlib.AsyncExitStack() as failing:
                failing.push_async_callback(self._unlock, key)  # the server may have granted it
                taken = await self._answered(lambda: self._taken(key))
                failing.pop_all()
            if taken:
                self._held.add(key)
            elif not self._held:
                await self._idle()
            return taken

    async def confirm(self, key: int) -> bool:
        """Return whether *key* is still ours. A lost connection is made anew, with all its locks."""
        async with self._one_at_a_time:
            await self._answered(self._alive)
            return key in self._held

    async def release(self, key: int) -> None:
        async with self._one_at_a_time:
            if key in self._held:
                self._held.discard(key)
                await self._unlock(key)
        await self.rest()

    async def rest(self) -> None:
        """Leave the connection to the pooler, if no lock is held by it."""
        async with self._one_at_a_time:
            if not self._held:
                self._close()

    async def holder(self, key: int) -> str:
        rows = await self._database.run(_HOLDER, key)
        return str(rows[0][0]) if rows else ""

    async def close(self) -> None:
        async with self._one_at_a_time:
            self._close()

    def _key(self, thread: str) -> int:
        text = f"{self._database.schema}/{thread}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)

    async def _answered(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what *work* returns, with patience. Where it hangs, our own connection is closed."""
        return await self._database.patiently(lambda: in_time(work(), WAIT, self._close))

    async def _taken(self, key: int) -> bool:
        return await _try(await self._alive(), key)

    async def _alive(self) -> AsyncConnection[Row]:
        """Return the connection. A new one takes all locks of the lost one, but those that others took."""
        connection = self._connection
        if connection and not connection.closed:
            with contextlib.suppress(*_TROUBLE):
                asked = connection.execute("SELECT 1") if self._held else _begin(connection)
                await in_time(asked, 2, connection.pgconn.finish)
                return connection
        self._close()
        connection = self._connection = await self._database.connect()
        with contextlib.ExitStack() as failing:
            failing.callback(self._close)
            await _begin(connection)
            self._held = {held for held in self._held if await _again(connection, held)}
            failing.pop_all()
        return connection

    async def _idle(self) -> None:
        """End the transaction: a process that only waits must keep no server connection from others."""
        if self._connection:
            try:
                await in_time(self._connection.execute("ROLLBACK"), 1, self._connection.pgconn.finish)
            except _TROUBLE:
                self._close()

    async def _unlock(self, key: int) -> None:
        """Give *key* back; where the server does not answer at once, by hanging up."""
        if self._connection and not self._connection.closed:
            connection = self._connection
            unlock = connection.execute(f"SELECT pg_advisory_unlock({key})")
            try:
                await in_time(unlock, 1, connection.pgconn.finish)
            except _TROUBLE:
                self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.pgconn.finish()  # without a word, for which a server that hangs would be waited for


async def _begin(connection: AsyncConnection[Row]) -> None:
    # Whatever the role's default: any other would hold a snapshot, for which vacuum would wait.
    await connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
    await connection.execute(_NOT_IDLE)


async def _again(connection: AsyncConnection[Row], key: int) -> bool:
    """Take a lock that was ours. The server may still be ending the connection that was lost."""
    for _ in range(_TRIES):
        if await _try(connection, key):
            return True
        await asyncio.sleep(_PAUSE)
    return False


async def _try(connection: AsyncConnection[Row], key: int) -> bool:
    # Without a parameter: the portal of a statement that has one keeps its snapshot as long as the
    # transaction lasts, and vacuum and the building of an index wait for those.
    cursor = await connection.execute(f"SELECT pg_try_advisory_lock({key})")
    row = await cursor.fetchone()
    return bool(row and row[0])


class AdvisoryLock:
    """Implements locks.Lock."""

    def __init__(self, locks: AdvisoryLocks, key: int, thread: str) -> None:
        self._locks = locks
        self._key = key
        self._thread = thread
        self._taken = False

    async def take(self) -> bool:
        self._taken = await self._locks.take(self._key)
        return self._taken

    async def holder(self) -> str:
        return await self._locks.holder(self._key)

    async def confirm(self) -> None:
        if not await self._locks.confirm(self._key):
            raise ThreadBusy(
                f"The thread {self._thread} was taken over by another Jarvis while the database was away.",
                hint="Look at what was done, then ask again: jarvis threads show",
            )

    async def release(self) -> None:
        if self._taken:
            self._taken = False
            await self._locks.release(self._key)
        else:
            await self._locks.rest()
