"""What may be wrong with offers that are added up is told: another thing, what is not known."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jarvis.packs.shop.offers import NO_TAX, Tax
from jarvis.packs.shop.receipt import checks_of, total_of, words_missing
from jarvis.packs.sums import within_budget
from tests.packs.shop.baskets import money, offer, offers

ROWS = (offer(1, 15_900, state="used"), offer(2, 6_999, 599), offer(3, 2_499, None, store=None))


def checked(*rows, quantities=(), budget=None, tax=NO_TAX):
    """What was looked at in a receipt of *rows*: whether it is met, what was said, whether it counts."""
    lines = [each._replace(quantity=(*quantities, *[1] * 9)[at]) for at, each in enumerate(offers(*rows))]
    checks = (*within_budget(total_of(lines, tax), budget), *checks_of(lines, tax))
    return {check.name: (check.is_met, check.said, check.is_hard) for check in checks}


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
            (None, "amounts in USD and EUR are not added up"),
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
        ({"quantities": (1, 2)}, "delivery", (None, "delivery may be more for several")),
        ({"tax": Tax(is_apart=True)}, "tax", (None, "tax not known")),
        ({"tax": Tax(is_apart=True, rate=Decimal(8))}, "tax", (True, "tax by your rate")),
        ({}, "tax", (None, "tax as the shops have it in their prices")),
    ],
)
def test_several_may_not_come_in_one_parcel_and_tax_is_told(how, name, told):
    assert checked(*ROWS[:2], **how)[name] == (*told, True)


def test_what_may_be_another_model_is_marked():
    told = checked(offer(2, 900, query="Galaxy S24 FE 128GB", product="Case for S24"))

    assert told["model"] == (False, "128GB not in the name of “Case for S24”", False)


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
