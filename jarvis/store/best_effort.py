"""Keeps what a plain command does, as long as its file takes it: else it is done all the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from ..core.errors import AnothersFile, StoreFailed
from .database import Row, Statement, T, Transaction
from .sqlite import Sqlite
from .sqlite_file import MEMORY


class BestEffort:
    """Implements database.LocalDatabase: a file's; from its first failure on one that nobody sees again."""

    shared = False
    fold = Sqlite.fold
    joined = Sqlite.joined
    for_update = ""

    def __init__(self, path: str) -> None:
        self.name = path
        self.trouble: StoreFailed | None = None  # why nothing is kept any more
        self._more: list[str] = []
        self._file = self._database = Sqlite(path)

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return await self._tried(lambda database: database.run(sql, *arguments))

    async def make(self, table: str) -> None:
        self._more.append(table)
        await self._tried(lambda database: database.make(table))

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        return await self._tried(lambda database: database.run_all(*statements))

    async def send(self, sql: str, *arguments: object) -> None:
        await self._tried(lambda database: database.send(sql, *arguments))

    async def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        kept = list(rows)
        await self._tried(lambda database: database.run_many(sql, kept))

    async def atomically(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._tried(lambda database: database.atomically(work))

    async def tidy(self) -> None:
        await self._database.tidy()

    async def rest(self) -> None:
        await self._database.rest()

    async def size(self) -> int:
        return await self._database.size()

    async def close(self) -> None:
        await self._database.close()
        await self._file.close()

    async def _tried(self, work: Callable[[Sqlite], Awaitable[T]]) -> T:
        """Return what *work* returns. Raises AnothersFile: nothing is done where another user's files are."""
        try:
            return await work(self._database)
        except AnothersFile:
            raise
        except StoreFailed as error:
            if self.trouble:
                raise
            self.trouble, self._database = error, Sqlite(MEMORY)
            for table in self._more:
                await self._database.make(table)
            return await work(self._database)
