"""Reaches a Postgres server, with errors translated; waits for one that restarts."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, closing
from contextvars import ContextVar

import psycopg
from psycopg import AsyncConnection

from ..core.errors import JarvisError, ServiceUnreachable, StoreFailed
from ..core.frontend import hurried
from .database import Row, Statement, T, Transaction
from .postgres_connections import WAIT, Connection, Connections
from .postgres_errors import NoConnectionLeft, is_passing, name_of, translated
from .postgres_patience import Patience
from .postgres_tables import SetUp, if_alone, look, migrate
from .schema import VERSION

_HURRY = 1.0  # seconds, for what a turn still writes that was told to end
_POOLED = 5  # connections at most, behind a pooler, which shares a few among all of its clients
_TOGETHER = 500  # statements at most
_TROUBLE = (psycopg.Error, OSError, TimeoutError)
# Why a turn that is in a hurry writes nothing more.
_hopeless: ContextVar[JarvisError | None] = ContextVar("hopeless", default=None)
# Whatever the role's default: what is read after a lock has to be what others committed before it.
_BEGIN = ("BEGIN ISOLATION LEVEL READ COMMITTED",)


class Postgres:
    """Implements database.Database. Made by `opened`."""

    shared = True
    # Where its SQL is not SQLite's.
    for_update = " FOR UPDATE"
    fold = "lower"
    joined = "string_agg"

    def __init__(self, url: str, patience: float, most: int = 20) -> None:
        """patience: seconds to wait for a server that went away. most: connections at once, from 2 on."""
        self._patience = patience
        self._gave_up: tuple[JarvisError | None, float] = (None, 0.0)  # why, and until when
        self.name = name_of(url)
        self.schema = ""
        self._most = max(2, most)  # one holds the locks
        self.connections = Connections(url, self._most)

    async def open(self) -> None:
        """Set the tables up.

        Raises ServiceUnreachable or SettingsError at once, where waiting would not help a person.
        """
        if await self.look() < VERSION:
            await self.alone(lambda connection: migrate(connection, self.name))

    async def look(self) -> int:
        """Return the version of the tables, of which 0 is that there are none; nothing is changed.

        Raises as open() does.
        """
        async with self._connected() as connection:
            found = await connection.do(lambda ours: look(ours, self.name))
        self.schema = found.schema
        if found.is_pooled:
            self.connections.limit(min(self._most, _POOLED))
        if found.version > VERSION:
            raise StoreFailed(f"{self.name} was written by a newer version of Jarvis.", hint="Update Jarvis.")
        return found.version

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Row]]:
        """Open a connection besides those that are lent. Its errors are translated."""
        async with self._connected() as connection:
            yield connection.raw

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Connection]:
        try:
            with closing(await self.connections.new()) as connection:
                yield connection
        except _TROUBLE as error:
            raise translated(error, self.name) from None

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
        return (await self.run_all((sql, *arguments)))[0]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        if all(sql.startswith("SELECT ") for sql, *_ in statements):  # what only reads needs no transaction
            return await self._lending(lambda connection: connection.ask(statements))
        return await self._lending(lambda connection: _Transaction(connection).last(*statements))

    async def send(self, sql: str, *arguments: object) -> None:
        await self.run_all((sql, *arguments))

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        kept = list(rows)
        await self.atomically(lambda transaction: transaction.run_many(sql, kept))

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._lending(lambda connection: _committed(_Transaction(connection), work))

    async def borrowed(self, work: Callable[[AsyncConnection[Row]], Awaitable[T]]) -> T:
        """Return what *work* returns, given a connection for its own; it may be run again, as a transaction.

        It asks once, and is answered once.
        """
        return await self._lending(lambda connection: connection.do(work))

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what *work* returns. It is run again while the server is away, as long as patience lasts.

        Once patience has run out, further calls fail at once for a while: a turn's end writes many things.
        """
        trouble, until = self._gave_up
        hopeless = _hopeless.get() or (trouble if time.monotonic() < until else None)
        if hopeless:
            raise hopeless
        with Patience(self.name, 0 if trouble or hurried.get() else self._patience) as patience:
            while True:
                try:
                    async with asyncio.timeout(_HURRY if hurried.get() else None):
                        result = await work()
                except _TROUBLE as error:
                    await self._bear(error, patience)
                else:
                    self._gave_up = (None, 0.0)
                    return result

    async def _bear(self, error: Exception, patience: Patience) -> None:
        """Wait until what failed by *error* is to be tried again. Raises what it means, where it is not."""
        if is_passing(error) and patience.may_repeat():
            return
        trouble = translated(error, self.name)
        if not isinstance(trouble, ServiceUnreachable):
            raise trouble from None
        if not isinstance(trouble, NoConnectionLeft):
            self.connections.forget()  # those that were kept may lead nowhere too
        if not await patience.wait(trouble):
            self._give_up(trouble)
            raise trouble from None

    def _give_up(self, trouble: JarvisError) -> None:
        if hurried.get():  # which says little of the server: others may wait longer
            _hopeless.set(trouble)
        elif not isinstance(trouble, NoConnectionLeft):
            self._gave_up = (trouble, time.monotonic() + WAIT)

    async def _lending(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what *work* returns, patiently. It is given a connection, and may be run again."""

        async def attempt() -> T:
            async with self.connections.lent() as connection:
                return await work(connection)

        return await self.patiently(attempt)

    async def tidy(self) -> None:
        """Do nothing: autovacuum frees what was deleted. The server's log and backups keep copies."""

    async def rest(self) -> None:
        """Do nothing: it has no file."""

    async def size(self) -> int:
        rows = await self.run(
            "SELECT SUM(pg_column_size(t.*)) FROM ("
            "SELECT ROW(x.*) AS t FROM turns x UNION ALL SELECT ROW(x.*) FROM steps x"
            " UNION ALL SELECT ROW(x.*) FROM addresses x) AS t"
        )
        return int(rows[0][0] or 0)

    async def close(self) -> None:
        self.connections.close()


class _Transaction:
    """Implements database.Transaction. What is sent waits for what is asked, and goes along with it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._unsent: list[Statement] = [_BEGIN]
        self._has_begun = False

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return (await self.run_all((sql, *arguments)))[0]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        unsent, self._unsent = self._unsent, []
        self._has_begun = True
        return (await self._connection.ask([*unsent, *statements]))[len(unsent) :]

    async def send(self, sql: str, *arguments: object) -> None:
        await self.run_many(sql, [arguments])

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        self._unsent += [(sql, *row) for row in rows]
        if len(self._unsent) > _TOGETHER:
            await self.run_all()

    async def last(self, *statements: Statement) -> list[list[Row]]:
        """Return the rows of *statements*, which end the transaction: it is committed along with them."""
        try:
            return (await self.run_all(*statements, ("COMMIT",)))[:-1]
        except BaseException:
            await self.roll_back()
            raise

    async def commit(self) -> None:
        if self._has_begun or len(self._unsent) > 1:
            await self.run_all(("COMMIT",))

    async def roll_back(self) -> None:
        if self._has_begun:
            with contextlib.suppress(*_TROUBLE):
                await self._connection.ask([("ROLLBACK",)])


async def _committed(transaction: _Transaction, work: Callable[[Transaction], Awaitable[T]]) -> T:
    async with contextlib.AsyncExitStack() as failing:
        failing.push_async_callback(transaction.roll_back)
        result = await work(transaction)
        await transaction.commit()
        failing.pop_all()
    return result
