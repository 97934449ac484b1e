"""Reaches a Postgres server by a pool of connections, waits while it restarts, and translates its errors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from shlex import quote
from typing import Any

import psycopg
from psycopg import AsyncConnection, conninfo
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from ..core.concurrency import run_async, with_timeout
from ..core.errors import JarvisError, ServiceUnreachable, SettingsError, StoreFailed
from ..core.events import notice
from .database import Database, Locks, Row, Statement, T, Transaction, statements, storable, version_in
from .leases import LASTS, NOT_OURS, take_lease
from .schema import EARLIER_MARK, FORMAT, MARK, MIGRATIONS, READ_MARK, TABLES

WAIT = 5.0  # seconds to connect, and for one answer
_TAKE = 0.25  # seconds to wait for a connection; then it is looked whether one can be made at all
_PAUSE = 0.25  # seconds between two attempts
_SHORT = 1.0  # seconds for what a connection was left in to end
_TROUBLE = (psycopg.Error, OSError)
# Whatever the role's default: what is read after a lock has to be what others committed before it.
_BEGIN = ("BEGIN ISOLATION LEVEL READ COMMITTED",)
# Else a process that stands still in the middle, as a laptop asleep does, would keep others waiting for ever.
_LET_GO = "SET LOCAL idle_in_transaction_session_timeout = '{}s'"
# What the libraries ignore beside an error is no more than that error.
logging.getLogger("psycopg").setLevel(logging.ERROR)

_HOW: dict[str, Any] = {
    "autocommit": True,
    "prepare_threshold": None,  # a pooler hands us another connection, where they are not prepared
    "row_factory": tuple_row,
    "client_encoding": "UTF8",
    "connect_timeout": int(WAIT),
    "tcp_user_timeout": int(WAIT * 1000),
    "keepalives_idle": 30,
    "application_name": f"jarvis, process {os.getpid()}",
}

Connection = AsyncConnection[Row]


class Postgres(Database):
    """A database on a server. Made by `open_store`."""

    shared = True
    lock_lasts = LASTS
    errors = psycopg.Error  # of all that is asked on its connections

    def __init__(self, url: str, patience: float, most: int = 20) -> None:
        """patience: seconds to wait for a server that went away. most: connections at once, from 2 on."""
        self.name = name_of(url)
        self.lock: Locks = partial(take_lease, self)
        self.schema = ""
        self._url = url
        self._patience = patience
        self._away_since = inf  # whatever is asked then waits no longer than the first that found it away
        self._failed: tuple[float, BaseException | None] = 0.0, None  # when, and why none could be made
        # It opens with the first connection that is needed. A pool would connect again and again, with longer
        # and longer pauses: here whoever needs a connection asks again.
        self._empty_pool: Callable[[], AsyncConnectionPool[Connection]] = partial(
            AsyncConnectionPool,
            url,
            kwargs=_HOW,
            min_size=0,
            max_size=max(2, most),
            open=False,
            timeout=WAIT,
            max_idle=300.0,
            reconnect_timeout=0,
            reconnect_failed=self._note,
        )
        self.pool = self._empty_pool()

    def _note(self, _: object) -> None:
        """Note why no connection can be made. The pool calls this where it handles that, and tells nobody."""
        self._failed = time.monotonic(), sys.exception()

    async def open(self) -> None:
        """Set the tables up.

        Raises ServiceUnreachable or SettingsError at once, where waiting would not help a person.
        """
        if await self.look() < len(MIGRATIONS):
            await self.alone(self._migrate)

    async def _migrate(self, connection: Connection) -> None:
        _, version = await _place(connection, self.name)  # another process may just have done it
        for statement in statements(version):
            await connection.execute(statement)

    async def look(self) -> int:
        """Return the schema version (0: no tables yet). Changes nothing.

        Raises the same errors as open().
        """
        self.schema, version = await self.apart(lambda apart: _answer(apart, _place(apart, self.name)))
        return version

    def looked_at(self) -> tuple[str, int]:
        """Return where the tables are, for people, and their version. Raises as open() does."""
        version = run_async(self.look())
        return f"{self.name}, schema {self.schema}", version

    async def apart(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Run *work* on a connection outside the pool. Raises at once if there is none."""

        async def attempt() -> T:
            try:
                made = await AsyncConnection.connect(self._url, **_HOW)
            except _TROUBLE as error:
                raise self.translate_error(error) from None
            async with made as connection:
                return await work(connection)

        return await self._patiently(attempt)

    async def alone(self, work: Callable[[Connection], Awaitable[None]]) -> None:
        """Run *work* in a transaction while no other process sets up this schema.

        The lock belongs to that transaction, so it also works behind a pooler. Each attempt uses a new
        transaction. CREATE INDEX waits for all running statements. If one of those waited for this lock, both
        would hang.
        """

        async def on(connection: Connection) -> None:
            while True:
                async with connection.transaction():
                    await connection.execute(_LET_GO.format(60))
                    if (await _first(connection, _SET_UP_LOCK))[0]:
                        return await work(connection)
                await asyncio.sleep(0.1)

        await self.apart(on)

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        if all(sql.startswith("SELECT ") for sql, *_ in statements):  # what only reads needs no transaction
            return await self._borrow(lambda connection: _ask(connection, statements))
        together = (_BEGIN, *statements, ("COMMIT",))
        return (await self._borrow(lambda connection: _ask(connection, together)))[1:-1]

    async def atomically(self, work: Callable[[_Transaction], Awaitable[T]]) -> T:
        async def on(connection: Connection) -> T:
            transaction = _Transaction(connection)
            result = await work(transaction)
            await transaction.run("COMMIT")
            return result

        return await self._borrow(on)

    async def _borrow(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Run *work* on a connection of the pool and return its result. It may run again."""

        async def attempt() -> T:
            async with self._pooled() as connection:
                return await work(connection)

        return await self._patiently(attempt)

    async def lend(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Let *work* read one answer on a connection of the pool, and return its result. It may run again."""
        return await self._borrow(lambda connection: _answer(connection, work(connection)))

    @asynccontextmanager
    async def _pooled(self) -> AsyncIterator[Connection]:
        """Lend a connection of the pool. Ends a transaction left open on it, by hanging up if necessary."""
        pool = self.pool
        connection = await self._taken(pool)
        try:
            yield connection
        finally:
            try:
                with contextlib.suppress(*_TROUBLE):
                    await with_timeout(connection.rollback(), _SHORT, partial(_hang_up, connection))
            finally:
                await pool.putconn(connection)

    async def _taken(self, pool: AsyncConnectionPool[Connection]) -> Connection:
        """Return a connection of *pool*. Raises why none can be made."""
        await pool.open()
        began = time.monotonic()
        while True:
            try:
                return await pool.getconn(_TAKE)
            except PoolTimeout as busy:  # all are in use, unless none can be made
                if self._failed[0] >= began:
                    raise (self._failed[1] or busy) from None

    async def _patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run *work* and return its result. Repeats it while the server is away, as long as patience
        lasts.
        """
        task = asyncio.current_task()
        if time.monotonic() > self._away_since + self._patience + WAIT:  # it may be another time by now
            self._away_since = inf
        failures = 0
        while True:
            pool = self.pool
            try:
                result = await work()
                self._away_since = inf
                return result
            except _TROUBLE as error:
                away = self.translate_error(error)
            now = time.monotonic()
            # The end of what was told to end. The pool may have taken that for an error of its own.
            patience = 0.0 if task and task.cancelling() else self._patience
            if not isinstance(away, ServiceUnreachable):
                raise away
            self._away_since = min(self._away_since, now)
            if failures and now - self._away_since > patience:  # at first, a kept one may have led nowhere
                raise away
            if failures == 1:
                notice(f"{away.message} Waiting for it.")
            if pool is self.pool:  # those that are kept may lead nowhere too
                self.pool = self._empty_pool()  # drained instead, it would make as many again
                await pool.close(timeout=0)
            await asyncio.sleep(_PAUSE if failures else 0)
            failures += 1

    async def close(self) -> None:
        await self.pool.close(timeout=_SHORT)

    def translate_error(self, error: Exception) -> JarvisError:
        """Translate *error* into a JarvisError. libpq's own words contain no password."""
        state = getattr(error, "sqlstate", None) or ""
        reason = str(error).strip().partition("\n")[0].rpartition("FATAL:")[2].strip().rstrip(".")
        if state.startswith(_REFUSED) or (not state and any(words in reason for words in _REFUSALS)):
            hint = (
                "Check DATABASE_URL. Jarvis needs a schema of its own there: …?options=-csearch_path%3Djarvis"
            )
            return SettingsError(f"{self.name} can't be used: {reason}.", hint=hint)
        if state == NOT_OURS:
            message = (
                "Another process took over this conversation, because this one was stopped for too long."
            )
            return JarvisError(message, hint="See what came of it: jarvis threads show", code="thread_busy")
        if state.startswith(_AWAY) or (not state and isinstance(error, _LOST)):
            return ServiceUnreachable(
                f"{self.name} can't be reached{f': {reason}' if reason else ''}.",
                hint="Start the server, or check DATABASE_URL. Then ask again.",
            )
        hint = "See the server's log, whether its disk has room, and whether your role may write there. "
        hint += "To create missing tables again: jarvis brain stop"
        return StoreFailed(f"Can't write history to {self.name}: {reason}.", hint=hint)


class _Transaction(Transaction):
    """A transaction on one connection. Statements that are sent wait for the next one that returns rows."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._unsent: list[Statement] = [_BEGIN, (_LET_GO.format(10),)]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        unsent, self._unsent = self._unsent, []
        return (await _ask(self._connection, [*unsent, *statements]))[len(unsent) :]

    async def send(self, *statements: Statement) -> None:
        self._unsent += statements


async def _ask(connection: Connection, statements: Sequence[Statement]) -> list[list[Row]]:
    """Return the rows of each of the statements *statements*, all at once."""

    async def ask() -> list[list[Row]]:
        async with connection.pipeline():
            cursors = [
                await connection.execute(sql.replace("?", "%s"), storable(values))
                for sql, *values in statements
            ]
        return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]

    return await _answer(connection, ask())


def _answer(connection: Connection, work: Awaitable[T]) -> Awaitable[T]:
    """Let *work* read the answer on *connection*, if it comes in time."""
    return with_timeout(work, WAIT, partial(_hang_up, connection))


def _hang_up(connection: Connection) -> None:
    """End the connection so that anyone waiting for an answer fails at once.

    Closing it would free memory that psycopg still reads, which may crash the process.
    """
    with (
        contextlib.suppress(OSError, psycopg.Error),  # it is closed already
        socket.fromfd(connection.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM) as line,
    ):
        line.shutdown(socket.SHUT_RDWR)


# The tables.

# Not by to_regclass: a server connection may remember that there was none, and behind a pooler it is not a
# new one. To read from pg_class has it look again; and only in our own schema.
_PLACE = (
    "SELECT current_schema(), ARRAY(SELECT relname::text FROM pg_class WHERE relnamespace ="
    " (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r')"
)
_NEW = FORMAT.replace("-", "_")  # a schema that is free, since this format is new
_SET_UP_LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('jarvis set-up ' || current_schema()))"


async def _place(connection: Connection, name: str) -> tuple[str, int]:
    """Return the schema for our tables, and their version (0: no tables yet)."""
    schema, there = await _first(connection, _PLACE)
    if schema is None:
        hint = "Make it first (CREATE SCHEMA jarvis), or name another in DATABASE_URL."
        raise SettingsError(f"{name} has no schema that its search_path names.", hint=hint)
    if {EARLIER_MARK, *TABLES}.issubset(there):
        raise _earlier(connection, name, schema)
    if not {MARK, *TABLES}.issubset(there):  # some may be another program's: then ours can't be made
        return schema, 0
    return schema, version_in(await _first(connection, READ_MARK), name)


def _earlier(connection: Connection, name: str, schema: str) -> SettingsError:
    """Return the error for a *schema* whose tables are of an earlier format."""
    parameters = connection.info.get_parameters()  # without the password
    where = {each: parameters[each] for each in ("host", "port", "dbname", "user") if each in parameters}
    make = f"psql {quote(conninfo.make_conninfo(**where))} -c 'CREATE SCHEMA {_NEW}'"
    return SettingsError(
        f"An older version of Jarvis wrote the history in {name}, schema {schema}. It stays as it is.",
        hint=f"End DATABASE_URL with ?options=-csearch_path%3D{_NEW}, and make that schema: {make}",
    )


async def _first(connection: Connection, sql: str) -> Row:
    return (await (await connection.execute(sql)).fetchall())[0]


# Its errors, for a person.

# What a server says while it goes down or comes up, or is full: 08 connection, 57P01-57P05 shut down or
# starting, 53300 too many connections. While a connection is made there is none of these, but words only.
# 40, that another transaction undid it, is done again like these.
_AWAY = ("08", "57P0", "53300", "40")
# Invalid authorization, no such database, another program's table where ours is to be made: nothing that
# waiting mends. While a connection is made, by words.
_REFUSED = ("28", "3D", "42P07")
_REFUSALS = (
    "authentication failed",
    "no password",
    "does not exist",
    "pg_hba.conf",
    "certificate",
    "invalid",
)
_LOST = (OSError, psycopg.InterfaceError, psycopg.OperationalError)


def name_of(url: str) -> str:
    """Return server and database to show. Raises SettingsError if it can't parse *url*."""
    try:
        parts = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:  # whose words may quote a part of a password
        match = re.search(r'parameter: "(\w+)"', str(error))
        if match and "@" not in url.partition("?")[2]:
            message = f"DATABASE_URL has a parameter that Postgres does not know: {match[1]}."
            raise SettingsError(message, hint="Take it out of DATABASE_URL.") from None
        parts = {"host": "@"}
    host = str(parts.get("host") or "localhost")
    if "@" in host:  # it is a part of a password too
        hint = "Write an @ in a password as %40. For example: postgresql://me@localhost/jarvis"
        raise SettingsError("Can't read DATABASE_URL.", hint=hint)
    return f"Postgres ({'local' if host.startswith('/') else host}, {parts.get('dbname') or 'default'})"
