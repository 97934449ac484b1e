"""What a receipt says, held against sums of whole coins."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from jarvis.core.table_records import kept_record_of, table_in
from jarvis.core.tables import Price, money_in
from jarvis.packs.shop.checks import Line
from jarvis.packs.shop.priced import UNKNOWN, Tax, tax_in
from jarvis.packs.shop.receipt import receipt_of
from tests.packs.shop.baskets import DIGITS, money, offer, offers

US = Tax(is_apart=True)


def coins(cell):
    """How many of the smallest coins *cell* is, by what programs are told; None: it is not known."""
    amount = money_in(cell)
    return amount and int(amount.coded.split()[0].replace(".", ""))


def foot(receipt):
    """The foot's rows, each with its name, its coins, and what these are."""
    cells = [(row.cells["item"], row.cells["total"]) for row in receipt.foot]
    return [(name, coins(cell), cell.basis if isinstance(cell, Price) else "") for name, cell in cells]


def expected(lines, budget, tenths_of_percent):
    """The foot that *lines* of (coins, delivery, quantity) should have."""
    is_open = any(delivery is None or (quantity > 1 and delivery) for _, delivery, quantity in lines)
    start, rest = ("from", "up to") if is_open else ("", "")
    total = sum(price * quantity + (delivery or 0) for price, delivery, quantity in lines)
    rows = [("total, without tax", total, start)]
    if tenths_of_percent is not None:
        tax = sum((2 * price * quantity * tenths_of_percent + 1_000) // 2_000 for price, _, quantity in lines)
        percent = str(tenths_of_percent / 10).removesuffix(".0")
        total += tax
        rows += [(f"tax of {percent} %", tax, ""), ("total", total, start)]
    if budget is not None:
        over = total > budget
        amount = ("over the budget", total - budget, start) if over else ("left", budget - total, rest)
        rows += [("budget", budget, ""), amount]
    return rows


@pytest.mark.slow
def test_its_sums_are_those_of_whole_coins():
    chance = random.Random(13)
    for seed in range(1_000):
        currency = list(DIGITS)[seed % len(DIGITS)]
        lines = [
            (chance.choice([chance.randint(1, 10**7), 99, 10**14]), chance.choice([0, None, 599]), quantity)
            for quantity in chance.choices([1, 1, 1, 2, 7], k=chance.randint(1, 8))
        ]
        budget = chance.choice([None, chance.randint(1, 10**7), 10**16])
        rate = chance.choice([None, 0, 82, 190])
        rows = [offer(n, price, sent, currency=currency) for n, (price, sent, _) in enumerate(lines)]
        tax = Tax(is_apart=True, rate=None if rate is None else Decimal(rate) / 10)
        most = None if budget is None else money(budget, currency)

        each_of = [Line(each, line[2]) for each, line in zip(offers(*rows), lines, strict=True)]
        receipt = receipt_of(each_of, most, tax)

        assert foot(receipt) == expected(lines, budget, rate)
        for row, (price, delivery, quantity) in zip(receipt.rows, lines, strict=True):
            assert coins(row.cells["total"]) == price * quantity + (delivery or 0)
            assert coins(row.cells["delivery"]) == delivery


def test_a_budget_in_another_currency_is_not_held_against():
    rows = [offer(1, 500)]
    budget = money(100, "EUR")
    receipt = receipt_of([Line(each) for each in offers(*rows)], budget)

    assert foot(receipt) == [("total", 500, "")]


@pytest.mark.parametrize(
    ("country", "rate", "tax", "name"),
    [
        ("us", None, US, "total, without tax"),
        ("US", Decimal("8.25"), Tax(is_apart=True, rate=Decimal("8.25")), "total, without tax"),
        ("de", Decimal(19), Tax(is_apart=False), "total"),  # it stands in the prices already
        ("", None, UNKNOWN, "total"),
        ("br", Decimal(5), Tax(is_apart=True, rate=Decimal(5)), "total, without tax"),
    ],
)
def test_tax_is_the_persons_rate_or_unknown(country, rate, tax, name):
    assert tax_in(country, rate) == tax
    assert foot(receipt_of([Line(*offers(offer(1, 500)))], None, tax))[0][0] == name


def test_kept_and_read_again_it_is_the_same_receipt():
    rows = [offer(1, 500, None, state="used"), offer(2, 300)]
    budget = money(10_000)
    receipt = receipt_of([Line(each, 2) for each in offers(*rows)], budget, US)

    assert foot(table_in(kept_record_of(receipt))) == foot(receipt)
