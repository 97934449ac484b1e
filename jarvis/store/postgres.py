"""Reaches a Postgres server: by one small pool, with errors translated; waits for one that restarts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool

from ..core.concurrency import in_time
from ..core.errors import JarvisError, ServiceUnreachable, StoreFailed
from ..core.frontend import hurried, notice
from .database import Row, T, Transaction, storable
from .postgres_errors import name_of, translated
from .postgres_hang_up import HangingUp, hang_up
from .postgres_tables import SetUp, if_alone, look, migrate
from .schema import VERSION

WAIT = 5  # seconds for a connection, and for one answer
_HURRY = 0.4  # seconds, for what a turn still writes that was told to end
_PAUSE = 0.3  # seconds between two attempts at a server that is away
_MOST = 4  # connections of the pool


class Postgres:
    """Implements database.Database. Made by `opened`."""

    shared = True
    # Where its SQL is not SQLite's.
    for_update = " FOR UPDATE"
    fold = "lower"
    joined = "string_agg"

    def __init__(self, url: str, patience: float) -> None:
        """patience: seconds to wait for a server that went away."""
        self._url = url
        self._patience = patience
        self._gave_up: tuple[JarvisError | None, float] = (None, 0.0)  # why, and until when
        self.name = name_of(url)
        self.schema = ""
        self._hanging_up = HangingUp()
        self._room = asyncio.Semaphore(_MOST)  # who waits here waits for others of us, and not for the server
        self.pool: AsyncConnectionPool[AsyncConnection[Row]] = AsyncConnectionPool(
            url,
            kwargs=_kwargs(),
            min_size=1,
            max_size=_MOST,
            timeout=WAIT,
            max_idle=300,
            max_lifetime=1800,
            reconnect_timeout=WAIT,  # longer, and it would look for a server ever more seldom
            check=self._hanging_up.check,
            open=False,
        )

    async def open(self) -> None:
        """Set the tables up, and open the pool.

        Raises ServiceUnreachable or SettingsError at once, where waiting would not help a person.
        """
        if await self.look() < VERSION:
            await self.alone(lambda connection: migrate(connection, self.name))
        await self.pool.open(wait=False)

    async def look(self) -> int:
        """Return the version of the tables, of which 0 is that there are none; nothing is changed.

        Raises as open() does.
        """
        async with self.connection() as connection:
            looked = look(connection, self.name)
            self.schema, version = await in_time(looked, WAIT, lambda: hang_up(connection))
        if version > VERSION:
            raise StoreFailed(f"{self.name} was written by a newer version of Jarvis.", hint="Update Jarvis.")
        return version

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Row]]:
        """Open a connection besides the pool's. Its errors are translated."""
        try:
            async with await self.connect() as connection:
                yield connection
        except (psycopg.Error, OSError, TimeoutError) as error:
            raise translated(error, self.name) from None

    async def connect(self) -> AsyncConnection[Row]:
        """Return a connection whose errors are psycopg's own."""
        return await AsyncConnection.connect(self._url, **_kwargs())

    async def alone(self, work: SetUp) -> None:
        """Do *work*, in a transaction, while no other process sets this schema up.

        It asks for the lock again and again, each time in its own transaction: CREATE INDEX waits for all
        that are running a statement, and if one of these waited for this lock, both would hang.
        """
        deadline = time.monotonic() + 60
        async with self.connection() as connection:
            while not await if_alone(connection, work):
                if time.monotonic() > deadline:
                    raise StoreFailed(
                        f"{self.name} is being set up by another Jarvis.", hint="Try again in a moment."
                    )
                await asyncio.sleep(0.1)

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return await self.atomically(lambda transaction: transaction.run(sql, *arguments))

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        kept = list(rows)
        await self.atomically(lambda transaction: transaction.run_many(sql, kept))

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with self._room:
                # The pool's own limit leaves its check of a connection out.
                connection = await self._hanging_up.in_time(self.pool.getconn, WAIT)
                try:
                    return await _committed(_Transaction(connection), work)
                finally:
                    await self.pool.putconn(connection)

        return await self.patiently(attempt)

    async def answered(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do *work* patiently, one question and one answer, each of which may take little time."""

        async def attempt() -> T:
            async with self._room:
                return await self._hanging_up.in_time(work, WAIT)

        return await self.patiently(attempt)

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what *work* returns. It is run again while the server is away, as long as patience lasts.

        Once patience has run out, further calls fail at once for a while: a turn's end writes many things.
        """
        trouble, until = self._gave_up
        if trouble and time.monotonic() < until:
            raise trouble
        deadline = time.monotonic() + (0 if trouble or hurried.get() else self._patience)
        told = False
        while True:
            try:
                result = await self._hanging_up.in_time(work, _HURRY if hurried.get() else None)
            except (psycopg.Error, OSError, TimeoutError) as error:
                trouble = translated(error, self.name)
                if not isinstance(trouble, ServiceUnreachable):
                    raise trouble from None
                if time.monotonic() > deadline:
                    self._gave_up = (trouble, time.monotonic() + WAIT)
                    raise trouble from None
                if not told:
                    notice(f"{self.name} can't be reached: waiting for it")
                told = True
                await asyncio.sleep(_PAUSE)
            else:
                self._gave_up = (None, 0.0)
                if told:
                    notice(f"{self.name} is back")
                return result

    async def tidy(self) -> None:
        """Do nothing: autovacuum frees what was deleted. The server's log and backups keep copies."""

    async def size(self) -> int:
        rows = await self.run(
            "SELECT SUM(pg_column_size(t.*)) FROM ("
            "SELECT ROW(x.*) AS t FROM turns x UNION ALL SELECT ROW(x.*) FROM steps x"
            " UNION ALL SELECT ROW(x.*) FROM addresses x) AS t"
        )
        return int(rows[0][0] or 0)

    async def close(self) -> None:
        await self.pool.close(timeout=0.3)


class _Transaction:
    """Implements database.Transaction."""

    def __init__(self, connection: AsyncConnection[Row]) -> None:
        self._connection = connection

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return await self._in_time(self._run(_percent(sql), [_storable(a) for a in arguments]))

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        await self._in_time(self._run_many(_percent(sql), [[_storable(a) for a in row] for row in rows]))

    async def _run(self, sql: str, arguments: list[object]) -> list[Row]:
        cursor = await self._connection.execute(sql, arguments)
        return await cursor.fetchall() if cursor.description else []

    async def _run_many(self, sql: str, rows: list[list[object]]) -> None:
        async with self._connection.cursor() as cursor:
            await cursor.executemany(sql, rows)

    async def _in_time(self, work: Awaitable[T]) -> T:
        return await in_time(work, WAIT, lambda: hang_up(self._connection))


async def _committed(transaction: _Transaction, work: Callable[[Transaction], Awaitable[T]]) -> T:
    # Whatever the role's default: what is read after a lock has to be what others committed before it.
    await transaction.run("BEGIN ISOLATION LEVEL READ COMMITTED")
    async with contextlib.AsyncExitStack() as failing:
        failing.push_async_callback(_rolled_back, transaction)
        result = await work(transaction)
        await transaction.run("COMMIT")
        failing.pop_all()
    return result


async def _rolled_back(transaction: _Transaction) -> None:
    with contextlib.suppress(psycopg.Error, OSError, TimeoutError):
        await transaction.run("ROLLBACK")


def _kwargs() -> dict[str, Any]:
    return {
        "autocommit": True,
        "prepare_threshold": None,  # a pooler hands us another connection, where they are not prepared
        "row_factory": tuple_row,
        "client_encoding": "UTF8",
        "connect_timeout": WAIT,
        "tcp_user_timeout": WAIT * 1000,
        "keepalives_idle": 30,
        "application_name": f"jarvis, process {os.getpid()} on {platform.node()}"[:60],
    }


def _percent(sql: str) -> str:
    """Return *sql* with the placeholders of psycopg."""
    return sql.replace("?", "%s")


def _storable(value: object) -> object:
    """Return *value* without NUL, for which Postgres has no place in a text."""
    return storable(value.replace("\0", "")) if isinstance(value, str) else value
