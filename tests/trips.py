"""A database for tests that loses its connections: all is done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from jarvis.store.database import Database, Row, Statement, Transaction


class Again:
    """A database whose connection is lost after each transaction counted: it is done once more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.repeated = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def run(self, sql: str, *arguments: object) -> list[Row]:
        return (await self.run_all((sql, *arguments)))[0]

    async def run_all(self, *statements: Statement) -> list[list[Row]]:
        return await self.atomically(lambda transaction: transaction.run_all(*statements))

    async def atomically(self, work: Callable[[Transaction], Awaitable[Any]]) -> Any:
        await self._database.atomically(work)
        self.repeated += 1
        return await self._database.atomically(work)
