"""Databases for tests: one that counts what a server would be asked, and one that does all of it twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from jarvis.store.database import Database, Row, Statement, Transaction


class Counting:
    """Implements database.Database, by another one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.trips = 0
        self.commits = 0  # of what was written
        self.statements: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def counted(self) -> tuple[int, int, int]:
        """The trips, commits and statements since this was asked last."""
        counts = self.trips, self.commits, len(self.statements)
        self.trips, self.commits, self.statements = 0, 0, []
        return counts

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        (rows,) = await self.run_all((sql, *arguments))
        return rows

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        self.trips += 1
        self.statements += [sql for sql, *_ in statements]
        self.commits += not all(sql.startswith("SELECT") for sql, *_ in statements)
        return await self._database.run_all(*statements)

    async def send(self, *statements: Statement) -> None:
        await self.run_all(*statements)

    async def atomically(self, work: Callable[[Transaction], Awaitable[Any]]) -> Any:
        async def counted(transaction: Transaction) -> Any:
            return await work(_Together(transaction, self))

        result = await self._database.atomically(counted)
        self.trips += 1  # what is sent and not asked goes with COMMIT
        self.commits += 1
        return result


class _Together:
    """Implements database.Transaction."""

    def __init__(self, transaction: Transaction, counting: Counting) -> None:
        self._transaction = transaction
        self._counting = counting

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        (rows,) = await self.run_all((sql, *arguments))
        return rows

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        self._counting.trips += 1
        self._counting.statements += [sql for sql, *_ in statements]
        return await self._transaction.run_all(*statements)

    async def send(self, *statements: Statement) -> None:
        self._counting.statements += dict.fromkeys(sql for sql, *_ in statements)
        await self._transaction.send(*statements)


class Again:
    """A database whose connection is lost after each transaction counted: it is done once more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.repeated = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        return await self.atomically(lambda transaction: transaction.run_all(*statements))

    async def atomically(self, work: Callable[[Transaction], Awaitable[Any]]) -> Any:
        await self._database.atomically(work)
        self.repeated += 1
        return await self._database.atomically(work)
