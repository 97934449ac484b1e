"""A Postgres server: one small pool, errors translated, and patience with a server that is restarted."""

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
from psycopg import AsyncConnection, conninfo
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool

from ..errors import JarvisError, ServiceUnreachable, SettingsError, StoreFailed
from ..notices import notice
from .database import Row, Rows, T
from .schema import VERSION, statements

_WAIT = 5  # seconds for a connection, and for one answer
_PAUSE = 0.3  # seconds between two attempts at a server that is away
# What a server says while it goes down or comes up: 08 connection, 57P01-57P05 shut down or starting.
_AWAY = ("08", "57P0")
# Invalid authorization, no such database: nothing that waiting mends.
_REFUSED = ("28", "3D")
# The same while a connection is made: then there are words only.
_REFUSALS = (
    *("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry"),
    *("certificate verify failed", "does not support SSL", "root certificate file"),
)


class Postgres:
    """Implements database.Database. Made by `opened`."""

    shared = True
    fold = "lower"
    joined = "string_agg"

    def __init__(self, url: str, patience: float) -> None:
        """patience: seconds to wait for a server that went away."""
        self._url = url
        self._patience = patience
        self._gave_up: tuple[JarvisError | None, float] = (None, 0.0)  # why, and until when
        self.name = _name(url)
        self.schema = ""
        self.pool: AsyncConnectionPool[AsyncConnection[Row]] = AsyncConnectionPool(
            url,
            kwargs=_kwargs(),
            min_size=1,
            max_size=4,
            timeout=_WAIT,
            max_idle=300,
            max_lifetime=1800,
            reconnect_timeout=_WAIT,  # longer, and it would look for a server ever more seldom
            check=AsyncConnectionPool.check_connection,
            open=False,
        )

    async def open(self) -> None:
        """Raises ServiceUnreachable or SettingsError at once, where waiting would not help a person."""
        async with self.connection() as connection:
            version = await _version(connection)
            self.schema = str(await _first(connection, "SELECT current_schema()"))
        if version > VERSION:
            raise StoreFailed(f"{self.name} was written by a newer Jarvis.", hint="Update this one.")
        if version < VERSION:
            await self.alone(_migrate)
        await self.pool.open(wait=False)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Row]]:
        """A connection of one's own, besides the pool's. Its errors are translated."""
        try:
            async with await self.connect() as connection:
                yield connection
        except (psycopg.Error, OSError, TimeoutError) as error:
            raise self.translated(error) from None

    async def connect(self) -> AsyncConnection[Row]:
        """A connection, whose errors are psycopg's own."""
        return await AsyncConnection.connect(self._url, **_kwargs())

    async def alone(self, work: Callable[[AsyncConnection[Row]], Awaitable[None]]) -> None:
        """*work*, in a transaction, while no other process sets this schema up.

        It asks for the lock again and again: one that waited for it would hold a snapshot, for which
        the building of an index has to wait. Held by a transaction, it is good behind a pooler too.
        """
        key = "hashtext('jarvis set-up ' || current_schema())"
        deadline = time.monotonic() + 60
        async with self.connection() as connection, connection.transaction():
            while not await _first(connection, f"SELECT pg_try_advisory_xact_lock({key})"):
                if time.monotonic() > deadline:
                    raise StoreFailed(f"{self.name} is being set up by another Jarvis.", hint="Try again.")
                await asyncio.sleep(0.1)
            await work(connection)

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return await self.atomically(lambda rows: rows.run(sql, *arguments))

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        kept = list(rows)
        await self.atomically(lambda transaction: transaction.run_many(sql, kept))

    async def atomically(self, work: Callable[[Rows], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with asyncio.timeout(_WAIT):  # the pool's own limit leaves its check of a connection out
                connection = await self.pool.getconn()
            try:
                return await _committed(_Transaction(connection), work)
            except TimeoutError:  # a server that does not answer would not answer to a rollback either
                await connection.close()
                raise
            finally:
                await self.pool.putconn(connection)

        return await self.patiently(attempt)

    async def answered(self, work: Callable[[], Awaitable[T]]) -> T:
        """As `patiently`, for work that is one question and one answer: it has little time for each."""

        async def attempt() -> T:
            async with asyncio.timeout(_WAIT):
                return await work()

        return await self.patiently(attempt)

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """What *work* returns; run again and again while the server is away, as long as patience lasts.

        Once it was waited for in vain, what follows fails at once for a while: a turn has many ends to tie.
        """
        trouble, until = self._gave_up
        if trouble and time.monotonic() < until:
            raise trouble
        deadline = time.monotonic() + (0 if trouble else self._patience)
        told = False
        while True:
            try:
                result = await work()
            except (psycopg.Error, OSError, TimeoutError) as error:
                trouble = self.translated(error)
                if not isinstance(trouble, ServiceUnreachable):
                    raise trouble from None
                if time.monotonic() > deadline:
                    self._gave_up = (trouble, time.monotonic() + _WAIT)
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
        """The server sees to it: autovacuum frees what was deleted; its log and backups keep copies."""

    async def size(self) -> int:
        rows = await self.run(
            "SELECT SUM(pg_column_size(t.*)) FROM ("
            "SELECT ROW(x.*) AS t FROM turns x UNION ALL SELECT ROW(x.*) FROM steps x"
            " UNION ALL SELECT ROW(x.*) FROM addresses x) AS t"
        )
        return int(rows[0][0] or 0)

    async def close(self) -> None:
        await self.pool.close()

    def translated(self, error: Exception) -> JarvisError:
        """What *error* means to a person. libpq's own words name no password."""
        state = getattr(error, "sqlstate", None) or ""
        said = _said(error)
        if isinstance(error, psycopg.ProgrammingError) and not state:
            return SettingsError(f"DATABASE_URL can't be read: {said}.", hint=_EXAMPLE)
        if state.startswith(_REFUSED) or (not state and any(words in said for words in _REFUSALS)):
            return SettingsError(f"{self.name} refused us: {said}.", hint="Check DATABASE_URL.")
        is_lost = isinstance(error, (OSError, TimeoutError, psycopg.InterfaceError, psycopg.OperationalError))
        if is_lost and (not state or state.startswith(_AWAY)):
            return ServiceUnreachable(
                f"{self.name} can't be reached{f': {said}' if said else ''}.",
                hint="Start the server, or check DATABASE_URL; then ask again.",
            )
        return StoreFailed(f"History can't be written to {self.name}: {said}.", hint=_hint(state))


_EXAMPLE = "It looks like this: DATABASE_URL=postgresql://me@localhost/jarvis"


class _Transaction:
    """Implements database.Rows."""

    def __init__(self, connection: AsyncConnection[Row]) -> None:
        self._connection = connection

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        async with asyncio.timeout(_WAIT):
            cursor = await self._connection.execute(_percent(sql), [_storable(a) for a in arguments])
            return await cursor.fetchall() if cursor.description else []

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        async with asyncio.timeout(_WAIT), self._connection.cursor() as cursor:
            await cursor.executemany(_percent(sql), [[_storable(a) for a in row] for row in rows])


async def _committed(transaction: _Transaction, work: Callable[[Rows], Awaitable[T]]) -> T:
    await transaction.run("BEGIN")
    try:
        result = await work(transaction)
        await transaction.run("COMMIT")
    except TimeoutError:
        raise
    except BaseException:
        with contextlib.suppress(psycopg.Error, OSError):
            await transaction.run("ROLLBACK")
        raise
    return result


def _kwargs() -> dict[str, Any]:
    return {
        "autocommit": True,
        "prepare_threshold": None,  # a pooler hands us another connection, where they are not prepared
        "row_factory": tuple_row,
        "connect_timeout": _WAIT,
        "tcp_user_timeout": _WAIT * 1000,
        "keepalives_idle": 30,
        "application_name": f"jarvis, process {os.getpid()} on {platform.node()}"[:60],
    }


async def _first(connection: AsyncConnection[Row], sql: str) -> Any:
    row = await (await connection.execute(sql)).fetchone()
    return row[0] if row else None


async def _version(connection: AsyncConnection[Row]) -> int:
    """Of the tables; 0 where there are none."""
    # Not to_regclass: a server connection may remember that there was none, and behind a pooler it is
    # not a new one. To read from pg_class has it look again.
    exists = "SELECT 1 FROM pg_class WHERE relname = 'schema_version' AND relnamespace = "
    if not await _first(connection, f"{exists} current_schema()::regnamespace"):
        return 0
    return int(await _first(connection, "SELECT max(version) FROM schema_version") or 0)


async def _migrate(connection: AsyncConnection[Row]) -> None:
    version = await _version(connection)
    for statement in statements(version) if version < VERSION else []:
        await connection.execute(statement)  # in the transaction that pins the lock: all or nothing


def _name(url: str) -> str:
    """Server and database, for people."""
    try:
        known = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise SettingsError(f"DATABASE_URL can't be read: {_said(error)}.", hint=_EXAMPLE) from None
    if not str(known.get("port") or "0").replace(",", "").isdigit():
        raise SettingsError("DATABASE_URL can't be read: its port is no number.", hint=_EXAMPLE)
    host = str(known.get("host") or "localhost")
    return f"Postgres ({'local' if host.startswith('/') else host}, {known.get('dbname') or 'default'})"


def _said(error: Exception) -> str:
    """The first thing that *error* says, without a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "").split("FATAL:")[-1].strip().rstrip(".")


def _hint(state: str) -> str:
    if state.startswith("53"):  # insufficient resources
        return "Make room on the server's disk, then ask again."
    if state in ("25006", "42501"):
        return "Point DATABASE_URL at a server, and a role, that may write."
    return "See the server's log."


def _percent(sql: str) -> str:
    return sql.replace("?", "%s")


def _storable(value: object) -> object:
    """Postgres has no place for NUL in a text."""
    return value.replace("\0", "") if isinstance(value, str) else value
