"""Closes turns that a crash left open. A step that had started is neither repeated nor called done."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from ..actions import catalogue
from ..core.processes import process_of
from ..core.types import unknown
from .database import Database, Row, Transaction
from .locks import Locks
from .turns import OPEN

# Of a turn: its own process would have written down what it used up.
CLOSED_BY_OTHERS = "(status = 'interrupted' AND usage IS NULL)"
_LONGEST = 60  # seconds that a plain command takes, where its process can't be told from a later one


def is_at_work(pid: int | None, since: str | None, started: float) -> bool:
    """Return whether the plain command of a turn that is open is still at work. It takes no lock.

    pid: of its process; None: a lock is the turn's only sign of life. since: when that process began.
    """
    if not pid or pid == os.getpid():
        return False
    process = process_of(pid)
    if since or process.is_dead:
        return process.began == since and not process.is_dead
    return time.time() - started <= _LONGEST and _is_there(pid)


def _is_there(pid: int) -> bool:
    if os.name == "nt":
        return True  # there, os.kill(pid, 0) would end it
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


async def close_all(database: Database, lock: Locks) -> None:
    """Close what was left open in any thread that nobody is at work in."""
    for (thread,) in await database.run("SELECT DISTINCT thread FROM turns WHERE status = 'open'"):
        held = lock(thread)
        if await held.take():
            try:
                await close_thread(database, thread)
            finally:
                await held.release()


async def close_thread(database: Database, thread: str) -> None:
    """Close what was left open in *thread*, whose lock the caller holds."""
    rows = await database.run(OPEN, thread)
    if rows:
        await database.atomically(lambda transaction: close_left(transaction, rows))


async def close_left(transaction: Transaction, rows: Iterable[Row]) -> None:
    """Close those of *rows*, each a turn as OPEN finds it, on which nobody is at work."""
    for turn, *process in rows:
        if not is_at_work(*process):
            await _close(transaction, turn)


async def _close(transaction: Transaction, turn: str) -> None:
    now = time.time()
    # It may have ended since it was looked at.
    closed, started = await transaction.run_all(
        (
            "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ? AND status = 'open'"
            " RETURNING id",
            now,
            turn,
        ),
        ("SELECT n, action, target FROM steps WHERE turn = ? AND state = 'started'", turn),
    )
    for n, action, target in started if closed else ():
        known = catalogue().get(action)
        outcome = (known and known.proven(target)) or unknown(action, target)
        await transaction.send(
            "UPDATE steps SET state = ?, outcome = ?, ended_at = ?, untold = ? WHERE turn = ? AND n = ?",
            outcome.state,
            outcome.text,
            now,
            int(outcome.state == "unknown"),
            turn,
            n,
        )
