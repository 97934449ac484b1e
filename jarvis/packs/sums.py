"""Adds up amounts by currency, picks things that fit a budget, and checks a sum against it, for any pack."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple

from ..core.money import Money, totals
from ..core.tables import Check, currencies

FROM, UP_TO = "from", "up to"  # the bases of a sum to which more may be added, and of what that leaves
BUDGET, LEFT, OVER = "budget", "left", "over the budget"  # what rows below a sum are


def sum_by_currency(amounts: Sequence[Money]) -> list[Money]:
    """Return the sum of each currency, marked with FROM if more may be added."""
    open_ended = {each.currency for each in amounts if each.basis}
    return [each._replace(basis=FROM if each.currency in open_ended else "") for each in totals(amounts)]


def less(amount: Money, other: Money) -> Money:
    """Return *amount* less *other*, which is in the same currency."""
    return totals([amount, other._replace(amount=-other.amount)])[0]


class Choice(NamedTuple):
    """One of several things to choose from."""

    cost: Money
    worth: Decimal | None = None  # the more the better, None (the least) if unknown


def best(wants: Sequence[Sequence[Choice]], budget: Money | None = None) -> list[int]:
    """Return the place of one choice of each of *wants*: together within *budget*, and worth most.

    It compares all combinations: a list of 40 for four wants has 10,000. If nothing fits the budget, the
    cheapest wins. At equal worth the cheaper one wins, and at equal cost the first. All are in one currency,
    the most common one. If a want has nothing in it, the first of each is taken.
    """
    currency, *_ = currencies(choice.cost for want in wants for choice in want)
    most = budget.amount if budget and budget.currency == currency else None
    found = product(*([n for n, each in enumerate(want) if each.cost.currency == currency] for want in wants))
    return list(min(found, key=lambda places: _sort_key(wants, places, most), default=[0] * len(wants)))


def _sort_key(wants: Sequence[Sequence[Choice]], places: Iterable[int], most: Decimal | None) -> Any:
    """Return the sort key of a combination. Lower is better."""
    choices = [want[place] for want, place in zip(wants, places, strict=True)]
    worths = [choice.worth for choice in choices if choice.worth is not None]
    cost = sum((choice.cost.amount for choice in choices), Decimal(0))
    is_over = most is not None and cost > most
    over = cost if is_over else Decimal(0)
    return is_over, over, len(choices) - len(worths), -sum(worths, Decimal(0)), cost


# What is to be said of a sum.


def left_of(total: Sequence[Money], budget: Money | None) -> Iterator[tuple[str, Money]]:
    """Yield the *budget*, and the amount left of it or over it, if *total* is in its currency."""
    if budget and [money.currency for money in total] == [budget.currency]:
        is_over, left = total[0].amount > budget.amount, less(budget, total[0])
        basis = (FROM if is_over else UP_TO) if total[0].basis else ""
        yield BUDGET, budget
        yield OVER if is_over else LEFT, Money(abs(left.amount), left.currency, basis)


def within_budget(total: Sequence[Money], budget: Money | None) -> Iterator[Check]:
    """Yield whether *total*, an amount for each currency, is within *budget*, if there is one."""
    codes = " and ".join(money.currency for money in total)
    if len(total) > 1:
        yield Check("currency", None, f"amounts in {codes} are not added up")
    elif budget and codes != budget.currency:
        yield Check("budget", None, f"in {codes}, so not held against {budget.formatted}")
    elif budget and (over := less(total[0], budget)).amount > 0:
        at_least = "at least " if total[0].basis else ""
        yield Check("budget", is_met=False, finding=f"over {budget.formatted} by {at_least}{over.formatted}")
    elif budget and total[0].basis:
        yield Check("budget", None, f"within {budget.formatted}, before delivery")
    elif budget:
        yield Check("budget", is_met=True, finding=f"within {budget.formatted}")
