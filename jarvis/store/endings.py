"""Keeps the ends of turns that a server could not take, until the next session delivers them.

An end is kept as the statements that write it down. They are run for a turn that has not ended there, or was
closed by somebody who did not know its end; for one that is deleted there is nothing to write.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from json import dumps, loads
from typing import Any

from ..core.errors import StoreFailed
from ..core.types import Turn
from .database import Database, LocalDatabase, Row, Statement, Transaction
from .sqlite import at_once

_ENDINGS = (
    "CREATE TABLE IF NOT EXISTS endings (turn TEXT PRIMARY KEY, thread TEXT NOT NULL,"
    " server TEXT NOT NULL, statements TEXT NOT NULL)"  # as JSON; bytes are {"hex": HEX}
)


class Endings:
    def __init__(self, file: LocalDatabase) -> None:
        self._file = file
        at_once(file.make(_ENDINGS))

    async def keep(self, server: str, turn: Turn, statements: Sequence[Statement]) -> None:
        """Keep *statements*, which write down the end of *turn* on the server of that name."""
        await self._file.run(
            "INSERT INTO endings VALUES (?, ?, ?, ?)"
            " ON CONFLICT (turn) DO UPDATE SET statements = excluded.statements",
            turn.id,
            turn.thread,
            server,
            dumps([[_packed(value) for value in statement] for statement in statements]),
        )

    async def deliver(self, server: Database) -> None:
        """Write down the ends of turns of *server*, in their order. Done twice, the result is the same."""
        mine = "SELECT turn, statements FROM endings WHERE server = ? ORDER BY rowid"
        for turn, statements in await self._file.run(mine, server.name):
            with suppress(StoreFailed):  # one that is refused stays here, and holds nobody up
                await _write(server, turn, loads(statements))
                await self._file.run("DELETE FROM endings WHERE turn = ?", turn)


async def _write(server: Database, turn: str, statements: Sequence[Sequence[Any]]) -> None:
    from .left_turns import IS_LEFT  # a plain command delivers nothing

    # As it was before it was closed by others; who delivers the same waits here, and finds that it has ended.
    reopen = f"UPDATE turns SET status = 'open' WHERE id = ? AND {IS_LEFT} RETURNING id"

    async def work(transaction: Transaction) -> None:
        rows: list[Row] = await transaction.run(reopen, turn)
        for sql, *values in statements if rows else ():
            await transaction.send(sql, *map(_unpacked, values))

    await server.atomically(work)


def _packed(value: object) -> object:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _unpacked(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
