"""Show what the person holds: each holding with its value, their cash, and what it all comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...actions import BrainAction, Service
from ...core.money import number_of
from ...core.tables import CHANGE, COST, MONEY, NAME, NUMBER, PERCENT, TEXT, Check, Column, Row
from ...core.text import counted
from ...core.types import UNSOUND, Effect, Facts, Outcome
from ..entries import at, words_at
from . import HOLDING
from .client import MEASURE, Columns, Ghostfolio, added_up, count_of, percent_of, price_of_one, sum_of

_VALUE, _SHARE = "valueInBaseCurrency", "allocationInPercentage"
_CASH, _WORTH = "totalCashInBaseCurrency", "totalValueInBaseCurrency"
# What net worth has besides holdings and cash, where there is any.
_LEFT_OUT, _OWED = "excludedAccountsAndActivities", "liabilitiesInBaseCurrency"
_SUMS = {_CASH: "cash", _LEFT_OUT: "left out of it", _OWED: "liabilities", _WORTH: "net worth"}
_CENT, _PART = Decimal("0.011"), Decimal("0.0005")  # how far sums and shares may be off, by rounding


class ShowPortfolio(BrainAction):
    name = "show_portfolio"
    verb = "show the portfolio"
    description = (
        "show what they hold of stocks, funds and cash, each with value and gain, and the net worth."
    )
    services = (Service("ghostfolio", Ghostfolio),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        return Effect("reads", "")

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        page, currency, is_fresh = await ghostfolio.figures("v1/portfolio/details", "max")
        has_error = at(page, "hasError") is not False
        held = [each for each in _entries(page, "holdings") if not _is_cash(each)]
        if not held:
            await ghostfolio.refuse_unready()
            return Outcome("done", "There are no holdings in your portfolio.")
        if has_error:
            held = [*map(_priced, held)]
        held.sort(key=lambda each: number_of(at(each, _VALUE)) or 0, reverse=True)
        note = f"Gains are {MEASURE}, since each was bought"
        table = ghostfolio.table(HOLDING, _columns(currency), held, note)
        checks = (*is_fresh, *_checks(page, held, has_error=has_error))
        table = table._replace(foot=tuple(_foot(page, currency)), checks=checks)
        if any(check.is_hard and check.is_met is False for check in checks):
            told = "The figures of Ghostfolio do not add up."
            return Outcome("failed", told, code=UNSOUND, exit_status=1, table=table)
        return Outcome("done", f"Listed {counted(len(held), 'holdings')}.", table=table)


def _columns(currency: str) -> Columns:
    return {
        Column("symbol", "symbol", TEXT, 0, NAME): lambda each: words_at(each, "assetProfile", "symbol"),
        Column("name", "name", TEXT, 1, NAME): lambda each: words_at(each, "assetProfile", "name"),
        Column("quantity", "quantity", NUMBER, 3): lambda each: count_of(at(each, "quantity")),
        Column("price", "price", MONEY, 4): lambda each: price_of_one(
            at(each, "marketPrice"), words_at(each, "assetProfile", "currency")
        ),
        Column("value", "value", MONEY, 0, COST): lambda each: sum_of(at(each, _VALUE), currency),
        Column("share", "share", PERCENT, 2): lambda each: percent_of(at(each, _SHARE)),
        Column("gain", "gain", PERCENT, 0, CHANGE): lambda each: percent_of(
            at(each, "netPerformancePercentWithCurrencyEffect")
        ),
    }


def _entries(page: object, key: str) -> list[object]:
    """Return what stands under *key* by its ids."""
    entries = at(page, key)
    return [*entries.values()] if isinstance(entries, Mapping) else []


def _is_cash(entry: object) -> bool:
    return at(entry, "assetProfile", "assetSubClass") == "CASH"


def _priced(entry: object) -> object:
    """Return what is known of a holding: where there is no price, Ghostfolio says 0."""
    known = {key: at(entry, key) for key in ("assetProfile", "quantity")}
    return entry if number_of(at(entry, _VALUE)) else known


def _foot(page: object, currency: str) -> Iterator[Row]:
    """Yield what stands below the holdings: cash, what else counts, the net worth, and where that is."""
    summary, accounts = at(page, "summary"), _entries(page, "accounts")
    worth = number_of(at(summary, _WORTH))
    for key, name in _SUMS.items():
        number = number_of(at(summary, key))
        if number or key in (_CASH, _WORTH):
            share = number / worth if number is not None and worth and key == _CASH else None
            cells = {"value": sum_of(at(summary, key), currency), "share": share and round(share * 100, 1)}
            yield Row("", {"name": name, **cells})
    for each in accounts if len(accounts) > 1 else ():
        if number_of(at(each, _VALUE)):
            name = f"in {words_at(each, 'name') or 'no account'}"
            yield Row("", {"name": name, "value": sum_of(at(each, _VALUE), currency)})


def _checks(page: object, held: Sequence[object], *, has_error: bool) -> Iterator[Check]:
    """Yield whether it is complete, and adds up. held: without cash."""
    summary = at(page, "summary")
    if has_error:
        yield Check("complete", None, "incomplete: Ghostfolio lacks a price or a rate of something")
    whole = added_up([at(summary, _CASH), at(summary, _LEFT_OUT), *(at(each, _VALUE) for each in held)])
    worth = number_of(at(summary, _WORTH))
    off = {
        "rows and cash sum to net worth": worth is None
        or abs(whole - added_up([at(summary, _OWED)]) - worth) > _CENT,
        "shares sum to 100 %": abs(added_up(at(each, _SHARE) for each in _entries(page, "holdings")) - 1)
        > _PART,
    }
    for said, is_off in off.items():
        yield Check(said, not is_off, f"not so: {said}" if is_off else said, is_hard=not has_error)


ACTION = ShowPortfolio()
