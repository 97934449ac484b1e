"""Reads an SQLite file that is broken, as far as it can be read: a copy of it, and of its log."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..core.errors import StoreFailed
from .sqlite import Sqlite, at_once

_MOST_IN_PAGE = 70  # rows: a turn takes 60 bytes at least
_HEADER = 100  # bytes: what SQLite knows of a file
_PAGE = 4096


class Rows(NamedTuple):
    """The rows of a table that could be read, by the names of its columns."""

    rows: list[dict[str, Any]]
    is_whole: bool


@contextlib.contextmanager
def readable(path: str) -> Iterator[sqlite3.Connection]:
    """Open a copy of the file at *path* in which tables are known. Raises DatabaseError where none are."""
    with tempfile.TemporaryDirectory() as folder:
        for size in (0, _HEADER, _PAGE):
            copy = _copied(path, os.path.join(folder, str(size)), size)
            with contextlib.closing(sqlite3.connect(copy)) as connection:
                connection.text_factory = lambda text: text.decode("utf-8", "replace")
                if _has_turns(connection):
                    yield connection
                    return
    raise sqlite3.DatabaseError("file is not a database")


def _has_turns(connection: sqlite3.Connection) -> bool:
    try:
        return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'turns'").fetchone())
    except sqlite3.DatabaseError:
        return False


def _copied(path: str, folder: str, size: int) -> str:
    """Copy the file at *path* and its log into *folder*, with its first *size* bytes from a sound one."""
    os.mkdir(folder)
    copy = os.path.join(folder, "history.db")
    try:
        for part in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{part}", f"{copy}{part}")
    except OSError as error:
        raise StoreFailed(
            f"{path} can't be copied: {error.strerror}.", hint=f"Make space in {tempfile.gettempdir()}."
        ) from None
    if size:
        with open(copy, "r+b") as file:
            file.write(_beginning(os.path.join(folder, "sound.db"))[:size])
    return copy


def _beginning(path: str) -> bytes:
    """Return the first page of a new history, which is made at *path*. It says no number of pages."""
    sound = Sqlite(path)
    at_once(sound.open())
    at_once(sound.close())
    with open(path, "rb") as file:
        page = bytearray(file.read(_PAGE))
    page[24:28], page[92:96] = bytes(4), b"\0\0\0\1"  # where these differ, SQLite counts the pages itself
    return bytes(page)


def read_rows(connection: sqlite3.Connection, table: str) -> Rows:
    """Return all rows of *table* that can be read, whatever is between them, and whether that is all."""
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    if not columns:  # an earlier version had no such table
        return Rows([], is_whole=True)
    names = [str(column[1]) for column in columns]
    keys = [str(column[1]) for column in sorted(columns, key=lambda each: each[5]) if column[5]]
    has_numbers = _has_numbers(connection, table)
    order = ["rowid"] if has_numbers else keys
    # By the table itself: an index may be what is broken.
    select = f"SELECT {', '.join(order)}, {', '.join(names)} FROM {table}{' NOT INDEXED' * has_numbers}"
    rows, is_whole = _until_bad(connection, f"{select} ORDER BY {', '.join(order)}")
    if not is_whole:
        last, _ = _until_bad(connection, f"{select} ORDER BY {', '.join(f'{key} DESC' for key in order)}")
        if has_numbers:
            rows += _between(connection, select, rows, last)
        rows += last
    found = {row[: len(order)]: dict(zip(names, row[len(order) :], strict=True)) for row in rows}
    return Rows(list(found.values()), is_whole)


def _has_numbers(connection: sqlite3.Connection, table: str) -> bool:
    """Return whether the rows of *table* are numbered: else they are in the order of its key."""
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError as error:
        if "no such column" not in str(error):
            raise
        return False
    return True


def _between(
    connection: sqlite3.Connection, select: str, first: Sequence[Any], last: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """Return what can be read between what was read from the *first* row on, and from the *last* one back."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    begin, end = first[-1][0] if first else 0, last[-1][0] if last else pages * _MOST_IN_PAGE
    found = []
    for number in range(begin + 1, end):
        rows, _ = _until_bad(connection, f"{select} WHERE rowid = ?", number)
        found += rows
    return found


def _until_bad(connection: sqlite3.Connection, sql: str, *arguments: Any) -> tuple[list[Any], bool]:
    """Return what *sql* finds up to what can't be read, and whether that is all."""
    rows: list[Any] = []
    try:
        for row in connection.execute(sql, arguments):
            rows.append(row)  # noqa: PERF402 (those before the bad one count)
    except sqlite3.DatabaseError:
        return rows, False
    return rows, True
