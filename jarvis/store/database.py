"""Runs SQL on a history database, SQLite or Postgres, and opens the SQLite file.

Each statement is written once for both, with `?` for a value. The tables are in schema.py, the server is in
postgres.py.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence, Sized
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Protocol, TypeVar

from ..core.errors import AnothersFile, StoreFailed
from ..core.events import notice
from ..core.files import PATIENCE, check_owner, exclusive_lock, private_file, private_folder, try_lock
from ..core.text import digest
from .schema import EARLIER_MARK, FORMAT, MARK, MIGRATIONS, READ_MARK

T = TypeVar("T")
Row = tuple[Any, ...]
Statement = tuple[Any, ...]  # its SQL, and a value for each `?` in it


class Lock(AsyncExitStack):
    """The lock of a thread. One turn holds it until its last write, or until the block ends."""

    def __init__(self, fence: Sequence[Statement] = (), giving_back: Sequence[Statement] = ()) -> None:
        """fence: statements that fail once another turn holds the lock. All statements sent with them fail
        too.
        """
        super().__init__()
        self.fence = fence
        self.giving_back = giving_back


class Locks(Protocol):
    """Takes the lock of a thread. If its process dies, the lock ends: at once, or after `lock_lasts`."""

    def __call__(self, thread: str, turn: str = "", *, resumes: bool = False) -> Awaitable[Lock | None]:
        """Try to take the lock for *turn*, without waiting. Returns None if another turn holds it.

        resumes: take it over from a process that holds it for the same turn but lost its client.
        """
        ...


class Transaction(Protocol):
    """Runs statements together. On a database itself, each call is its own transaction."""

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        """Return all rows of one statement."""
        return (await self.run_all((sql, *arguments)))[0]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        """Return the rows of each statement. A server gets all of them at once.

        On a database they are one transaction, unless they only read.
        """
        ...

    async def send(self, *statements: Statement) -> None:
        """Run a statement whose rows nobody needs. In a transaction it goes along with the next request.

        Its error may be raised there, or when the transaction ends.
        """
        await self.run_all(*statements)


class Database(Transaction, Protocol):
    """A database. Its failures are StoreFailed, ServiceUnreachable or SettingsError."""

    name: str  # where it is, for people; never a password
    shared: bool  # whether other machines may be at it
    lock_lasts: float = 0.0  # seconds for which a thread stays locked whose process died
    trouble: StoreFailed | None = None  # why nothing is kept any more of what plain commands do

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Do all that *work* does, or nothing of it.

        Where the connection is lost, *work* may be run again, though it had been done. It must be written so
        that the result is the same.
        """
        ...

    async def tidy(self) -> None:
        """Remove what was deleted from the disk too, as far as we can: on a server, autovacuum does."""
        return

    async def close(self) -> None: ...


def marks(values: Sized) -> str:
    """Return a `?` for each of *values*."""
    return ", ".join("?" * len(values))


def storable(values: Iterable[object]) -> list[object]:
    """Return *values* without NUL and without characters that UTF-8 can't hold: Postgres refuses them."""
    return [
        value.replace("\0", "").encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for value in values
    ]


def version_in(mark: Row, name: str) -> int:
    """Return the version in the *mark* of the database of that *name*. Raises StoreFailed for a newer one."""
    format_, version = mark
    if format_ != FORMAT or version > len(MIGRATIONS):
        raise StoreFailed(f"{name} was written by a newer version of Jarvis.", hint="Update Jarvis.")
    return int(version)


def statements(have: int, *, compact: str = "") -> list[str]:
    """Return the SQL that brings tables of version *have* up to date (0: no tables yet).

    compact: SQL to add for tables that are their own index.
    """
    if have >= len(MIGRATIONS):
        return []
    begin = [f"CREATE TABLE {MARK} (format TEXT NOT NULL, version INTEGER NOT NULL)"]
    begin.append(f"INSERT INTO {MARK} VALUES ('{FORMAT}', 0)")
    wanted = "".join(MIGRATIONS[have:]).replace("{compact}", compact)
    lines = "\n".join(line.split("  --")[0] for line in wanted.splitlines())
    changes = [s.strip() for s in lines.split(";") if s.strip()]
    return [*([] if have else begin), *changes, f"UPDATE {MARK} SET version = {len(MIGRATIONS)}"]


