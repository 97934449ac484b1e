"""The best combination under a budget: held against all combinations there are."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal

import pytest

from jarvis.core.tables import BEST_RATED, Rating
from jarvis.packs.shop.offers import Tax
from jarvis.packs.shop.receipt import CHEAPEST, choices
from jarvis.packs.sums import Choice, best
from tests.packs.shop.baskets import money, offer, offers


def the_best(wants, budget):
    """The places of the best of all combinations: most of known worth, worth most, cheapest, first."""

    def order(places):
        picked = [want[place] for want, place in zip(wants, places, strict=True)]
        cost, known = sum(cost for cost, _ in picked), [worth for _, worth in picked if worth is not None]
        over = budget is not None and cost > budget
        return over, cost if over else 0, len(picked) - len(known), -sum(known), cost, places

    return list(min(itertools.product(*(range(len(want)) for want in wants)), key=order))


def test_it_is_the_best_of_all_combinations_and_where_nothing_fits_the_cheapest():
    fitted = 0
    for seed in range(100):
        chance = random.Random(seed)
        wants = [
            [(chance.choice([chance.randint(1, 400), 99]), chance.choice([None, chance.randint(1, 5)]))]
            * chance.randint(1, 2)
            + [(chance.randint(1, 400), chance.randint(1, 5)) for _ in range(chance.randint(0, 5))]
            for _ in range(chance.randint(1, 4))
        ]
        budget = chance.choice([None, chance.randint(1, 300 * len(wants))])
        offered = [
            [Choice(money(cost), None if worth is None else Decimal(worth)) for cost, worth in want]
            for want in wants
        ]

        picked = best(offered, None if budget is None else money(budget))

        assert picked == the_best(wants, budget)
        costs = [want[place][0] for want, place in zip(wants, picked, strict=True)]
        fitted += budget is not None and sum(costs) <= budget
    assert 10 < fitted < 90


def test_what_an_offer_costs_is_delivered_and_taxed_and_its_worth_counts_how_many_rated():
    few, many, bad = (
        Rating(Decimal(value), raters) for value, raters in (("4.6", 1), ("4.5", 900), ("1", 900))
    )
    rated = (offer(1, 1_000, 599, rating=few), offer(2, 2_000, None, rating=many), offer(3, 100, rating=bad))
    want = offers(*rated, offer(4, 3_000))

    by_rating = choices(want, BEST_RATED, Tax(is_apart=True, rate=Decimal("8.25")))
    by_cost = choices(want, CHEAPEST, Tax())

    assert [choice.cost for choice in by_rating] == [money(1_682), money(2_165), money(108), money(3_248)]
    of_few, of_many, of_bad, unrated = (choice.worth for choice in by_rating)
    assert unrated is None
    assert of_many > of_few > of_bad
    assert {choice.worth for choice in by_cost} == {None}
    assert by_cost[1].cost == money(2_000)


@pytest.mark.parametrize(
    ("currencies", "budget", "picked"),
    [
        ((("EUR", "USD"), ("EUR", "USD")), "USD", [1, 1]),  # that of the budget
        ((("EUR", "USD"), ("EUR", "USD")), "JPY", [0, 0]),  # the first of those that both have
        ((("EUR", "USD", "USD"), ("EUR",)), "USD", [0, 0]),
        ((("JPY", "JPY", "USD"), ("EUR",)), "USD", [0, 0]),  # none that both have: the first of each
    ],
)
def test_all_are_in_one_currency_where_that_can_be(currencies, budget, picked):
    wants = [[Choice(money(500, each)) for each in want] for want in currencies]

    assert best(wants, money(100_000, budget)) == picked
