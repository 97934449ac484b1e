"""Adds up amounts, each currency by itself, and picks what fits a budget; exactly, for any pack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, Inexact, localcontext
from functools import reduce
from typing import NamedTuple

from ..core.money import Money, totals
from ..core.tables import Price, currencies, money_in

FROM, UP_TO = "from", "up to"  # the bases of a sum to which more may be added, and of what that leaves
_EXACT = Context(prec=60, traps=[Inexact])  # where Python's own would round, and say nothing


def added(amounts: Sequence[Money | Price]) -> list[Money | Price]:
    """Return the sum of each currency; that of one to which more may be added is at least so much."""
    open_ended = {each.money.currency for each in amounts if isinstance(each, Price)}
    sums = totals(filter(None, map(money_in, amounts)))
    return [Price(each, FROM) if each.currency in open_ended else each for each in sums]


def less(amount: Money, other: Money) -> Money:
    """Return *amount* less *other*, which is in the same currency."""
    return totals([amount, other._replace(amount=-other.amount)])[0]


class Choice(NamedTuple):
    """One of several things, of which one is wanted."""

    cost: Money
    worth: Decimal | None = None  # the more the better; None, which is least, where that is not known


class _Part(NamedTuple):
    """Choices for some of the wants, one each."""

    cost: Decimal
    worth: Decimal
    places: tuple[int, ...]  # in their wants


def best(wants: Sequence[Sequence[Choice]], budget: Money | None = None) -> list[int]:
    """Return the place of one choice of each of *wants*: together within *budget*, and worth most.

    It is exact: no other combination is better. Where none is within it, the cheapest. Of those worth as
    much the cheaper ones count, of those that cost as much the first. All are in one currency, that of the
    budget if that can be; if none will do, each is picked by itself, in the one most of its choices have.
    """
    currency = _shared(wants, budget)
    if not currency:
        alone = [(want, currencies(choice.cost for choice in want)[0]) for want in wants]
        return [place for want, own in alone for place in _best([want], own, None)]
    return _best(wants, currency, budget.amount if budget and budget.currency == currency else None)


def _best(wants: Sequence[Sequence[Choice]], currency: str, most: Decimal | None) -> list[int]:
    """Return the place of the best of each of *wants* in that *currency*. most: what they may cost."""
    # One whose worth is known is worth more than any sum of others, so those of which it is not come last.
    known = 1 + 2 * sum(abs(choice.worth) for want in wants for choice in want if choice.worth is not None)
    with localcontext(_EXACT):
        front = reduce(_joined, [_front(_parts(want, currency, Decimal(known))) for want in wants])
    # The cheapest stand first, and so the best last.
    fitting = [part for part in front if most is None or part.cost <= most]
    return list((fitting[-1] if fitting else front[0]).places)


def _parts(want: Sequence[Choice], currency: str, known: Decimal) -> list[_Part]:
    """Return each choice in that *currency* as a part by itself. known: what is added to a known worth."""
    return [
        _Part(cost.amount, Decimal(0) if worth is None else worth + known, (place,))
        for place, (cost, worth) in enumerate(want)
        if cost.currency == currency
    ]


def _front(parts: Iterable[_Part]) -> list[_Part]:
    """Return those of *parts* than which no other is as cheap and as good, the cheapest first."""
    front: list[_Part] = []
    for part in sorted(parts, key=lambda part: (part.cost, -part.worth, part.places)):
        if not front or part.worth > front[-1].worth:
            front.append(part)
    return front


def _joined(some: list[_Part], others: list[_Part]) -> list[_Part]:
    return _front(
        _Part(one.cost + other.cost, one.worth + other.worth, one.places + other.places)
        for one in some
        for other in others
    )


def _shared(wants: Sequence[Sequence[Choice]], budget: Money | None) -> str:
    """Return the currency in which each of *wants* can be had; empty: there is none."""
    each_in = [{choice.cost.currency for choice in want} for want in wants]
    shared = set.intersection(*each_in)
    if budget and budget.currency in shared:
        return budget.currency
    by_count = currencies(choice.cost for want in wants for choice in want)
    return next((currency for currency in by_count if currency in shared), "")
