"""One SQLite file of ours: opened privately, its errors translated."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable
from typing import Any

from ..errors import StoreFailed
from .files import private_file

SCHEMA_VERSION = 1
_SCHEMA = """
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS threads (
    id TEXT PRIMARY KEY, created_at REAL NOT NULL, used_at REAL NOT NULL,
    turns INTEGER NOT NULL DEFAULT 0,  -- how many there are: the newest one's number
    typed INTEGER NOT NULL DEFAULT 0,  -- how many ids of each kind were minted, so that none is reused
    found INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS turns (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, n INTEGER NOT NULL, goal TEXT NOT NULL,
    status TEXT NOT NULL, reply TEXT NOT NULL DEFAULT '',
    shown TEXT,  -- the addresses' ids in the order in which they were listed to the person
    error TEXT, usage TEXT, pid INTEGER, started_at REAL NOT NULL, ended_at REAL,
    UNIQUE (thread, n)
);
CREATE INDEX IF NOT EXISTS turns_shown ON turns (thread, n) WHERE shown IS NOT NULL;
CREATE INDEX IF NOT EXISTS turns_open ON turns (thread) WHERE status = 'open';
CREATE TABLE IF NOT EXISTS steps (
    turn TEXT NOT NULL, n INTEGER NOT NULL, action TEXT NOT NULL, arguments TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '',
    started_at REAL NOT NULL, ended_at REAL,
    PRIMARY KEY (turn, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS addresses (
    thread TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL,
    official TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL,
    opened INTEGER,  -- the number of the last turn that opened it
    PRIMARY KEY (thread, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS addresses_turn ON addresses (thread, turn, step);
CREATE INDEX IF NOT EXISTS addresses_opened ON addresses (thread, opened) WHERE opened IS NOT NULL;
INSERT INTO schema_version SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM schema_version);
COMMIT;
"""


class Database:
    """A connection. Commits by itself, but inside `with database.transaction():`."""

    def __init__(self, path: str) -> None:
        """Open the file at *path*; make it, its folder and its tables where they are missing."""
        self.path = private_file(path)
        try:
            self._connection = sqlite3.connect(
                path, timeout=10, isolation_level=None, check_same_thread=False
            )
            self._connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;")
            version = self._version()
        except sqlite3.Error as error:
            raise self._translated(error) from None
        if version > SCHEMA_VERSION:
            raise StoreFailed(f"{path} was written by a newer Jarvis.", hint="Update this one.")

    def run(self, sql: str, *arguments: object) -> list[tuple[Any, ...]]:
        """The rows of one statement, all of them."""
        try:
            return self._connection.execute(sql, arguments).fetchall()
        except sqlite3.Error as error:
            raise self._translated(error) from None

    def run_many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except sqlite3.Error as error:
            raise self._translated(error) from None

    def transaction(self) -> _Transaction:
        return _Transaction(self)

    def roll_back(self) -> None:
        """Undo what is not committed. SQLite may have done so itself, on a full disk for one."""
        with contextlib.suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.rollback()

    def close(self) -> None:
        self._connection.close()

    def _version(self) -> int:
        find = "SELECT version FROM schema_version"
        try:
            row = self._connection.execute(find).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            row = None
        if row is None:
            self._connection.executescript(_SCHEMA)
            row = self._connection.execute(find).fetchone()
        return int(row[0])

    def _translated(self, error: sqlite3.Error) -> StoreFailed:
        hint = f"Check that there is space, and that {self.path} is yours and writable."
        if "locked" in str(error):
            hint = "Another program holds it: try again in a moment."
        elif "malformed" in str(error) or "not a database" in str(error):
            hint = f"Keep a copy, then start anew: mv {self.path} {self.path}.broken"
        return StoreFailed(f"History can't be used: {error}.", hint=hint)


class _Transaction:
    """All of it or nothing. It takes the write lock at once, so that reads in it stay true."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.run("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            try:
                self._database.run("COMMIT")
            except StoreFailed:
                self._database.roll_back()
                raise
        else:
            self._database.roll_back()
