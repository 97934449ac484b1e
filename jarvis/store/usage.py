"""Counts usage per day and thread, and enforces the daily limits.

A call is counted before it is made, in one transaction with the check of the limit, so no two processes take
the last one. If a connection is lost, one call may count twice, never zero times. A turn's tokens are counted
when it ends, once. A crash before that loses them.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple

from ..config.settings import Daily
from ..core.errors import LimitReached
from ..core.text import pluralize
from ..core.types import Turn
from .database import Database, Statement

Counts = Mapping[str, int]  # how many, by the columns of usage
# Changes nothing, but has whoever counts at the same time wait: Postgres locks the row, SQLite the file.
_LOCK = (
    "INSERT INTO usage (day, thread) VALUES (?, '')"
    " ON CONFLICT (day, thread) DO UPDATE SET searches = usage.searches"
)


class Used(NamedTuple):
    """The usage of a day in a thread."""

    day: str  # of the person's own calendar: 2026-01-31
    thread: str  # empty: threads that were deleted
    model_calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Ledger:
    def __init__(self, database: Database, limits: Daily) -> None:
        self._database = database
        self.limits = limits

    async def count(self, thread: str, kind: str) -> int | None:
        """Count one of *kind*, `model_calls` or `searches`, and return how many the day has left after it.

        None: it has no limit. Raises LimitReached, with nothing counted, where the day has none left.
        """
        day, limit = today(), getattr(self.limits, kind)
        if limit is None:
            await self._database.run_all(_adding(day, thread, {kind: 1}))
            return None
        room = f"(SELECT COALESCE(SUM({kind}), 0) FROM usage WHERE day = ?) < ?"
        adding = (*_adding(day, thread, {kind: 1}, room), day, limit)
        _, ((used,),), _ = await self._database.run_all((_LOCK, day), _used(kind, day), adding)
        if used >= limit:
            hint = f"jarvis usage   (config.toml sets it: [daily] {kind} = …)"
            raise LimitReached(f"{self.used_up(kind)}.", hint=hint)
        return int(limit - used - 1)

    def looking(self, kind: str) -> list[Statement]:
        """Return the SQL that counts today's *kind*, or nothing if the day has no limit."""
        return [] if getattr(self.limits, kind) is None else [_used(kind, today())]

    def used_up(self, kind: str) -> str:
        """Return the message that the day has no more of *kind*."""
        return f"Today's limit of {pluralize(getattr(self.limits, kind), kind.replace('_', ' '))} is used up"

    async def since(self, day: str) -> list[Used]:
        """Return the usage from *day* on: days in order, and in each its threads."""
        rows = await self._database.run(
            "SELECT day, thread, model_calls, searches, input_tokens, output_tokens FROM usage"
            " WHERE day >= ? AND model_calls + searches > 0 ORDER BY day, thread",
            day,
        )
        return [Used(*row) for row in rows]


def today(days_ago: int = 0) -> str:
    """Return a day of the person's own calendar."""
    return str(date.today() - timedelta(days=days_ago))


def few_of(limit: int) -> int:
    """Return how many of the day's *limit* are so few that people should know."""
    return max(5, limit // 10)


def counting_once(turn: Turn, counts: Counts) -> Statement:
    """Return the SQL that adds *counts* to today's usage once, if it runs before the SQL that closes
    *turn*.
    """
    is_open = "EXISTS (SELECT 1 FROM turns WHERE id = ? AND status = 'open')"
    return *_adding(today(), turn.thread, counts, is_open), turn.id


def _used(kind: str, day: str) -> Statement:
    return f"SELECT COALESCE(SUM({kind}), 0) FROM usage WHERE day = ?", day


def _adding(day: str, thread: str, counts: Counts, where: str = "true") -> Statement:
    """Return the SQL that adds *counts* to the day's usage if *where* holds."""
    added = ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in counts)
    return (
        f"INSERT INTO usage (day, thread, {', '.join(counts)}) SELECT ?, ?{', ?' * len(counts)} WHERE {where}"
        f" ON CONFLICT (day, thread) DO UPDATE SET {added}",
        *(day, thread, *counts.values()),
    )
