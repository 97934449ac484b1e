"""What may be wrong with offers that are added up is told: another thing, an old price, what is not known."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from jarvis.packs.shop.offers import NO_TAX, Tax
from jarvis.packs.shop.receipt import checks_of, is_far_below, sums_of, words_missing
from jarvis.packs.sums import seen_check, within_budget
from tests.packs.shop.baskets import SEEN_AT, money, offer, offers

ROWS = (offer(1, 15_900, state="used"), offer(2, 6_999, 599), offer(3, 2_499, None, store=None))


def checked(*rows, quantities=(), past=timedelta(0), budget=None, tax=NO_TAX, among=()):
    """What was looked at in a receipt of *rows*: whether it is met, what was said, whether it counts."""
    lines = [each._replace(quantity=(*quantities, *[1] * 9)[at]) for at, each in enumerate(offers(*rows))]
    known = offers(*(among or rows))
    now = datetime.fromisoformat(SEEN_AT) + past
    total = sums_of(lines, tax).total
    checks = (seen_check(SEEN_AT, now), *within_budget(total, budget), *checks_of(lines, tax, known))
    return {check.name: (check.is_met, check.said, check.is_hard) for check in checks}


@pytest.mark.parametrize(
    ("past", "is_met", "told"),
    [
        (timedelta(seconds=30), True, "seen now"),
        (timedelta(minutes=14), True, "seen 14 min ago"),
        (timedelta(hours=5, minutes=3), False, "seen 5 h ago"),
        (timedelta(days=7), False, "seen 7 days ago"),
        (timedelta(seconds=-5), True, "seen now"),  # the clock was set back
    ],
)
def test_what_was_seen_long_ago_is_marked(past, is_met, told):
    assert checked(ROWS[0], past=past)["seen"] == (is_met, told, False)


@pytest.mark.parametrize(
    ("rows", "budget", "name", "told"),
    [
        (ROWS[:1], money(1_000), "budget", (False, "over $10.00 by $149.00")),
        (ROWS, money(1_000), "budget", (False, "over $10.00 by at least $249.97")),
        (ROWS, money(50_000), "budget", (None, "within $500.00, but for delivery")),
        (ROWS[:1], money(15_900), "budget", (True, "within $159.00")),
        (ROWS[:1], money(100, "EUR"), "budget", (None, "in USD, so not held against €1.00")),
        (
            (ROWS[0], offer(4, 100, currency="EUR")),
            money(100),
            "currency",
            (None, "amounts in USD and EUR are not added up, nor held against the budget"),
        ),
        (ROWS, None, "delivery", (None, "delivery of “Thing 3” unknown")),
        (
            [offer(n, 100, None) for n in range(5)],
            None,
            "delivery",
            (None, "delivery of “Thing 0”, “Thing 1” and 3 more unknown"),
        ),
        (ROWS[:2], None, "delivery", (True, "delivery")),
    ],
)
def test_the_budget_and_what_is_not_known_are_told(rows, budget, name, told):
    assert checked(*rows, budget=budget)[name] == (*told, True)


@pytest.mark.parametrize(
    ("how", "name", "told"),
    [
        ({"quantities": (1, 2)}, "delivery", (None, "delivery of “Thing 2” may be more for several")),
        ({"tax": Tax(is_apart=True)}, "tax", (None, "tax not known")),
        ({"tax": Tax(is_apart=True, rate=Decimal(8))}, "tax", (True, "tax by your rate")),
        ({}, "tax", (None, "tax as the shops have it in their prices")),
    ],
)
def test_several_may_not_come_in_one_parcel_and_tax_is_told(how, name, told):
    assert checked(*ROWS[:2], **how)[name] == (*told, True)


def test_what_may_be_something_else_is_marked():
    rows = [offer(n, 20_000, query="Galaxy S24 FE 128GB", product="S24 FE 128GB") for n in range(6)]
    case = offer(2, 900, query="Galaxy S24 FE 128GB", product="Case for S24")
    told = checked(case, among=[*rows, case])

    assert told["model"] == (False, "128GB not in the name of “Case for S24”", False)
    assert told["price"] == (False, "“Case for S24” far cheaper than the rest: accessory or used?", False)


@pytest.mark.parametrize(
    ("query", "title", "missing"),
    [
        ("samsung galaxy S24 FE 128GB", "Samsung Galaxy S24 Ultra 256GB", ["128GB"]),
        ("WH-1000XM5", "Sony WH1000 XM5 headphones", []),
        ("WH-1000XM5", "Sony WH-1000XM4 headphones", ["WH-1000XM5"]),
        ("iPhone 15", "Apple iPhone 14", ["15"]),
        ('24" monitor', "Dell 24″ monitor", []),
        ("任天堂 Switch 32GB", "任天堂スイッチ本体３２ＧＢ", []),
        ("kettle", "Anything", []),
    ],
)
def test_a_title_has_the_words_for_the_model_that_was_searched_for(query, title, missing):
    assert words_missing(query, title) == missing


@pytest.mark.parametrize(
    ("prices", "is_below"),
    [
        ([399, 1_000, 1_000, 1_000, 1_000], True),
        ([401, 900, 1_105, 1_200], False),  # of so few nothing is usual
        ([400, 500, 900, 1_105, 1_200, 1_300], True),  # the usual price lies between two
        ([401, 500, 900, 1_105, 1_200, 1_300], False),
    ],
)
def test_far_below_is_less_than_two_fifths_of_the_median_of_its_search_and_currency(prices, is_below):
    want = offers(*(offer(n, price, query="mouse") for n, price in enumerate(prices)))
    others = offers(
        *(offer(n, 90_000, query="monitor") for n in range(9)),
        *(offer(n, 90_000, query="mouse", currency="JPY") for n in range(9)),
    )

    assert is_far_below(want[0], [*others, *want]) is is_below
