"""Show the user's holdings with their values, their cash, and their net worth."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from ...core.tables import CHANGE, COST, MONEY, NAME, NUMBER, PERCENT, TEXT, Check, Column
from ...core.text import pluralize
from ...core.types import NO_SUM, Effect, Outcome
from ..entries import at
from . import HOLDING
from .ghostfolio import MEASURE, Entry, Ghostfolio, GhostfolioAction, added_up, flat, rows_of

_VALUE, _SHARE = "valueInBaseCurrency", "allocationInPercentage"
_GAIN = "netPerformancePercentWithCurrencyEffect"
_COLUMNS = {
    Column("symbol", "symbol", TEXT, 0, NAME): "symbol",
    Column("name", "name", TEXT, 1, NAME): "name",
    Column("quantity", "quantity", NUMBER, 3): "quantity",
    Column("price", "price", MONEY, 4): "marketPrice",
    Column("value", "value", MONEY, 0, COST): _VALUE,
    Column("share", "share", PERCENT, 2): _SHARE,
    Column("gain", "gain", PERCENT, 0, CHANGE): _GAIN,
}
_UNPRICED = dict.fromkeys(["marketPrice", _VALUE, _SHARE, _GAIN])
_CENT, _PART = Decimal("0.011"), Decimal("0.0005")  # how far sums and shares may be off, by rounding


class ShowPortfolio(GhostfolioAction):
    name = "show_portfolio"
    description = "show what they hold: stocks, funds and cash, with value and gain, and the net worth."

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        page, currency, checks = await ghostfolio.figures("/api/v1/portfolio/details")
        there = _holdings(page)
        cash = [each for each in there if at(each, "assetProfile", "assetSubClass") == "CASH"]
        held = [each for each in there if each not in cash]
        if not held:
            return await ghostfolio.nothing("There are no holdings in your portfolio.")
        *besides, worth = _sums(page["summary"], cash)
        checks += _checks([*held, *besides], worth, is_hard=not page["hasError"])
        several = [*page["accounts"].values()] if len(page["accounts"]) > 1 else []
        accounts = ({**each, "name": f"in {each.get('name') or 'no account'}"} for each in several)
        below = [each for each in (*besides, worth, *accounts) if each[_VALUE]]
        rows, foot = (rows_of(each, _COLUMNS, currency) for each in (held, below))
        table = ghostfolio.table(HOLDING, _COLUMNS, rows, f"Gains are {MEASURE}, since each was bought")
        table = table._replace(foot=tuple(foot), checks=tuple(checks))
        if any(check.is_hard and check.is_met is False for check in checks):
            message = "The figures of Ghostfolio do not add up."
            return Outcome("failed", message, code=NO_SUM, exit_status=1, table=table)
        return Outcome("done", f"Listed {pluralize(len(held), 'holdings')}.", table=table)


def _holdings(page: Entry) -> list[Entry]:
    """Return the holdings, with cash, the most valuable first. One without a price isn't worth 0."""
    found = page["holdings"].values()
    if page["hasError"]:
        found = [each if each[_VALUE] else {**each, **_UNPRICED} for each in found]
    return sorted(map(flat, found), key=lambda each: added_up([each], _VALUE), reverse=True)


def _sums(summary: Entry, cash: Sequence[Entry]) -> list[Entry]:
    """Return the amounts that count with the holdings, and the net worth last."""
    return [
        {"name": "cash", _VALUE: summary["totalCashInBaseCurrency"], _SHARE: added_up(cash, _SHARE)},
        {"name": "left out of it", _VALUE: summary["excludedAccountsAndActivities"]},
        {"name": "liabilities", _VALUE: -summary["liabilitiesInBaseCurrency"]},
        {"name": "net worth", _VALUE: summary["totalValueInBaseCurrency"]},
    ]


def _checks(parts: Sequence[Entry], whole: Entry, *, is_hard: bool) -> Iterator[Check]:
    """Yield whether *parts* add up to the *whole*, and their shares to all of it."""
    is_met = {
        "rows and cash sum to net worth": abs(added_up(parts, _VALUE) - added_up([whole], _VALUE)) <= _CENT,
        "shares sum to 100 %": abs(added_up(parts, _SHARE) - 1) <= _PART,
    }
    for finding, is_so in is_met.items():
        yield Check(finding, is_so, finding if is_so else f"not so: {finding}", is_hard)


ACTION = ShowPortfolio()
