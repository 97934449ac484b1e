"""Show what was bought, sold, paid out or charged, the newest first."""

from datetime import date, timedelta

from ...actions.base import Field
from ...core.tables import COST, DATE, MONEY, NAME, NUMBER, STATE, TEXT, Column
from ...core.types import Effect, Outcome
from ..entries import outcome_of
from . import ACTIVITY, ALL_TIME, SINCE
from .ghostfolio import KINDS, Ghostfolio, GhostfolioAction, paid_in, rows_of

_COLUMNS = {
    Column("symbol", "symbol", TEXT, 0, NAME): "symbol",
    Column("name", "name", TEXT, 3, NAME): "name",
    Column("day", "day", DATE, 0): "date",
    Column("type", "kind", STATE, 1): "type",
    Column("quantity", "quantity", NUMBER, 2): "quantity",
    Column("price", "price", MONEY, 2): "unitPrice",
    Column("fee", "fee", MONEY, 4): "fee",
    Column("value", "value", MONEY, 0, COST): "value",
    Column("account", "account", TEXT, 5): "account",
    Column("comment", "comment", TEXT, 6): "comment",
}


class ShowActivities(GhostfolioAction):
    name = "show_activities"
    description = "show what was bought, sold or paid out in their portfolio: also their dividends."
    fields = (Field("kind", "of which kind; null: all", kind="choice", choices=KINDS, optional=True), SINCE)

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        kind, since = effect.arguments.get("kind", ""), effect.arguments.get("range", ALL_TIME)
        first, title = first_day(since, date.today()), ", ".join(filter(None, (kind, since)))
        there = await ghostfolio.activities()
        found = [each for each in there if each["date"] >= first and kind in ("", each["type"])]
        paid = paid_in(found) if kind else ()
        sums = [{"symbol": "total", "value": amount, "currency": code} for amount, code, _ in paid]
        rows, foot = (rows_of(each, _COLUMNS) for each in (found, sums))
        table = ghostfolio.table(ACTIVITY, _COLUMNS, rows, f"Activities: {title}")
        return outcome_of(table._replace(foot=tuple(foot)), title, "activities")


def first_day(since: str, today: date) -> str:
    """Return the first day of a range that ends *today*, as 2026-01-01, or "" for all time."""
    year = today.timetuple().tm_yday - 1
    days = {"today": 0, "this week": today.weekday(), "this month": today.day - 1, "this year": year}
    days |= {"one year": 365, "five years": 5 * 365}
    return str(today - timedelta(days[since])) if since in days else ""


ACTION = ShowActivities()
