"""Reads and writes one SQLite file of ours. It is opened privately, and its errors are translated."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from ..core.errors import BrokenFile, StoreFailed
from .database import Row, Statement, T, Transaction, storable
from .schema import VERSION, statements
from .sqlite_file import MEMORY, File, file_at, make_sure_of, note_log, set_aside_log
from .sqlite_patience import Pause, patiently, sleep


class Sqlite:
    """Implements database.LocalDatabase. Nothing in it waits, but for another process's write lock.

    The file is opened when it is needed, and anew where another one is at its path by then.
    """

    shared = False
    fold = "fold"
    joined = "group_concat"
    for_update = ""
    patience = 5.0  # seconds that another process may hold the file
    pause: Pause = staticmethod(sleep)  # what waits meanwhile; where others are served, asyncio's

    def __init__(self, path: str) -> None:
        """path: of the file. It, its folder and its tables are made where they are missing."""
        self.name = path
        self._connection: sqlite3.Connection | None = None
        self._file: File | None = None  # the one that it is connected to,
        self._log: File | None = None  # and its log
        self._more: list[str] = []  # what makes the tables besides those of history

    async def open(self) -> None:
        """Make sure that there is a database that can be used. Raises StoreFailed."""
        await self._patiently(self._live)

    async def rest(self) -> None:
        """Let go of the file until it is needed again: whole, without a log, so that it can be moved.

        A plain command leaves its log to whoever closes the file, to be at once.
        """
        if self._connection is None and file_at(self.name) and file_at(f"{self.name}-wal"):
            with contextlib.suppress(sqlite3.Error):  # the next turn tells
                self._live()
        if self.name != MEMORY:
            self._let_go()

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return await self._run(sql, *arguments)

    async def make(self, table: str) -> None:
        self._more.append(table)
        await self._run(table)

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        is_alone = len(statements) < 2 or all(sql.startswith("SELECT ") for sql, *_ in statements)
        if is_alone or self._is_amid:
            return [await self._run(*statement) for statement in statements]
        return await self.atomically(lambda transaction: transaction.run_all(*statements))

    async def send(self, sql: str, *arguments: object) -> None:
        await self._run(sql, *arguments)

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        for row in rows:
            await self._run(sql, *row)

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        await self._run("BEGIN IMMEDIATE")  # the write lock at once, so that what is read stays true
        with contextlib.ExitStack() as failing:
            failing.callback(self._roll_back)
            result = await work(self)
            await self._run("COMMIT")
            failing.pop_all()
        return result

    async def tidy(self) -> None:
        """Empty the write-ahead log, which still holds what is deleted; in the file it is overwritten."""
        try:
            await patiently(lambda: empty_log(self._live()), self.patience, self.pause)
        except sqlite3.Error as error:
            raise StoreFailed(
                f"It is deleted, but its words are still in {self.name}-wal: {error}.",
                hint="Close other programs that read it, and every Jarvis: then that file is deleted.",
            ) from None

    async def size(self) -> int:
        return int((await self._run("SELECT SUM(pgsize - unused) FROM dbstat"))[0][0])

    async def close(self) -> None:
        self._let_go()

    async def _run(self, sql: str, *arguments: object) -> list[Row]:
        try:
            return await self._patiently(lambda: self._live().execute(sql, arguments).fetchall())
        except UnicodeEncodeError:
            return await self._run(sql, *map(storable, arguments))

    async def _patiently(self, work: Callable[[], T]) -> T:
        # Amid a transaction of ours nobody else's statement may come between.
        pause = sleep if self._is_amid else self.pause
        try:
            return await patiently(work, self.patience, pause)
        except sqlite3.Error as error:
            raise translated(error, self.name) from None

    @property
    def _is_amid(self) -> bool:
        return self._connection is not None and self._connection.in_transaction

    def _live(self) -> sqlite3.Connection:
        """Return the connection to the file that is at the path now."""
        if self._connection and (self._is_amid or file_at(self.name) == self._file):
            return self._connection
        self._leave_behind()
        make_sure_of(self.name)
        self._connection = self._connected()
        self._file, self._log = file_at(self.name), note_log(self.name)
        return self._connection

    def _leave_behind(self) -> None:
        """Let go of a file that is not at the path any more; its log must not count for another one there."""
        if not self._connection:
            return
        file, log = file_at(self.name), file_at(f"{self.name}-wal")
        if file is None or log != self._log:  # nobody else can have written into the log
            with contextlib.suppress(sqlite3.Error):
                empty_log(self._connection)  # into the file, wherever that is now
        self._let_go()
        if log and log == self._log and file != self._file:
            set_aside_log(self.name, log)

    def _let_go(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None

    def _connected(self) -> sqlite3.Connection:
        """Return a new connection. Raises sqlite3.Error, and StoreFailed where the file is too new."""
        connection = sqlite3.connect(self.name, timeout=0, isolation_level=None, check_same_thread=False)
        with contextlib.ExitStack() as failing:
            failing.callback(connection.close)
            connection.create_function("fold", 1, _fold, deterministic=True)
            connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;")
            version = _version(connection)
            if version < VERSION:
                version = _migrate(connection)
            if version > VERSION:
                raise StoreFailed(
                    f"{self.name} was written by a newer version of Jarvis.", hint="Update Jarvis."
                )
            for table in self._more:
                connection.execute(table)
            failing.pop_all()
        return connection

    def _roll_back(self) -> None:
        """Undo what is not committed. SQLite may have done so itself, on a full disk for one."""
        with contextlib.suppress(sqlite3.Error):
            if self._connection and self._connection.in_transaction:
                self._connection.rollback()


def _version(connection: sqlite3.Connection) -> int:
    """Return the version of the tables; 0 where there are none."""
    try:
        row: Any = connection.execute("SELECT version FROM schema_version").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        row = None
    return int(row[0]) if row else 0


def _migrate(connection: sqlite3.Connection) -> int:
    """Bring the tables up to date, unless another process just did. Return their version."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")  # which closing undoes
    version = _version(connection)
    for statement in statements(version, compact=" WITHOUT ROWID") if version < VERSION else []:
        connection.execute(statement)
    connection.execute("COMMIT")
    return max(version, VERSION)


