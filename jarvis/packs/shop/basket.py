"""Picks one offer for each thing that is wanted, so that together they fit a budget.

It is exact: no other combination is better. Of each want only those offers are looked at for which no other
costs as little and is as good. The wants are then joined in two halves, and a pass over both finds the best.
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
        return tuple(_best([_in(want, _commonest(want))], rule, None, tax)[0] for want in wanted)
    most = budget.amount if budget and budget.currency == currency else None
    return tuple(_best([_in(want, currency) for want in wanted], rule, most, tax))


def _best(wants: Sequence[Sequence[Priced]], rule: str, most: Decimal | None, tax: Tax) -> list[Priced]:
    """Return the best of each of *wants*, all of which are in one currency. most: what they may cost."""
    worths = [_worths(want, rule) for want in wants]
    with localcontext(_EXACT):
        fronts = _fronts(wants, worths, tax)
        middle = (len(fronts) + 1) // 2
        left, right = (
            reduce(_joined, half, [_Part(Decimal(0), Decimal(0), ())])
            for half in (fronts[:middle], fronts[middle:])
        )
        found = _fitting(left, right, most) or _together(left[0], right[0])
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
    return _front([_together(one, other) for one in some for other in others])


def _together(one: _Part, other: _Part) -> _Part:
    return _Part(one.cost + other.cost, one.worth + other.worth, one.places + other.places)


def _fitting(left: list[_Part], right: list[_Part], most: Decimal | None) -> _Part | None:
    """Return the best pair that costs at most so much; None where all cost more."""
    found, at = None, len(right) - 1
    for one in left:
        while at >= 0 and most is not None and one.cost + right[at].cost > most:
            at -= 1
        if at < 0:
            break
        # The dearest that still fits is the best that does.
        pair = _together(one, right[at])
        if found is None or _order(pair) < _order(found):
            found = pair
    return found


def _order(part: _Part) -> tuple[Decimal, Decimal, tuple[int, ...]]:
    return -part.worth, part.cost, part.places


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


def _commonest(want: Sequence[Priced]) -> str:
    return currencies(offer.price for offer in want)[0]


def _in(want: Sequence[Priced], currency: str) -> list[Priced]:
    return [offer for offer in want if offer.price.currency == currency]
