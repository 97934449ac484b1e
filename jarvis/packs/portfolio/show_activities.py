"""Show what was bought, sold, paid out or charged, the newest first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from ...actions import BrainAction, Field, Service
from ...core.money import Money, totals
from ...core.tables import COST, DATE, MONEY, NAME, NUMBER, STATE, TEXT, Column, Row, cell_in
from ...core.text import counted
from ...core.types import Effect, Facts, Outcome
from ..entries import at, words_at
from . import ACTIVITY, SINCE
from .bodies import KINDS
from .client import Columns, Ghostfolio, count_of, price_of_one, sum_of

_COLUMNS: Columns = {
    Column("symbol", "symbol", TEXT, 0, NAME): lambda each: words_at(each, "SymbolProfile", "symbol"),
    Column("name", "name", TEXT, 3, NAME): lambda each: words_at(each, "SymbolProfile", "name"),
    Column("day", "day", DATE, 0): lambda each: cell_in(DATE, words_at(each, "date")[:10]),
    Column("type", "kind", STATE, 1): lambda each: words_at(each, "type"),
    Column("quantity", "quantity", NUMBER, 2): lambda each: count_of(at(each, "quantity")),
    Column("price", "price", MONEY, 2): lambda each: price_of_one(at(each, "unitPrice"), _currency(each)),
    Column("fee", "fee", MONEY, 4): lambda each: sum_of(at(each, "fee"), _currency(each)),
    Column("value", "value", MONEY, 0, COST): lambda each: sum_of(at(each, "value"), _currency(each)),
    Column("account", "account", TEXT, 5): lambda each: words_at(each, "account", "name"),
    Column("comment", "comment", TEXT, 6): lambda each: words_at(each, "comment"),
}


class ShowActivities(BrainAction):
    name = "show_activities"
    verb = "show the activities"
    description = "show what was bought, sold or paid out in their portfolio: also their dividends."
    fields = (
        Field("kind", "of which kind alone; null for all", kind="choice", choices=KINDS, optional=True),
        SINCE,
    )
    services = (Service("ghostfolio", Ghostfolio),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        kind, since = arguments.get("kind") or "", str(arguments.get("range") or "max")
        return Effect("reads", f"{kind} {since}".strip(), {"kind": kind, "since": since})

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        kind, since = effect.arguments["kind"], first_day(effect.arguments["since"], date.today())
        found = [
            each
            for each in await ghostfolio.activities()
            if words_at(each, "date")[:10] >= since and kind in ("", words_at(each, "type"))
        ]
        if not found:
            return Outcome("done", f"There are no activities: {effect.target}.", effect.target)
        table = ghostfolio.table(ACTIVITY, _COLUMNS, found, f"Activities: {effect.target}")
        values = (sum_of(at(each, "value"), _currency(each)) for each in found if kind)
        sums = totals(value for value in values if isinstance(value, Money))
        foot = tuple(Row("", {"symbol": "total", "value": money}) for money in sums)
        told = f"Listed {counted(len(found), 'activities')}: {effect.target}."
        return Outcome("done", told, effect.target, table=table._replace(foot=foot))


def first_day(since: str, today: date) -> str:
    """Return the first day of a range that ends *today*, as 2026-01-01; empty: it has none."""
    days = {
        "1d": today,
        "wtd": today - timedelta(today.weekday()),
        "mtd": today.replace(day=1),
        "ytd": today.replace(month=1, day=1),
        "1y": today - timedelta(365),
        "5y": today - timedelta(5 * 365),
    }
    return str(days.get(since, ""))


def _currency(entry: object) -> str:
    return words_at(entry, "currency") or words_at(entry, "SymbolProfile", "currency")


ACTION = ShowActivities()
