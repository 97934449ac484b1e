"""The best combination under a budget: held against all combinations there are."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal
from fractions import Fraction

import pytest

from jarvis.core.tables import BEST_RATED
from jarvis.packs.shop.offers import UNKNOWN, Tax
from jarvis.packs.shop.receipt import CHEAPEST, RULES, choices
from jarvis.packs.sums import best
from tests.packs.shop.baskets import money, offer, offers, random_wants

TAX = Tax(is_apart=True, rate=Decimal("8.25"))


def cost(row, rate=0):
    """What *row* costs in the smallest coins."""
    cells = row.cells
    price = int(cells["price"].coded.split()[0].replace(".", ""))
    delivery = cells["delivery"] and int(cells["delivery"].coded.split()[0].replace(".", ""))
    return price + (delivery or 0) + (price * rate + 5_000) // 10_000


def scores(rows):
    """What each of a list is rated, drawn towards their mean by how many rated; None: not rated."""
    rated = [row.cells["rating"] for row in rows]
    known = [each for each in rated if each]
    counts = sorted(each.raters for each in known if each.raters is not None)
    if not counts:
        return [each and Fraction(each.value) for each in rated]
    mean, usual = sum(Fraction(each.value) for each in known) / len(known), max(1, counts[len(counts) // 2])
    drawn = [
        each and (mean * usual + Fraction(each.value) * (each.raters or 0)) / (usual + (each.raters or 0))
        for each in rated
    ]
    return [each if each is None else round(each, 9) for each in drawn]


def by_brute_force(wants, rule, budget, rate=0):
    """The ids of the best of all combinations: the best rated, then the cheapest, then the first."""
    worths = [scores(want) if rule == BEST_RATED else [Fraction(0)] * len(want) for want in wants]

    def order(places):
        rows = [want[place] for want, place in zip(wants, places, strict=True)]
        worth = [each[place] for each, place in zip(worths, places, strict=True)]
        unrated = sum(each is None for each in worth)
        total = sum(cost(row, rate) for row in rows)
        return total, (unrated, -sum(filter(None, worth)), total, places)

    all_of_them = [order(places) for places in itertools.product(*(range(len(want)) for want in wants))]
    fitting = [rank for total, rank in all_of_them if budget is None or total <= budget]
    # Where none fits, the cheapest counts.
    *_, places = min(fitting) if fitting else min((total, rank) for total, rank in all_of_them)[1]
    return [want[place].id for want, place in zip(wants, places, strict=True)]


def picked_of(wants, rule, budget, tax=UNKNOWN):
    """The rows that are picked, one of each of *wants*."""
    places = best([choices(offers(*want), rule, tax) for want in wants], budget)
    return [want[place] for want, place in zip(wants, places, strict=True)]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("tax", [UNKNOWN, TAX], ids=["no tax", "tax"])
def test_it_is_the_best_of_all_combinations(rule, tax):
    fitted = 0
    for seed in range(100):
        chance = random.Random(seed)
        wants = random_wants(chance, chance.randint(1, 4), 6)
        budget = chance.choice([None, chance.randint(1, 30_000 * len(wants))])
        rate = 825 if tax.rate else 0

        picked = picked_of(wants, rule, None if budget is None else money(budget), tax)

        assert [row.id for row in picked] == by_brute_force(wants, rule, budget, rate)
        fitted += budget is not None and sum(cost(row, rate) for row in picked) <= budget
    assert 10 < fitted < 90


def test_where_nothing_fits_it_is_the_cheapest():
    wants = [[offer(1, 900), offer(2, 800)], [offer(3, 500), offer(4, 700)]]

    for rule in RULES:
        assert [row.id for row in picked_of(wants, rule, money(1_000))] == ["o2", "o3"]


@pytest.mark.parametrize(
    ("currencies", "budget", "picked"),
    [
        ((("EUR", "USD"), ("EUR", "USD")), "USD", ["o2", "o4"]),  # that of the budget
        ((("EUR", "USD"), ("EUR", "USD")), "JPY", ["o1", "o3"]),  # the first of those that both have
        ((("EUR", "USD", "USD"), ("EUR",)), "USD", ["o1", "o4"]),
        ((("JPY", "JPY", "USD"), ("EUR",)), "USD", ["o1", "o4"]),  # none that both have: each by itself
    ],
)
def test_all_are_in_one_currency_where_that_can_be(currencies, budget, picked):
    n = itertools.count(1)
    wants = [[offer(next(n), 500, currency=each) for each in want] for want in currencies]

    assert [row.id for row in picked_of(wants, CHEAPEST, money(100_000, budget))] == picked
