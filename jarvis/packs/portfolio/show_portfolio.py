"""Show what the person holds: each holding with its value, their cash, and what it all comes to."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from ...core.money import number_of
from ...core.tables import CHANGE, COST, MONEY, NAME, NUMBER, PERCENT, TEXT, Check, Column
from ...core.text import counted
from ...core.types import NO_SUM, Effect, Outcome
from ..entries import at
from . import HOLDING
from .ghostfolio import MEASURE, Entry, Ghostfolio, GhostfolioAction, added_up, flat, row_of

_VALUE, _SHARE, _GAIN = (
    "valueInBaseCurrency",
    "allocationInPercentage",
    "netPerformancePercentWithCurrencyEffect",
)
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
# What stands in its summary. Left out and owed is what net worth has besides, where there is any.
_CASH, _WORTH = "totalCashInBaseCurrency", "totalValueInBaseCurrency"
_LEFT_OUT, _OWED = "excludedAccountsAndActivities", "liabilitiesInBaseCurrency"
_SUMS = {_CASH: "cash", _LEFT_OUT: "left out of it", _OWED: "liabilities", _WORTH: "net worth"}
_CENT, _PART = Decimal("0.011"), Decimal("0.0005")  # how far sums and shares may be off, by rounding


class ShowPortfolio(GhostfolioAction):
    name = "show_portfolio"
    description = (
        "show what they hold of stocks, funds and cash, each with value and gain, and the net worth."
    )

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        page, currency, checks = await ghostfolio.figures("/api/v1/portfolio/details")
        cash, held = list[Entry](), list[Entry]()
        for each in _entries(page, "holdings"):
            (cash if at(each, "assetProfile", "assetSubClass") == "CASH" else held).append(each)
        if not held:
            return await ghostfolio.nothing("There are no holdings in your portfolio.")
        checks += _checks(page, held, cash)
        if at(page, "hasError") is not False:  # where there is no price, it says 0
            held = [each if each.get(_VALUE) else {**each, **_UNPRICED} for each in held]
        held.sort(key=lambda each: number_of(each.get(_VALUE)) or 0, reverse=True)
        note = f"Gains are {MEASURE}, since each was bought"
        table = ghostfolio.table(HOLDING, _COLUMNS, held, note, currency)
        foot = [row_of(each, _COLUMNS, currency) for each in _foot(page, cash)]
        table = table._replace(foot=tuple(foot), checks=tuple(checks))
        if any(check.is_hard and check.is_met is False for check in checks):
            told = "The figures of Ghostfolio do not add up."
            return Outcome("failed", told, code=NO_SUM, exit_status=1, table=table)
        return Outcome("done", f"Listed {counted(len(held), 'holdings')}.", table=table)


def _entries(page: object, key: str) -> list[Entry]:
    """Return what stands under *key* by its ids."""
    entries = at(page, key)
    return [*map(flat, entries.values())] if isinstance(entries, Mapping) else []


def _foot(page: object, cash: Sequence[Entry]) -> Iterator[Entry]:
    """Yield what stands below the holdings: cash, what else counts, the net worth, and where that is."""
    for key, name in _SUMS.items():
        amount = at(page, "summary", key)
        if amount or key in (_CASH, _WORTH):
            share = added_up(cash, _SHARE) if key == _CASH else None
            yield {"name": name, _VALUE: amount, _SHARE: share}
    accounts = _entries(page, "accounts")
    for each in accounts if len(accounts) > 1 else ():
        if each.get(_VALUE):
            yield {**each, "name": f"in {each['name'] or 'no account'}"}


def _checks(page: object, held: Sequence[Entry], cash: Sequence[Entry]) -> Iterator[Check]:
    """Yield whether it is complete, and adds up."""
    if has_error := at(page, "hasError") is not False:
        yield Check("complete", None, "incomplete: Ghostfolio lacks a price or a rate of something")
    sums = {key: added_up([at(page, "summary")], key) for key in _SUMS}
    whole = added_up(held, _VALUE) + sums[_CASH] + sums[_LEFT_OUT] - sums[_OWED]
    shares = added_up([*held, *cash], _SHARE)
    off = {
        "rows and cash sum to net worth": abs(whole - sums[_WORTH]) > _CENT,
        "shares sum to 100 %": abs(shares - 1) > _PART,
    }
    for said, is_off in off.items():
        yield Check(said, not is_off, f"not so: {said}" if is_off else said, is_hard=not has_error)


ACTION = ShowPortfolio()
