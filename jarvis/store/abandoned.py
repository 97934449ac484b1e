"""Closes turns that a crash left open. A step that had started is neither repeated nor called done."""

from __future__ import annotations

import os
import time

from ..core.stdlib import NamedTuple
from ..core.types import unknown
from .database import Database, Transaction


class Abandoned(NamedTuple):
    """A step of a turn that stopped in the middle: it may or may not have happened."""

    turn: str
    n: int
    action: str
    target: str


def alive(pid: int | None, started: float) -> bool:
    """Return whether a plain command is still at work on a turn. It takes no lock, and seconds at most."""
    if not pid or pid == os.getpid() or time.time() - started > 60:
        return False
    if os.name == "nt":
        return True  # there, os.kill(pid, 0) would end it
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


async def close_turn(database: Database, turn: str) -> list[Abandoned]:
    """Close *turn*, unless it has ended. Return its steps that had started: each is `unknown` now."""
    now = time.time()  # by which what was written is known again, if this is repeated

    async def write(transaction: Transaction) -> list[Abandoned]:
        # It may have ended since it was looked at.
        closed = await transaction.run(
            "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ?"
            " AND (status = 'open' OR ended_at = ?) RETURNING id",
            now,
            turn,
            now,
        )
        if not closed:
            return []
        started = await transaction.run(
            "SELECT turn, n, action, target FROM steps WHERE turn = ?"
            " AND (state = 'started' OR ended_at = ?)",
            turn,
            now,
        )
        for _, n, action, target in started:
            outcome = unknown(action, target)
            await transaction.run(
                "UPDATE steps SET state = ?, outcome = ?, ended_at = ? WHERE turn = ? AND n = ?",
                outcome.state,
                outcome.text,
                now,
                turn,
                n,
            )
        return [Abandoned(*row) for row in started]

    return await database.atomically(write)
