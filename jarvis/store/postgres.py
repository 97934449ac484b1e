"""Reaches a Postgres server by a pool of connections; waits for one that restarts, and translates its errors.

What a pool's worker meets as it connects is not told to whoever waits for the connection: it is noted here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self

import psycopg
from psycopg import AsyncConnection, conninfo
from psycopg.errors import DeadlockDetected, SerializationFailure, UndefinedTable
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from ..core.concurrency import in_time
from ..core.errors import JarvisError, ServiceUnreachable, SettingsError, StoreFailed
from ..core.frontend import hurry, notice
from .database import NAMES, OURS, VERSION, Database, Row, Statement, T, Transaction, statements, storable

WAIT = 5.0  # seconds to connect, and for one answer
_HURRY = 1.0  # seconds, for what a turn still writes that was told to end
_TAKE = 0.25  # seconds to wait for a connection; then it is looked whether one can be made at all
_PAUSE = 0.25  # seconds between two attempts
_SHORT = 1.0  # seconds of waiting that a person need not be told of
_SETTING_UP = 60.0  # seconds that another process may set the tables up
_REPEATS = 3  # at most, of what others at the same rows undid
_TOGETHER = 500  # statements at most: a server has seconds for each answer
_TROUBLE = (psycopg.Error, OSError, TimeoutError)
# Whatever the role's default: what is read after a lock has to be what others committed before it.
_BEGIN = ("BEGIN ISOLATION LEVEL READ COMMITTED",)
# What the libraries ignore beside an error is no more than that error.
logging.getLogger("psycopg").setLevel(logging.ERROR)

Connection = AsyncConnection[Row]
SetUp = Callable[[Connection], Awaitable[None]]


class Postgres(Database):
    """A database on a server. Made by `opened`."""

    shared = True
    # Where its SQL is not SQLite's.
    for_update = " FOR UPDATE"
    fold = "lower"
    joined = "string_agg"

    def __init__(self, url: str, patience: float, most: int = 20) -> None:
        """patience: seconds to wait for a server that went away. most: connections at once, from 2 on."""
        self.name = name_of(url)
        self.schema = ""
        self._url = url
        self._patience = patience
        self._impatient_until = 0.0  # once patience ran out: a turn's end writes many things
        self._failed: tuple[float, Exception] | None = None  # when and why the last one could not be made
        most = max(2, most)
        self._to_hold = asyncio.Semaphore(max(1, most * 3 // 5))  # locks leave connections for their threads
        # It opens with the first connection that is needed. A pool would connect again and again, with longer
        # and longer pauses: here whoever needs a connection asks again.
        self.pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            connection_class=_Noted,
            kwargs={**_kwargs(), "note": self._note},
            min_size=0,
            max_size=most,
            open=False,
            timeout=WAIT,
            max_idle=300.0,
            reconnect_timeout=0,
        )

    def _note(self, error: Exception) -> None:
        self._failed = time.monotonic(), error

    async def open(self) -> None:
        """Set the tables up.

        Raises ServiceUnreachable or SettingsError at once, where waiting would not help a person.
        """
        if await self.look() < VERSION:
            await self.alone(self._migrate)

    async def _migrate(self, connection: Connection) -> None:
        _, version = await _place(connection, self.name)  # another process may just have done it
        for statement in statements(version) if version < VERSION else []:
            await connection.execute(statement)

    async def look(self) -> int:
        """Return the version of the tables, of which 0 is that there are none; nothing is changed.

        Raises as open() does.
        """
        async with self.connection() as connection:
            self.schema, version = await in_time(_place(connection, self.name), WAIT, _hang_up(connection))
        if version > VERSION:
            raise StoreFailed(f"{self.name} was written by a newer version of Jarvis.", hint="Update Jarvis.")
        return version

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Open a connection besides those of the pool. Its errors are translated."""
        try:
            async with await AsyncConnection.connect(self._url, **_kwargs()) as connection:
                yield connection
        except _TROUBLE as error:
            raise translated(error, self.name) from None

    async def alone(self, work: SetUp) -> None:
        """Do *work*, in a transaction, while no other process sets this schema up.

        The lock belongs to that transaction, so it is good behind a pooler too. It is asked for again and
        again, each time in another one: CREATE INDEX waits for all that are running a statement, and if one
        of these waited for this lock, both would hang.
        """
        deadline = time.monotonic() + _SETTING_UP
        async with self.connection() as connection:
            while time.monotonic() < deadline:
                async with connection.transaction():
                    if (await _first(connection, _SET_UP_LOCK))[0]:
                        return await work(connection)
                await asyncio.sleep(0.1)
        raise StoreFailed(f"{self.name} is being set up by another Jarvis.", hint="Try again in a moment.")

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        if all(sql.startswith("SELECT ") for sql, *_ in statements):  # what only reads needs no transaction
            return await self._borrowed(lambda connection: _ask(connection, statements))
        return await self.atomically(lambda transaction: transaction.last(*statements))

    async def atomically(self, work: Callable[[_Transaction], Awaitable[T]]) -> T:
        async def on(connection: Connection) -> T:
            transaction = _Transaction(connection)
            result = await work(transaction)
            await transaction.commit()
            return result  # of what failed, the pool undoes what was done

        return await self._borrowed(on)

    async def _borrowed(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what *work* returns, given a connection of the pool. It may be run again."""

        async def attempt() -> T:
            connection = await self._taken()
            try:
                return await work(connection)
            finally:
                await self.pool.putconn(connection)

        return await self._patiently(attempt)

    async def hold(self, lock: str) -> Connection | None:
        """Return a connection in a transaction of its own in which *lock*, a SELECT, said yes; None for no.

        The caller gives it back by `let_go`. While as many are held as may be, it waits for one of those.
        """
        await self._to_hold.acquire()
        held = None
        try:
            held = await self._patiently(lambda: self._held(lock))
        finally:
            if held is None:
                self._to_hold.release()
        return held

    async def _held(self, lock: str) -> Connection | None:
        connection, is_ours = await self._taken(), False
        try:
            is_ours = bool(await _last_of(connection, f"{_BEGIN[0]}; {lock}"))
        finally:
            if not is_ours:
                await self._give_back(connection)
        return connection if is_ours else None

    async def still_holds(self, connection: Connection) -> bool:
        """Return whether the transaction of *connection* goes on, and with it what it holds."""
        try:
            return bool(await _last_of(connection, "SELECT true"))
        except _TROUBLE:
            return False

    async def let_go(self, connection: Connection) -> None:
        """End the transaction of *connection*, and let others hold one."""
        self._to_hold.release()
        await self._give_back(connection)

    async def _give_back(self, connection: Connection) -> None:
        """End the transaction of *connection*; where nobody answers, by hanging up."""
        try:
            with contextlib.suppress(*_TROUBLE):
                await in_time(connection.rollback(), _HURRY, _hang_up(connection))
        finally:
            await self.pool.putconn(connection)

    async def _taken(self) -> Connection:
        """Return a connection of the pool. Raises why none can be made."""
        await self.pool.open()
        began = time.monotonic()
        while True:
            try:
                return await self.pool.getconn(_TAKE)
            except PoolTimeout:  # all are in use, unless none can be made
                if self._failed and self._failed[0] >= began:
                    raise self._failed[1] from None

    async def _patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what *work* returns. It is run again while the server is away, as long as patience lasts."""
        began, failures, is_told = time.monotonic(), 0, False
        while True:
            try:
                async with asyncio.timeout(_HURRY if _is_hurried() else None):
                    result = await work()
            except _TROUBLE as error:
                failures += 1
                away, waited = await self._mended(error, failures), time.monotonic() - began
                if away and failures > 1:  # the first time, a connection that was kept may have led nowhere
                    self._lose_patience(away, waited)
                if away and waited > _SHORT and not is_told:
                    is_told = True
                    notice(f"{away.message} Waiting for it.")
                await asyncio.sleep(_PAUSE if away and failures > 1 else 0)
            else:
                self._impatient_until = 0.0
                if is_told:
                    notice(f"{self.name} is back")
                return result

    async def _mended(self, error: Exception, failures: int) -> ServiceUnreachable | None:
        """Return why the server has to be waited for; None where what failed can be done again at once.

        Raises what *error* means, where it is neither.
        """
        if isinstance(error, (SerializationFailure, DeadlockDetected)) and failures <= _REPEATS:
            return None  # another transaction undid it
        if isinstance(error, UndefinedTable) and failures == 1:
            await self.open()
            return None
        trouble = translated(error, self.name)
        if not isinstance(trouble, ServiceUnreachable):
            raise trouble from None
        await self.pool.drain()  # those that are kept may lead nowhere too
        return trouble

    def _lose_patience(self, away: ServiceUnreachable, waited: float) -> None:
        """Raise *away* where the server was waited for long enough, in seconds."""
        is_impatient = _is_hurried() or time.monotonic() < self._impatient_until
        if waited > (0.0 if is_impatient else self._patience):
            if not _is_hurried():
                self._impatient_until = time.monotonic() + WAIT
            raise away from None

    async def tidy(self) -> None:
        """Do nothing: autovacuum frees what was deleted. The server's log and backups keep copies."""

    async def rest(self) -> None:
        """Do nothing: it has no file."""

    async def close(self) -> None:
        await self.pool.close(timeout=_HURRY)


class _Noted(AsyncConnection[Row]):
    """A connection of which it is noted why it could not be made."""

    @classmethod
    async def connect(cls, conninfo: str = "", *, note: Callable[[Exception], None], **kwargs: Any) -> Self:  # type: ignore[override]
        try:
            return await super().connect(conninfo, **kwargs)
        except Exception as error:
            note(error)
            raise


class _Transaction(Transaction):
    """A transaction on one connection. What is sent waits for what is asked, and goes along with it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._unsent: list[Statement] = [_BEGIN]
        self._is_open = False

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        unsent, self._unsent = self._unsent, []
        self._is_open = True
        return (await _ask(self._connection, [*unsent, *statements]))[len(unsent) :]

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        for row in rows:
            self._unsent.append((sql, *row))
            if len(self._unsent) > _TOGETHER:
                await self.run_all()

    async def last(self, *statements: Statement) -> list[list[Row]]:
        """Return the rows of *statements*, which end the transaction: it is committed along with them."""
        rows = await self.run_all(*statements, ("COMMIT",))
        self._is_open = False
        return rows[:-1]

    async def commit(self) -> None:
        if self._is_open or len(self._unsent) > 1:
            await self.last()


def trouble(error: Exception, name: str) -> JarvisError | None:
    """Return what *error* of the server of that *name* means; None: it is none of a server."""
    return translated(error, name) if isinstance(error, psycopg.Error) else None


def _is_hurried() -> bool:
    of_turn = hurry.get()
    return of_turn is not None and of_turn.is_set()


async def _ask(connection: Connection, asked: Sequence[Statement]) -> list[list[Row]]:
    """Return the rows of each of the statements *asked*, in one round trip."""

    async def ask() -> list[list[Row]]:
        async with connection.pipeline():
            cursors = [
                await connection.execute(sql.replace("?", "%s"), [_storable(value) for value in values])
                for sql, *values in asked
            ]
        return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]

    return await in_time(ask(), WAIT, _hang_up(connection))


async def _last_of(connection: Connection, sql: str) -> Any:
    """Return the first value of the last statement in *sql*, which is sent as one simple query.

    Else the transaction would keep a snapshot, for which the building of every index waits.
    """

    async def ask() -> Any:
        cursor = await connection.execute(sql)
        while cursor.nextset():
            pass
        return (await cursor.fetchall())[0][0]

    return await in_time(ask(), WAIT, _hang_up(connection))


def _hang_up(connection: Connection) -> Callable[[], None]:
    """Return what ends the conversation, so that whoever waits for an answer fails in order, at once.

    To close it instead would free memory that psycopg still reads: the process may die of that.
    """

    def hang_up() -> None:
        with (
            contextlib.suppress(OSError, psycopg.Error),  # it is closed already
            socket.fromfd(connection.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM) as line,
        ):
            line.shutdown(socket.SHUT_RDWR)

    return hang_up


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


def _storable(value: object) -> object:
    """Return *value* without NUL, for which Postgres has no place in a text."""
    return storable(value.replace("\0", "")) if isinstance(value, str) else value


# The tables.

# Not by to_regclass: a server connection may remember that there was none, and behind a pooler it is not a
# new one. To read from pg_class has it look again; and only in our own schema.
_PLACE = (
    "SELECT current_schema(), ARRAY("
    "SELECT relname::text FROM pg_class WHERE relnamespace ="
    " (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
    f" AND relname IN ({', '.join(repr(name) for name in NAMES)}) ORDER BY relname)"
)
_SET_UP_LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('jarvis set-up ' || current_schema()))"


async def _place(connection: Connection, name: str) -> tuple[str, int]:
    """Return the schema that our tables are in, or are to be, and their version; 0: there are none.

    Raises SettingsError where they can't be there.
    """
    schema, found = await _first(connection, _PLACE)
    if schema is None:
        hint = "Make it first (CREATE SCHEMA jarvis), or name another in DATABASE_URL."
        raise SettingsError(f"{name} has no schema that its search_path names.", hint=hint)
    if not found:
        return schema, 0
    if OURS.difference(found):
        hint = "Give Jarvis a schema of its own: CREATE SCHEMA jarvis, then …?options=-csearch_path%3Djarvis"
        raise SettingsError(
            f"{name} has tables of another program in the schema for Jarvis: {', '.join(found)}.", hint=hint
        )
    (version,) = await _first(connection, "SELECT max(version) FROM schema_version")
    return schema, version or 0


async def _first(connection: Connection, sql: str) -> Row:
    return (await (await connection.execute(sql)).fetchall())[0]


# Its errors, for a person.

# What a server says while it goes down or comes up, or is full: 08 connection, 57P01-57P05 shut down or
# starting, 53300 too many connections. While a connection is made there is none of these, but words only.
_AWAY = ("08", "57P0", "53300")
# Invalid authorization, no such database: nothing that waiting mends.
_REFUSED = ("28", "3D")
# The same while a connection is made: then there are words only.
_REFUSALS = (
    *("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry"),
    *("certificate verify failed", "does not support SSL", "root certificate file", "invalid sslmode"),
)
_HINT = "See the server's log, whether its disk has room, and whether your role may write there."
_EXAMPLE = "It looks like this: DATABASE_URL=postgresql://me@localhost/jarvis"


def translated(error: Exception, name: str) -> JarvisError:
    """Return what *error* of the server *name* means to a person. libpq's own words name no password."""
    state = getattr(error, "sqlstate", None) or ""
    said = _said(error)
    if isinstance(error, psycopg.ProgrammingError) and not state:
        return SettingsError("DATABASE_URL can't be read.", hint=_EXAMPLE)
    if state.startswith(_REFUSED) or (not state and any(words in said for words in _REFUSALS)):
        return SettingsError(f"{name} refused the connection: {said}.", hint="Check DATABASE_URL.")
    is_lost = isinstance(error, (OSError, TimeoutError, psycopg.InterfaceError, psycopg.OperationalError))
    if is_lost and (not state or state.startswith(_AWAY)):
        return ServiceUnreachable(
            f"{name} can't be reached{f': {said}' if said else ''}.",
            hint="Start the server, or check DATABASE_URL; then ask again.",
        )
    return StoreFailed(f"History can't be written to {name}: {said}.", hint=_HINT)


def name_of(url: str) -> str:
    """Return server and database, for people. Raises SettingsError for a *url* that can't be read."""
    try:
        known = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # whose words may quote a part of a password
        raise SettingsError("DATABASE_URL can't be read.", hint=_EXAMPLE) from None
    if "@" in str(known.get("host") or ""):
        hint = "Write an @ in the password as %40."
        raise SettingsError("DATABASE_URL can't be read: it has more than one @.", hint=hint)
    if not str(known.get("port") or "0").replace(",", "").isdigit():
        raise SettingsError("DATABASE_URL can't be read: its port is not a number.", hint=_EXAMPLE)
    host = str(known.get("host") or "localhost")
    return f"Postgres ({'local' if host.startswith('/') else host}, {known.get('dbname') or 'default'})"


def _said(error: Exception) -> str:
    """Return the first line of *error*, without a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "").split("FATAL:")[-1].strip().rstrip(".")