# A file.

MEMORY = ":memory:"
EARLIER = -1  # the version of tables of an earlier format, none of which can be read
SYNCHRONOUS = "NORMAL"  # a machine that stops may cost the last turns, but no file


def pragmas() -> str:
    """Return the settings for each connection to one of our files."""
    return f"PRAGMA synchronous = {SYNCHRONOUS}; PRAGMA secure_delete = ON;"


class Sqlite(Database):
    """A database in a file. It waits for nothing but another program's write lock, and shortly."""

    shared = False
    patience = PATIENCE  # seconds that another program may hold the file
    more: Sequence[str] = ()  # what sets up tables besides those of history, on each connection

    def __init__(self, path: str) -> None:
        """path: of the file. It, its folder and its tables are made where they are missing."""
        self.name = self._path = path
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Make sure that the file can be used. Raises StoreFailed."""
        self._try(self._connected)

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        """Return all rows of one statement. Raises StoreFailed."""
        values = storable(arguments)
        return self._try(lambda: self._connected().execute(sql, values).fetchall())

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        is_alone = len(statements) < 2 or all(sql.startswith("SELECT ") for sql, *_ in statements)
        if is_alone or self._in_transaction:
            return [await self.run(*statement) for statement in statements]
        return await self.atomically(lambda transaction: transaction.run_all(*statements))

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        await self.run("BEGIN IMMEDIATE")  # the write lock at once, so that what is read stays true
        try:
            result = await work(self)
            await self.run("COMMIT")
        finally:
            if self._connection and self._connection.in_transaction:
                self._connection.rollback()
        return result

    async def tidy(self) -> None:
        """Empty the write-ahead log, which still holds deleted rows. In the file they are overwritten."""
        try:
            self._try(lambda: empty_log(self._connected()))
        except StoreFailed:
            raise StoreFailed(
                f"It is deleted, but its words are still in {self.name}-wal, which another program reads.",
                hint="Close other programs that read it, and every Jarvis: then that file is deleted.",
            ) from None

    async def close(self) -> None:
        """Close the file until it is needed again: meanwhile the person may move or replace it."""
        if self._connection:
            self._connection.close()
        self._connection = None

    def _try(self, work: Callable[[], T]) -> T:
        """Run *work* and return its result. Raises StoreFailed."""
        try:
            return work()
        except sqlite3.Error as error:
            raise sqlite_error(error, self.name) from None

    @property
    def _in_transaction(self) -> bool:
        return self._connection is not None and self._connection.in_transaction

    def _connected(self) -> sqlite3.Connection:
        """Return it. Raises sqlite3.Error, and StoreFailed for a file that is too new."""
        if self._connection is None:
            if self._path != MEMORY:
                private_file(self._path)
            connection = sqlite3.connect(
                self._path, timeout=self.patience, isolation_level=None, check_same_thread=False
            )
            with contextlib.ExitStack() as failing:
                failing.callback(connection.close)
                if (version := _version(connection, self.name)) == EARLIER:
                    connection.close()
                    _move_aside(self._path)
                    return self._connected()
                self._set_up(connection, version)
                failing.pop_all()
            self._connection = connection
        return self._connection

    def _set_up(self, connection: sqlite3.Connection, version: int) -> None:
        connection.executescript(pragmas())
        if version < len(MIGRATIONS):
            write_ahead(connection)
            connection.execute("BEGIN IMMEDIATE")  # which closing undoes
            # Another process may just have done it.
            for statement in statements(_version(connection, self.name), compact=" WITHOUT ROWID"):
                connection.execute(statement)
            connection.execute("COMMIT")
        for statement in self.more:
            connection.execute(statement)


class BestEffort(Sqlite):
    """A file that turns into a throwaway database at its first failure.

    A plain command runs even if history fails.
    """

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return await self._run_with_fallback(partial(super().run, sql, *arguments))

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._run_with_fallback(partial(super().atomically, work))

    async def _run_with_fallback(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run *work* and return its result. Raises AnothersFile: Jarvis does nothing with another user's
        files.
        """
        is_amid = self._in_transaction  # then all of the transaction is done again
        try:
            return await work()
        except StoreFailed as error:
            if is_amid or self.trouble or isinstance(error, AnothersFile):
                raise
            await self.close()
            self.trouble, self._path = error, MEMORY
            return await work()


