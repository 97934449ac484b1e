"""Checks of what was added up, for any pack: when its prices were seen, and whether it is within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from ..core.money import Money
from ..core.tables import Check, Price, money_in
from .sums import less

_NOW, _HOUR, _DAY = 120, 3600, 86_400  # seconds; after an hour a price is to be looked up again


def seen_check(at: str, now: datetime) -> Check:
    """Return whether what was seen *at* that time, as ISO 8601 writes it, was seen lately."""
    try:
        seconds = (now - datetime.fromisoformat(at)).total_seconds()
    except (ValueError, TypeError):  # none, or one without a time zone
        return Check("seen", None, "not known when the prices were seen", is_hard=False)
    return Check("seen", seconds <= _HOUR, f"seen {_ago(int(seconds))}", is_hard=False)


def within_budget(total: Sequence[Money | Price], budget: Money | None) -> Iterator[Check]:
    """Yield whether *total*, an amount for each currency, is within *budget*, where there is one."""
    sums = [money for each in total if (money := money_in(each))]
    currencies = [money.currency for money in sums]
    if len(sums) > 1:
        said = f"amounts in {' and '.join(currencies)} are not added up"
        yield Check("currency", None, f"{said}, nor held against the budget" if budget else said)
    elif budget and currencies != [budget.currency]:
        yield Check("budget", None, f"in {''.join(currencies)}, so not held against {budget.told}")
    elif budget:
        yield _within(sums[0], budget, is_whole=isinstance(total[0], Money))


def _within(total: Money, budget: Money, *, is_whole: bool) -> Check:
    over = less(total, budget)
    if over.amount > 0:
        said = f"over {budget.told} by {'' if is_whole else 'at least '}{over.told}"
        return Check("budget", is_met=False, said=said)
    if not is_whole:
        return Check("budget", None, f"within {budget.told}, but for delivery")
    return Check("budget", is_met=True, said=f"within {budget.told}")


def _ago(seconds: int) -> str:
    if seconds < _NOW:
        return "now"
    if seconds < _HOUR:
        return f"{seconds // 60} min ago"
    return f"{seconds // _HOUR} h ago" if seconds < 2 * _DAY else f"{seconds // _DAY} days ago"
