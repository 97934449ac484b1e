"""Counts what is used up, per day and thread, and keeps each day to its limit.

A call is counted before it is made, in one transaction with the look at the limit, so that no two processes
take the last one. Where a connection is lost in the middle, one call may be counted twice, never none: so
what was not made is given back with the end of its turn, which is written once.
The tokens of a call are counted with what is reserved after it, or with the end of its turn: a crash before
that may lose the tokens of one call, never the call. Calls that may follow a search are counted with it;
those that are not made are given back.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..config.settings import Daily
from ..core.errors import LimitReached
from ..core.text import counted
from ..core.types import Turn
from .database import Database, Row, Statement

Counts = Mapping[str, int]  # how many, by the columns of usage
NOTHING: Counts = {}
_CALLS = "model_calls"
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
    ahead: int = 0  # model calls besides


class Ledger:
    def __init__(self, database: Database, limits: Daily) -> None:
        self._database = database
        self.limits = limits

    async def reserve(
        self, thread: str, kind: str, wanted: int = 1, *, ahead: int = 0, uncounted: Counts = NOTHING
    ) -> Granted:
        """Count as many of *kind* as the day has left, *wanted* at most.

        kind: `model_calls` or `searches`. ahead: the model calls that may follow a search: they are counted
        too, as far as the day has them.
        uncounted: what else is to be counted by now.
        """
        wants, day = {kind: wanted} | ({_CALLS: ahead} if ahead else {}), today()
        limits = {each: limit for each in wants if (limit := getattr(self.limits, each)) is not None}
        counts = {**uncounted, **{each: many for each, many in wants.items() if each not in limits}}
        first: list[Statement] = [(_LOCK, day)] if limits else []  # before others: two could lock crosswise
        first += [_adding(day, thread, counts)] if counts else []
        taking = [
            statement
            for each, limit in limits.items()
            for statement in (_used(each, day), _taking(day, thread, each, wants[each], limit))
        ]
        found = (await self._database.run_all(*first, *taking))[len(first) :: 2]
        left = {each: limits[each] - rows[0][0] for each, rows in zip(limits, found, strict=True)}
        granted = {each: max(0, min(many, left.get(each, many))) for each, many in wants.items()}
        left_after = max(0, left[kind] - wanted) if kind in left else None
        return Granted(granted[kind], left_after, granted[_CALLS] if ahead else 0)

    async def count(self, thread: str, counts: Counts) -> None:
        """Count *counts* by themselves."""
        await self._database.run_all(_adding(today(), thread, counts))

    def finding_used(self, kind: str) -> list[Statement]:
        """Return what finds how much of *kind* was used up today, for `has_left`; without a limit nothing."""
        return [] if getattr(self.limits, kind) is None else [_used(kind, today())]

    def has_left(self, kind: str, *found: Sequence[Row]) -> bool:
        """Return whether there is one more of *kind* today, by what `finding_used` found."""
        return all(rows[0][0] < getattr(self.limits, kind) for rows in found)

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


def counting_once(turn: Turn, day: str, counts: Counts) -> Statement:
    """Return what counts the last *counts* of *turn* once, if it goes before what closes that."""
    is_open = "EXISTS (SELECT 1 FROM turns WHERE id = ? AND status = 'open')"
    return *_adding(day, turn.thread, counts, is_open), turn.id


def _used(kind: str, day: str) -> Statement:
    return f"SELECT COALESCE(SUM({kind}), 0) FROM usage WHERE day = ?", day


def _adding(day: str, thread: str, counts: Counts, where: str = "true") -> Statement:
    return (
        f"INSERT INTO usage (day, thread, {', '.join(counts)}) SELECT ?, ?{', ?' * len(counts)}"
        f" WHERE {where} {_added(*counts)}",
        *(day, thread, *counts.values()),
    )


def _taking(day: str, thread: str, kind: str, wanted: int, limit: int) -> Statement:
    """Return what adds as many of *kind* as the *limit* leaves, *wanted* at most, and nothing for none."""
    return (
        f"INSERT INTO usage (day, thread, {kind}) SELECT ?, ?, CASE WHEN free < ? THEN free ELSE ? END FROM"
        f" (SELECT ? - COALESCE(SUM({kind}), 0) AS free FROM usage WHERE day = ?) AS today"
        f" WHERE free > 0 {_added(kind)}",
        day,
        thread,
        wanted,
        wanted,
        limit,
        day,
    )


def _added(*names: str) -> str:
    """Return the end of an INSERT by which each of these counts is added to what there is."""
    added = ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in names)
    return f"ON CONFLICT (day, thread) DO UPDATE SET {added}"
