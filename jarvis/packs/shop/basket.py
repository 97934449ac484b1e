"""Picks one offer for each thing that is wanted, so that together they fit a budget.

It is exact: no other combination is better. Of each want, and of those joined so far, only that is looked at
for which nothing else costs as little and is as good.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, Inexact, localcontext
from functools import reduce
from typing import NamedTuple

from ...core.follow_ups import drawn_ratings
from ...core.money import Money
from ...core.tables import BEST_RATED, currencies
from .priced import UNKNOWN, Priced, Tax

CHEAPEST = "cheapest"
RULES = (BEST_RATED, CHEAPEST)  # by which it is picked
_EXACT = Context(prec=60, traps=[Inexact])  # where Python's own would round, and say nothing


class _Part(NamedTuple):
    """Offers of some of the wants, one each."""

    cost: Decimal
    worth: Decimal  # by the rule: the more the better
    places: tuple[int, ...]  # in their wants


def best(
    wants: Sequence[Sequence[Priced]], rule: str, budget: Money | None = None, tax: Tax = UNKNOWN
) -> tuple[Priced, ...]:
    """Return the best offer of each of *wants* that are within *budget* together, by one of RULES.

    Where nothing is, the cheapest. Delivery that is not known counts as nothing. Of equally rated ones the
    cheaper ones count, of equally dear ones the first. All are in one currency, that of the budget if that
    can be; if none will do, each want is picked by itself, and what they cost together can't be told.
    """
    wanted = [want for want in wants if want]
    currency = _shared(wanted, budget)
    if not currency:
        commonest = [currencies(offer.price for offer in want)[0] for want in wanted]
        alone = (_in(want, each) for want, each in zip(wanted, commonest, strict=True))
        return tuple(_best([want], rule, None, tax)[0] for want in alone)
    most = budget.amount if budget and budget.currency == currency else None
    return tuple(_best([_in(want, currency) for want in wanted], rule, most, tax))


def _best(wants: Sequence[Sequence[Priced]], rule: str, most: Decimal | None, tax: Tax) -> list[Priced]:
    """Return the best of each of *wants*, all of which are in one currency. most: what they may cost."""
    worths = [_worths(want, rule) for want in wants]
    with localcontext(_EXACT):
        # The cheapest first, and so the best last.
        front = reduce(_joined, _fronts(wants, worths, tax))
    fitting = [part for part in front if most is None or part.cost <= most]
    found = fitting[-1] if fitting else front[0]
    return [want[place] for want, place in zip(wants, found.places, strict=True)]


def _fronts(
    wants: Sequence[Sequence[Priced]], worths: Sequence[Sequence[Decimal | None]], tax: Tax
) -> list[list[_Part]]:
    """Return what is to be looked at of each of *wants*."""
    # One that is rated is worth more than any sum of ratings, so what has none comes last.
    rated = 1 + 2 * sum(abs(worth) for want in worths for worth in want if worth is not None)
    return [
        _front(
            [
                _Part(_cost(offer, tax), Decimal(0) if worth is None else worth + rated, (place,))
                for place, (offer, worth) in enumerate(zip(want, each, strict=True))
            ]
        )
        for want, each in zip(wants, worths, strict=True)
    ]


def _worths(want: Sequence[Priced], rule: str) -> list[Decimal | None]:
    """Return what each is worth by *rule*, as the list is sorted by it; None: that is not known."""
    return drawn_ratings([offer.rating for offer in want]) if rule == BEST_RATED else [None] * len(want)


def _cost(offer: Priced, tax: Tax) -> Decimal:
    delivery = offer.delivery.amount if offer.delivery else Decimal(0)
    return offer.price.amount + delivery + tax.on(offer.price).amount


def _front(parts: list[_Part]) -> list[_Part]:
    """Return those of *parts* than which no other is as cheap and as good, the cheapest first."""
    parts.sort(key=lambda part: (part.cost, -part.worth, part.places))
    front: list[_Part] = []
    for part in parts:
        if not front or part.worth > front[-1].worth:
            front.append(part)
    return front


def _joined(some: list[_Part], others: list[_Part]) -> list[_Part]:
    return _front(
        [
            _Part(one.cost + other.cost, one.worth + other.worth, one.places + other.places)
            for one in some
            for other in others
        ]
    )


def _shared(wants: Sequence[Sequence[Priced]], budget: Money | None) -> str:
    """Return the currency in which each of *wants* can be had; empty: there is none."""
    shared = [
        currency
        for currency in currencies(offer.price for want in wants for offer in want)
        if all(any(offer.price.currency == currency for offer in want) for want in wants)
    ]
    if budget and budget.currency in shared:
        return budget.currency
    return shared[0] if shared else ""


def _in(want: Sequence[Priced], currency: str) -> list[Priced]:
    return [offer for offer in want if offer.price.currency == currency]
