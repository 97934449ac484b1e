"""Lends connections to a Postgres server, each to one work at a time, and keeps them for the next.

A pool of a library's connects beside whoever waits, again and again with longer and longer pauses, and tells
nobody why it can't, nor which connection whose work has. Here the work that needs a connection makes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from ..core.concurrency import in_time
from .database import Row, Statement, T, storable
from .postgres_errors import is_full

WAIT = 5.0  # seconds to connect, and for one answer
_FIRST, _FRESH = 2.0, 1.0  # seconds for an answer, where nothing was heard for more than a second
_RETURN = 0.5  # seconds that one of ours is waited for, where the server has none left
_KEPT = 300.0  # seconds that one is kept which nobody needs
# What it ignores beside an error is no more than that error; a plain command would have it on stderr.
logging.getLogger("psycopg").setLevel(logging.ERROR)


class Connection:
    """One connection, while one work has it. Its errors are psycopg's own, and TimeoutError."""

    def __init__(self, connection: AsyncConnection[Row]) -> None:
        self.raw = connection
        self.pid = connection.info.backend_pid  # of the process that serves it; a pooler makes one up
        self.used = 0.0  # when it was given back
        self._heard = time.monotonic()  # when the server answered last, as far as that counts
        self._is_at_work = False
        self._is_over = False

    @property
    def is_usable(self) -> bool:
        is_free = not self._is_over and not self._is_at_work
        return is_free and self.raw.pgconn.transaction_status == TransactionStatus.IDLE

    def rest(self) -> None:
        """Note that nobody has it: it may lead nowhere when it is needed again."""
        self.used, self._heard = time.monotonic(), 0.0

    async def ask(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Return the rows of each of *statements*, in one round trip."""
        return await self.do(lambda connection: _together(connection, statements))

    async def say(self, sql: str) -> list[Row]:
        """Return the rows of the last of the statements in *sql*, in one round trip, without a portal."""
        return await self.do(lambda connection: _last_of(connection, sql))

    async def do(self, work: Callable[[AsyncConnection[Row]], Awaitable[T]]) -> T:
        """Return what *work* returns, one question and one answer. Where it hangs, it is hung up on."""
        is_fresh = time.monotonic() - self._heard < _FRESH
        done = await in_time(self._done(work), WAIT if is_fresh else min(WAIT, _FIRST), self.hang_up)
        self._heard = time.monotonic()
        return done

    async def _done(self, work: Callable[[AsyncConnection[Row]], Awaitable[T]]) -> T:
        self._is_at_work = True
        try:
            return await work(self.raw)
        finally:
            self._is_at_work = False

    def hang_up(self) -> None:
        """End the conversation, so that whoever waits for an answer fails in order, at once.

        To close it instead would free memory that psycopg still reads: the process may die of that.
        """
        self._is_over = True
        with (
            contextlib.suppress(OSError, psycopg.Error),  # it is closed already
            socket.fromfd(self.raw.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM) as line,
        ):
            line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if not self._is_at_work:  # else psycopg still reads its memory, and ends it as it lets go of it
            self.raw.pgconn.finish()


class Connections:
    """The connections of one process to a server: as many as are needed at once, up to a limit."""

    def __init__(self, url: str, most: int) -> None:
        self._url = url
        self._room = asyncio.Semaphore(most)  # who waits here waits for others of us, and not for the server
        self._kept: list[Connection] = []  # the one used last is lent first
        self._lent = 0
        self._waiting: deque[asyncio.Future[Connection]] = deque()  # for one of those
        self._leaving: asyncio.TimerHandle | None = None

    def limit(self, most: int) -> None:
        """Lend at most so many at once from now on; none is lent yet."""
        self._room = asyncio.Semaphore(most)

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[Connection]:
        """Lend a connection. While all of them are lent, it is waited for, in order."""
        connection = await self.take()
        try:
            yield connection
        finally:
            self.give_back(connection)

    async def take(self) -> Connection:
        """Return a connection that is the caller's until they give it back."""
        await self._room.acquire()
        with contextlib.ExitStack() as failing:
            failing.callback(self._room.release)
            connection = self._kept.pop() if self._kept else await self._another()
            failing.pop_all()
        self._lent += 1
        return connection

    async def _another(self) -> Connection:
        """Return a new connection; where the server has none left, one that another of us gives back."""
        try:
            return await self.new()
        except psycopg.OperationalError as error:
            if not is_full(error) or not (returned := await self._returned()):
                raise
            return returned

    async def _returned(self) -> Connection | None:
        """Return a connection that is given back, as soon as one is; None where none is for a while."""
        returned: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self._waiting.append(returned)
        try:
            await asyncio.wait([returned], timeout=_RETURN if self._lent else 0)
        except asyncio.CancelledError:
            if returned.done():
                self._kept.append(returned.result())
            raise
        finally:
            returned.cancel()  # which does nothing once it is there
        return None if returned.cancelled() else returned.result()

    def _next_waiting(self) -> asyncio.Future[Connection] | None:
        while self._waiting:
            if not (waiting := self._waiting.popleft()).done():
                return waiting
        return None

    def give_back(self, connection: Connection) -> None:
        """Keep *connection* for others, if it is of use."""
        self._lent -= 1
        if connection.is_usable and (waiting := self._next_waiting()):
            connection.rest()
            waiting.set_result(connection)
        elif connection.is_usable:
            connection.rest()
            self._kept.append(connection)
            self._leaving = self._leaving or asyncio.get_running_loop().call_later(_KEPT, self._leave)
        else:
            connection.close()
        self._room.release()

    async def new(self) -> Connection:
        """Return a new connection, besides those that are lent."""
        return Connection(await AsyncConnection.connect(self._url, **_kwargs()))

    def forget(self) -> None:
        """Close all that are kept."""
        for connection in self._kept:
            connection.close()
        self._kept.clear()

    def close(self) -> None:
        if self._leaving:
            self._leaving.cancel()
        self.forget()

    def _leave(self) -> None:
        """Close those that nobody needed for long, and look again later."""
        long_ago = time.monotonic() - _KEPT
        while self._kept and self._kept[0].used <= long_ago:  # the first is the one that waits longest
            self._kept.pop(0).close()
        loop = asyncio.get_running_loop()
        self._leaving = loop.call_at(loop.time() + _KEPT, self._leave) if self._kept else None


async def _together(connection: AsyncConnection[Row], statements: Sequence[Statement]) -> list[list[Row]]:
    async with connection.pipeline():
        cursors = [
            await connection.execute(_percent(sql), [_storable(value) for value in values])
            for sql, *values in statements
        ]
    return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]


async def _last_of(connection: AsyncConnection[Row], sql: str) -> list[Row]:
    cursor = await connection.execute(sql)
    while cursor.nextset():
        pass
    return await cursor.fetchall() if cursor.description else []


def _kwargs() -> dict[str, Any]:
    return {
        "autocommit": True,
        "prepare_threshold": None,  # a pooler hands us another connection, where they are not prepared
        "row_factory": tuple_row,
        "client_encoding": "UTF8",
        "connect_timeout": int(WAIT),
        "tcp_user_timeout": int(WAIT * 1000),
        "keepalives_idle": 30,
        "application_name": f"jarvis, process {os.getpid()} on {platform.node()}"[:60],
    }


def _percent(sql: str) -> str:
    """Return *sql* with the placeholders of psycopg."""
    return sql.replace("?", "%s")


def _storable(value: object) -> object:
    """Return *value* without NUL, for which Postgres has no place in a text."""
    return storable(value.replace("\0", "")) if isinstance(value, str) else value
