"""Reads and writes one SQLite file of ours. It is opened privately, and its errors are translated."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable

from ..core.errors import StoreFailed
from ..core.files import private_file
from ..core.stdlib import Any
from .database import Row, Statement, T, Transaction, storable
from .schema import VERSION, statements


class Sqlite:
    """Implements database.Database. Nothing in it waits, but for another process's write lock."""

    shared = False
    fold = "fold"
    joined = "group_concat"
    for_update = ""
    patience = 10.0  # seconds that another process may hold the file

    def __init__(self, path: str) -> None:
        """Open the file at *path*; make it, its folder and its tables where they are missing."""
        self.name = private_file(path)
        try:
            # Waited for in small pieces: within one, Ctrl-C would not be heard.
            self._connection = sqlite3.connect(
                path, timeout=0.1, isolation_level=None, check_same_thread=False
            )
            self._connection.create_function("fold", 1, _fold, deterministic=True)
            modes = "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
            self._patiently(lambda: self._connection.executescript(modes))
            version = self._patiently(self._version)
            if version < VERSION:
                version = self._migrate()
        except sqlite3.Error as error:
            raise translated(error, self.name) from None
        if version > VERSION:
            raise StoreFailed(f"{path} was written by a newer version of Jarvis.", hint="Update Jarvis.")

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return self._run(sql, *arguments)

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        is_alone = len(statements) < 2 or all(sql.startswith("SELECT ") for sql, *_ in statements)
        if is_alone or self._connection.in_transaction:
            return [self._run(*statement) for statement in statements]
        return await self.atomically(lambda transaction: transaction.run_all(*statements))

    async def send(self, sql: str, *arguments: object) -> None:
        self._run(sql, *arguments)

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        for row in rows:
            self._run(sql, *row)

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        self._run("BEGIN IMMEDIATE")  # the write lock at once, so that what is read stays true
        with contextlib.ExitStack() as failing:
            failing.callback(self._roll_back)
            result = await work(self)
            self._run("COMMIT")
            failing.pop_all()
        return result

    async def tidy(self) -> None:
        """Empty the write-ahead log, which still holds what is deleted; in the file it is overwritten."""
        try:
            self._patiently(lambda: empty_log(self._connection))
        except sqlite3.Error as error:
            raise StoreFailed(
                f"It is deleted, but its words are still in {self.name}-wal: {error}.",
                hint="Close other programs that read it, and every Jarvis: then that file is deleted.",
            ) from None

    async def size(self) -> int:
        return int(self._run("SELECT SUM(pgsize - unused) FROM dbstat")[0][0])

    async def close(self) -> None:
        self._connection.close()

    def _run(self, sql: str, *arguments: object) -> list[Row]:
        try:
            return self._patiently(lambda: self._connection.execute(sql, arguments).fetchall())
        except sqlite3.Error as error:
            raise translated(error, self.name) from None
        except UnicodeEncodeError:
            return self._run(sql, *map(storable, arguments))

    def _patiently(self, work: Callable[[], T]) -> T:
        deadline = time.monotonic() + self.patience
        while True:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise

    def _roll_back(self) -> None:
        """Undo what is not committed. SQLite may have done so itself, on a full disk for one."""
        with contextlib.suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.rollback()

    def _version(self) -> int:
        """Return the version of the tables; 0 where there are none."""
        try:
            row: Any = self._connection.execute("SELECT version FROM schema_version").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            row = None
        return int(row[0]) if row else 0

    def _migrate(self) -> int:
        """Bring the tables up to date, unless another process just did. Return their version."""
        self._patiently(lambda: self._connection.execute("PRAGMA journal_mode = WAL"))
        self._patiently(lambda: self._connection.execute("BEGIN IMMEDIATE"))
        with contextlib.ExitStack() as failing:
            failing.callback(self._roll_back)
            version = self._version()
            for statement in statements(version, compact=" WITHOUT ROWID") if version < VERSION else []:
                self._connection.execute(statement)
            self._connection.execute("COMMIT")
            failing.pop_all()
        return max(version, VERSION)


def translated(error: sqlite3.Error, path: str) -> StoreFailed:
    """Return what *error* of the file at *path* means to a person."""
    hint = f"Check that there is space, and that {path} is yours and writable."
    if "locked" in str(error):
        hint = "Another program holds it: try again in a moment."
    elif "malformed" in str(error) or "not a database" in str(error):
        hint = f"Keep a copy, then start anew: mv {path} {path}.broken"
    return StoreFailed(f"History can't be used: {error}.", hint=hint)


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