def translated(error: sqlite3.Error, path: str) -> StoreFailed:
    """Return what *error* of the file at *path* means to a person."""
    hint = f"Check that there is space, and that {path} is yours and writable."
    if "locked" in str(error):
        hint = "Another program holds it: try again in a moment."
    elif is_broken(error):
        return BrokenFile(f"History can't be used: {error}.", hint=_mending(path))
    return StoreFailed(f"History can't be used: {error}.", hint=hint)


def _mending(path: str) -> str:
    """Return what mends a broken file at *path*, and keeps every byte: its log belongs to it."""
    folder, name = os.path.split(path)
    if name == "history.db":
        return "Keep the file, and go on with all that can be read of it: jarvis threads recover"
    return f"Keep it, and start anew: cd {folder} && mkdir -p broken && mv {name}* broken/"


async def is_sound(path: str) -> bool:
    """Return whether the database at *path*, and each of its indexes, can be read to the end."""
    file = Sqlite(path)
    try:
        return await file.run("PRAGMA integrity_check(1)") == [("ok",)]
    except BrokenFile:
        return False
    finally:
        await file.close()


def is_broken(error: sqlite3.Error) -> bool:
    """Return whether *error* says that the file is no sound database, which waiting does not mend."""
    return "malformed" in str(error) or "not a database" in str(error)


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Return what *work* returns, which never has to wait, since SQLite answers at once.

    So a plain command needs no event loop, whose import alone takes five times a bare start.
    """
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("This has to wait: it needs an event loop.")


def empty_log(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log. Raises sqlite3.Error, also where another process still reads there."""
    is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if is_busy:  # which is no error to SQLite
        raise sqlite3.OperationalError("database is locked")


def _fold(text: str | None) -> str | None:
    return text.casefold() if text is not None else None
