"""Closes turns that a crash left open. A step that had started is neither repeated nor called done."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from ..core.stdlib import NamedTuple
from ..core.types import unknown
from .database import Row, Transaction


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


class LeftOpen:
    """The turns that were left open in a thread. They are closed once, however often it is tried."""

    def __init__(self) -> None:
        self._turns: dict[str, None] = {}  # in their order; once they are closed, nobody finds them open
        self._now = time.time()  # by which what was written is known again

    async def close(self, transaction: Transaction, rows: Iterable[Row]) -> list[Abandoned]:
        """Close those of *rows*, each as (id, pid, started_at), on which nobody is at work.

        Return their steps that had started: each is `unknown` now.
        """
        self._turns |= {id_: None for id_, pid, at in rows if not alive(pid, at)}
        return [left for turn in self._turns for left in await self._close(transaction, turn)]

    async def _close(self, transaction: Transaction, turn: str) -> list[Abandoned]:
        # It may have ended since it was looked at.
        closed, started = await transaction.run_all(
            (
                "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ?"
                " AND (status = 'open' OR ended_at = ?) RETURNING id",
                self._now,
                turn,
                self._now,
            ),
            (
                "SELECT turn, n, action, target FROM steps WHERE turn = ?"
                " AND (state = 'started' OR ended_at = ?)",
                turn,
                self._now,
            ),
        )
        if not closed:
            return []
        for _, n, action, target in started:
            outcome = unknown(action, target)
            await transaction.send(
                "UPDATE steps SET state = ?, outcome = ?, ended_at = ? WHERE turn = ? AND n = ?",
                outcome.state,
                outcome.text,
                self._now,
                turn,
                n,
            )
        return [Abandoned(*row) for row in started]
