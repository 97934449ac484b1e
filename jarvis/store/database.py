"""What history needs of a database, be it SQLite or Postgres. SQL is written with `?` for a value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Statement = tuple[Any, ...]  # its SQL, and a value for each `?` in it


class Transaction(Protocol):
    """What runs statements together; on a database itself each call is a transaction of its own.

    Statements are written once for Postgres and SQLite, with `?` for a value.
    """

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        """Return all rows of one statement."""
        return (await self.run_all((sql, *arguments)))[0]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        """Return all rows of each of *statements*, which are sent together: a server is asked once.

        On a database they are one transaction, unless they only read.
        """
        ...

    async def send(self, sql: str, *arguments: object) -> None:
        """Run a statement whose rows nobody needs. In a transaction it goes along with what is asked next.

        So an error of it may be raised there, or when the transaction ends.
        """
        await self.run_many(sql, [arguments])

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        """Send one statement for each of *rows*."""
        await self.run_all(*((sql, *row) for row in rows))


class Database(Transaction, Protocol):
    """A database. Its failures are StoreFailed, ServiceUnreachable or SettingsError."""

    name: str  # where it is, for people; never a password
    shared: bool  # whether other machines may be at it
    fold: str  # the function that makes capitals small
    joined: str  # the aggregate that joins texts
    for_update: str  # what has a SELECT in a transaction lock its rows, where not all is locked anyway

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Do all that *work* does, or nothing of it.

        Where the connection is lost, *work* may be run again, though it had been done. It must be written so
        that the result is the same.
        """
        ...

    async def tidy(self) -> None:
        """Remove what was deleted from the disk too, as far as we can."""

    async def rest(self) -> None:
        """Let go of files until they are needed again: meanwhile the person may move or replace them."""

    async def close(self) -> None: ...


def storable(value: object) -> object:
    """Return *value*; of a text, only what UTF-8 can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