async def file_lock(state_folder: str, thread: str, turn: str = "", *, resumes: bool = False) -> Lock | None:
    """Take the lock of *thread* on a file. That stays: if it were removed, two processes could hold it."""
    # A digest, since two names may be one file name where case does not count.
    if (descriptor := try_lock(os.path.join(state_folder, "locks", digest(thread)))) is None:
        return None
    held = Lock()
    held.callback(os.close, descriptor)
    return held


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run *work* without an event loop and return its result. SQLite never has to wait.

    So a plain command doesn't import asyncio, which alone takes five times as long as a bare start.
    """
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("This has to wait: it needs an event loop.")


def write_ahead(connection: sqlite3.Connection) -> None:
    """Have what is written go to a write-ahead log first. Raises sqlite3.Error."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError:
        # Of two that make a new file SQLite refuses one, however patient. Here it waits for the other.
        connection.executescript("BEGIN IMMEDIATE; COMMIT")


def empty_log(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log. Raises sqlite3.Error, also where another process still reads there."""
    is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if is_busy:  # which is no error to SQLite
        raise sqlite3.OperationalError("database is locked")


def sqlite_error(error: sqlite3.Error, path: str) -> StoreFailed:
    """Translate *error* of the file at *path* into a JarvisError."""
    text = str(error)
    hint = f"Check that there is space, and that {path} is yours and writable."
    if "locked" in text:
        hint = "Another program holds it: try again in a moment."
    elif "malformed" in text or "not a database" in text:
        # Its log goes along, or it would lack what is newest.
        hint = f"To begin a new one: mkdir {path}.broken; mv {path} {path}-wal {path}-shm {path}.broken/"
    return StoreFailed(f"History can't be used: {text}.", hint=hint)


def checked_version(path: str) -> int:
    """Return the schema version of the file at *path* (0: no tables yet). Changes nothing.

    Raises StoreFailed if the file is damaged or too new.
    """
    if not os.path.lexists(path):
        return 0
    try:
        with contextlib.closing(open_to_read(path)) as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(f"it is malformed ({found})")
            return _version(connection, path)
    except sqlite3.Error as error:
        raise sqlite_error(error, path) from None


def _move_aside(path: str) -> None:
    """Move an earlier format's file at *path* to a folder next to it, and notify the user.

    Raises StoreFailed if an older Jarvis is using it. When that one closes the file, it deletes the new one's
    log.
    """
    with exclusive_lock(f"{path}.lock"):  # else the new file of who comes at once would be moved too
        with contextlib.closing(sqlite3.connect(path)) as connection:
            if _version(connection, path) != EARLIER:
                return
            try:
                connection.execute("PRAGMA journal_mode = DELETE")  # all of it is in this one file then
            except sqlite3.OperationalError:
                message = f"An older version of Jarvis still uses {path}."
                raise StoreFailed(message, hint="Stop it: jarvis brain stop") from None
        folder, name = os.path.split(path)
        aside = os.path.join(private_folder(f"{folder}/{time.strftime('earlier-%Y-%m-%d-%H%M%S')}"), name)
        os.replace(path, aside)
    notice(f"An older version of Jarvis wrote {path}: it is {aside} now.", must_know=True)


def open_to_read(path: str) -> sqlite3.Connection:
    """Open the file at *path* to read it. Without this, SQLite would create a log next to it."""
    check_owner(path)
    mode = "mode=ro" if os.path.exists(f"{path}-wal") else "immutable=1"
    file = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"file:{file}?{mode}", uri=True, timeout=0)


def _version(connection: sqlite3.Connection, name: str) -> int:
    """Return the schema version (0: no tables yet). Raises StoreFailed for a newer one."""
    there = {table for (table,) in connection.execute("SELECT name FROM sqlite_master")}
    if MARK in there:
        return version_in(connection.execute(READ_MARK).fetchone(), name)
    return EARLIER if EARLIER_MARK in there else 0
