"""What history needs of a database, be it SQLite or Postgres: how it is asked, and the lock of a thread.

SQL is written once for both, with `?` for a value. The tables are in schema.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sized
from contextlib import AsyncExitStack
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Statement = tuple[Any, ...]  # its SQL, and a value for each `?` in it


class Transaction(Protocol):
    """What runs statements together; on a database itself each call is a transaction of its own."""

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        """Return all rows of one statement."""
        return (await self.run_all((sql, *arguments)))[0]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        """Return all rows of each of *statements*, which are sent together: a server is asked once.

        On a database they are one transaction, unless they only read.
        """
        ...

    async def send(self, *statements: Statement) -> None:
        """Run what nobody needs the rows of. In a transaction it goes along with what is asked next.

        So an error of it may be raised there, or when the transaction ends.
        """
        await self.run_all(*statements)


class Database(Transaction, Protocol):
    """A database. Its failures are StoreFailed, ServiceUnreachable or SettingsError."""

    name: str  # where it is, for people; never a password
    shared: bool  # whether other machines may be at it

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


class Lock:
    """The lock of one thread, for one model turn at a time. It ends with the process that holds it."""

    def __init__(self, hold: Callable[[], Awaitable[AsyncExitStack | None]]) -> None:
        """hold: takes it, and returns what gives it back; None: it is somebody else's."""
        self._hold = hold
        self._held: AsyncExitStack | None = None

    async def take(self) -> bool:
        """Return whether the lock is ours now. Never waits for its holder."""
        self._held = await self._hold()
        return self._held is not None

    async def release(self) -> None:
        held, self._held = self._held, None
        if held:
            await held.aclose()


Locks = Callable[[str], Lock]  # the lock of a thread


def marks(values: Sized) -> str:
    """Return a `?` for each of *values*."""
    return ", ".join("?" * len(values))


def storable(values: Iterable[object]) -> list[object]:
    """Return *values*; of a text, only what UTF-8 can hold, and no NUL: Postgres has no place for it."""
    return [
        value.replace("\0", "").encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for value in values
    ]
