"""Counts what is used up, per day and thread, and keeps each day to its limit.

A call is counted before it is made, in one transaction with the look at the limit, so that no two processes
take the last one. Where a connection is lost in the middle, one call may be counted twice, never none.
"""

from __future__ import annotations

import time

from ..config.settings import Daily
from ..core.errors import LimitReached
from ..core.stdlib import NamedTuple
from ..core.text import counted
from .database import Database, Transaction

_NAMES = {"model_calls": "model calls", "searches": "searches"}
# Other processes' reservations wait here: Postgres locks the row, SQLite the file.
_LOCK = (
    "INSERT INTO usage (day, thread) VALUES (?, '')"
    " ON CONFLICT (day, thread) DO UPDATE SET searches = usage.searches"
)


class Used(NamedTuple):
    """What was used up on a day in a thread."""

    day: str  # of the person's own calendar: 2026-01-31
    thread: str  # empty: threads that were deleted
    model_calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Granted(NamedTuple):
    """What was reserved."""

    many: int
    left: int | None  # that the day has left after it; None: as many as are wanted


class Ledger:
    def __init__(self, database: Database, limits: Daily) -> None:
        self._database = database
        self.limits = limits

    async def reserve(self, thread: str, kind: str, wanted: int = 1) -> Granted:
        """Count as many of *kind* as the day has left, *wanted* at most.

        kind: `model_calls` or `searches`. Raises LimitReached where there are none, and counts none.
        """
        limit, day = getattr(self.limits, kind), today()

        async def work(transaction: Transaction) -> Granted:
            if limit is None:
                granted = Granted(wanted, None)
            else:
                await transaction.run(_LOCK, day)
                left = limit - await _sum(transaction, kind, day)
                granted = Granted(min(wanted, left), max(0, left - wanted))
            if granted.many > 0:
                await _add(transaction, day, thread, **{kind: granted.many})
            return granted

        granted = await self._database.atomically(work)
        if granted.many <= 0:
            raise self.spent(kind)
        return granted

    async def give_back(self, thread: str, kind: str, unsent: int = 1) -> None:
        """Take back as many as were reserved and not made."""
        await _add(self._database, today(), thread, **{kind: -unsent})

    async def add_tokens(self, thread: str, read: int, written: int) -> None:
        await _add(self._database, today(), thread, input_tokens=read, output_tokens=written)

    async def has_left(self, kind: str) -> bool:
        """Return whether there is one more of *kind* today, for now."""
        limit = getattr(self.limits, kind)
        return limit is None or await _sum(self._database, kind, today()) < limit

    def spent(self, kind: str) -> LimitReached:
        """Return the error that there is no more of *kind* today."""
        hint = f"jarvis usage   (config.toml sets it: [daily] {kind} = …)"
        return LimitReached(f"{self.used_up(kind)}.", hint=hint)

    def used_up(self, kind: str) -> str:
        """Return the message that there is no more of *kind* today."""
        limit = getattr(self.limits, kind)
        return f"Today's limit of {counted(limit, _NAMES[kind])} is used up"

    async def since(self, day: str) -> list[Used]:
        """Return what was used up from *day* on: days in their order, and in each its threads."""
        rows = await self._database.run(
            "SELECT day, thread, model_calls, searches, input_tokens, output_tokens FROM usage"
            " WHERE day >= ? AND model_calls + searches > 0 ORDER BY day, thread",
            day,
        )
        return [Used(*row) for row in rows]


def today(days_ago: int = 0) -> str:
    """Return a day of the person's own calendar."""
    year, month, day = time.localtime()[:3]
    noon = (year, month, day - days_ago, 12, 0, 0, 0, 0, -1)  # at which no clock is put forward
    return time.strftime("%Y-%m-%d", time.localtime(time.mktime(noon)))


async def _sum(transaction: Transaction, kind: str, day: str) -> int:
    found = await transaction.run(f"SELECT COALESCE(SUM({kind}), 0) FROM usage WHERE day = ?", day)
    return int(found[0][0])


async def _add(transaction: Transaction, day: str, thread: str, **counts: int) -> None:
    names = list(counts)
    await transaction.run(
        f"INSERT INTO usage (day, thread, {', '.join(names)}) VALUES (?, ?{', ?' * len(names)})"
        " ON CONFLICT (day, thread) DO UPDATE SET "
        + ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in names),
        day,
        thread,
        *counts.values(),
    )
