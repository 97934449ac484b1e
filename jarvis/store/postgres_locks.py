"""Locks threads whose history is in Postgres, by advisory locks, which end with their connection.

One connection holds them all, and stays in a transaction as long as it holds one: behind a transaction
pooler, nothing else keeps a connection ours. Then others may have it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Coroutine, Iterable
from typing import Any

import psycopg

from ..core.errors import ThreadBusy
from .database import Row
from .postgres import Postgres
from .postgres_connections import Connection

_HOLDER = (
    "SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND ((classid::bigint << 32) | objid::bigint) = ? AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# Whatever the role's default: any other isolation would hold a snapshot, for which vacuum would wait. And an
# open transaction that does nothing is what holds our locks: no server is to end it for that.
_BEGIN = (
    "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT set_config(name, '0', true) FROM pg_settings"
    " WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout');"
)
# The process that serves a connection which the network swallowed lives on, and has our locks.
_ENDING = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid = {} AND application_name = current_setting('application_name')"
)
_TRIES, _PAUSE = 10, 0.1  # seconds
_GOODBYE = 1.0  # seconds, for the server to hear that a lock is given back


class AdvisoryLocks:
    """The locks of one process. A call returns the lock of a thread."""

    def __init__(self, database: Postgres) -> None:
        self._database = database
        self._connection: Connection | None = None  # lent to us, as long as there is a lock
        self._held: set[int] = set()
        self._one_at_a_time = asyncio.Lock()
        self._asking: set[asyncio.Task[bool]] = set()
        self._lost = 0  # the process that served the connection before

    def __call__(self, thread: str) -> AdvisoryLock:
        return AdvisoryLock(self, self._key(thread), thread)

    async def take(self, key: int) -> bool:
        """Return whether *key* is ours now. Within a process too, only one has it."""
        taking = self._begun(self._database.patiently(lambda: self._taken(key)))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(lambda _: self._begun(self._given_back(key)) if _got(taking) else None)
            raise

    async def confirm(self, key: int) -> bool:
        """Return whether *key* is still ours. A lost connection is made anew, with all its locks."""
        return await asyncio.shield(self._begun(self._database.patiently(lambda: self._confirmed(key))))

    async def release(self, key: int) -> None:
        await asyncio.shield(self._begun(self._given_back(key)))

    async def holder(self, key: int) -> str:
        rows = await self._database.run(_HOLDER, key)
        return str(rows[0][0]) if rows else ""

    async def close(self) -> None:
        for task in self._asking:
            task.cancel()
        if self._asking:
            await asyncio.wait(self._asking, timeout=_GOODBYE)
        self._hang_up()

    def _key(self, thread: str) -> int:
        text = f"{self._database.schema}/{thread}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)

    def _begun(self, work: Coroutine[Any, Any, bool]) -> asyncio.Task[bool]:
        """Begin *work*. Whoever waits for it may be cancelled, and it not: it is at everybody's locks."""
        task = asyncio.ensure_future(work)
        self._asking.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[bool]) -> None:
        self._asking.discard(task)
        if not task.cancelled():
            task.exception()  # seen: whoever asked may be gone

    async def _taken(self, key: int) -> bool:
        async with self._one_at_a_time:
            if key in self._held:
                return False
            if taken := await self._answer(_taking([key])):
                self._held.add(key)
            else:
                await self._say_goodbye()
            return taken

    async def _confirmed(self, key: int) -> bool:
        async with self._one_at_a_time:
            await self._answer("SELECT true")
            return key in self._held

    async def _given_back(self, key: int) -> bool:
        async with self._one_at_a_time:
            is_ours = key in self._held
            self._held.discard(key)
            await self._say_goodbye(f"SELECT pg_advisory_unlock({key})" if is_ours else "")
            return is_ours

    async def _answer(self, question: str) -> bool:
        """Return what the server answers to *question*, on the connection that has our locks."""
        with contextlib.ExitStack() as failing:
            failing.callback(self._hang_up)
            if self._connection:
                rows = await self._connection.say(question)
            else:
                rows = await self._anew(question)
            failing.pop_all()
        return bool(rows[0][0])

    async def _anew(self, question: str) -> list[Row]:
        """Ask on a connection that takes all locks of the one before, but those that others took."""
        connection = self._connection = await self._database.connections.take()
        if not self._held:
            return await connection.say(_BEGIN + question)
        await connection.say(f"{_BEGIN}{_ENDING.format(self._lost)}")
        self._held -= await _not_taken(connection, self._held)
        return await connection.say(question)

    async def _say_goodbye(self, unlock: str = "") -> None:
        """Give a lock back, and without others the connection; where nobody answers, by hanging up."""
        if self._connection is None:
            return
        sql = "; ".join(filter(None, (unlock, "" if self._held else "ROLLBACK")))
        try:
            async with asyncio.timeout(_GOODBYE):
                if sql:
                    await self._connection.say(sql)
        except (psycopg.Error, OSError, TimeoutError):
            self._hang_up()
        if not self._held:
            self._rest()

    def _hang_up(self) -> None:
        if self._connection:
            self._lost = self._connection.pid
            self._connection.close()  # without a word, for which a server that hangs would be waited for
            self._rest()

    def _rest(self) -> None:
        """Leave the connection to others."""
        connection, self._connection = self._connection, None
        if connection:
            self._database.connections.give_back(connection)


def _taking(keys: Iterable[int]) -> str:
    # Without a parameter: the portal of a statement that has one keeps its snapshot as long as the
    # transaction lasts, and vacuum and the building of an index wait for those.
    return "SELECT " + ", ".join(f"pg_try_advisory_lock({key})" for key in keys)


async def _not_taken(connection: Connection, keys: Iterable[int]) -> set[int]:
    """Take locks that were ours, and return those that others have.

    The server may still be ending the connection that was lost.
    """
    missing = list(keys)
    for _ in range(_TRIES):
        (taken,) = await connection.say(_taking(missing))
        missing = [key for key, is_ours in zip(missing, taken, strict=True) if not is_ours]
        if not missing:
            break
        await asyncio.sleep(_PAUSE)
    return set(missing)


def _got(taking: asyncio.Task[bool]) -> bool:
    return not taking.cancelled() and not taking.exception() and taking.result()


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
