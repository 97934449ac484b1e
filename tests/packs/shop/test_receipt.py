"""What is added up, what a receipt says of it, held against sums of whole coins, and what is told."""

import asyncio
import itertools
import random
import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from jarvis.actions.fields import Unusable, values
from jarvis.core.errors import Refused
from jarvis.core.events import StepFinished, TableShown
from jarvis.core.tables import BEST_RATED, Rating, money_in
from jarvis.core.types import Facts
from jarvis.packs.shop.offers import NO_TAX, Tax, tax_in
from jarvis.packs.shop.receipt import (
    ACTION,
    CHEAPEST,
    checks_of,
    choices,
    receipt_of,
    total_of,
    words_missing,
)
from jarvis.packs.sums import Choice, best, within_budget
from tests.packs.shop.baskets import found, money, offer, offers
from tests.planned import plan
from tests.twins.shop_pages import listed, shopping

NOW = datetime.now(UTC).isoformat(timespec="seconds")


def rated(value, raters=100):
    return Rating(Decimal(value), raters)


LIST = found(
    offer(1, 15_900, query="monitor", product='24" IPS monitor', rating=rated("4.5")),
    offer(2, 6_999, query="keyboard", product="Mechanical keyboard", rating=rated("4.4")),
    offer(3, 2_499, None, query="mouse", product="Wireless mouse", rating=rated("4.6")),
    offer(4, 25_900, query="monitor", product='32" monitor', rating=rated("4.9")),
    offer(5, 1_299, query="mouse", product="Mouse", rating=rated("3.1")),
    offer(6, 0, query="mouse", product="Mouse, perhaps")._replace(cells={"product": "Mouse, perhaps"}),
    seen_at=NOW,
)
OLDER = found(offer(9, 50_000, query="desk", product="Desk"), seen_at=NOW)


def facts(*tables, **more):
    return Facts({}, country="us", tables=tables, settings={"shop": more})


def planned(known, **arguments):
    """What comes of a plan with these arguments, as the model writes them."""
    effect = ACTION.resolve(values(ACTION, arguments, known), known)
    return effect, asyncio.run(ACTION.perform(effect))


def items(outcome):
    return [row.cells["item"] for row in outcome.table.rows]


def total(outcome, name="total, without tax"):
    return next(row.cells["total"] for row in outcome.table.foot if row.cells["item"] == name)


def test_the_cheapest_are_picked_and_the_tax_is_added_by_their_rate():
    effect, outcome = planned(facts(LIST, tax_rate="10"), rule="cheapest")

    assert effect.formatted == "cheapest of each"
    assert items(outcome) == ['24" IPS monitor', "Mechanical keyboard", "Mouse"]
    assert total(outcome) == money(15_900 + 6_999 + 1_299)
    assert total(outcome, "total") == money(15_900 + 6_999 + 1_299 + 1_590 + 700 + 130)
    assert outcome.text == "Added up 3 offers: $266.18."


def test_what_is_named_is_added_up_as_often_as_it_is():
    effect, outcome = planned(facts(OLDER, LIST), offers="2 of o5, o9", rule="cheapest")

    assert effect.formatted == "2 of o5, o9"
    assert items(outcome) == ["Mouse", "Desk"]
    assert total(outcome) == money(2 * 1_299 + 50_000)
    assert outcome.table.rows[0].cells["quantity"] == Decimal(2)


def test_where_nothing_fits_it_says_by_how_much_the_cheapest_are_over():
    _, outcome = planned(facts(LIST), budget="$100")

    assert (outcome.state, outcome.text) == ("done", "Added up 3 offers: $241.98.")
    assert items(outcome) == ['24" IPS monitor', "Mechanical keyboard", "Mouse"]
    assert total(outcome, "over the budget") == money(14_198)
    assert [check.finding for check in outcome.table.checks if check.is_met is False] == [
        "over $100.00 by $141.98"
    ]


def test_what_may_be_something_else_is_passed_over_and_that_is_told():
    rows = [offer(n, 20_000 + n, query="Switch OLED 64GB", product="Switch OLED 64GB") for n in range(1, 6)]
    case = offer(6, 900, query="Switch OLED 64GB", product="Case for Switch OLED 64GB")
    other = offer(7, 19_000, query="Switch OLED 64GB", product="Switch Lite 32GB")
    _, outcome = planned(facts(found(*rows, case, other, seen_at=NOW)), rule="cheapest")

    assert [row.id for row in outcome.table.rows] == ["o1"]
    assert outcome.table.note == "Passed over 2 offers: another model, or far cheaper than the rest."
    _, outcome = planned(facts(found(*rows, case, other, seen_at=NOW)), offers="o7")
    assert (False, False) in [(check.is_met, check.is_hard) for check in outcome.table.checks]
    assert outcome.state == "done"


def test_what_is_picked_is_not_picked_from_a_receipt():
    known = facts(LIST, planned(facts(LIST), budget="300 USD")[1].table)

    assert items(planned(known, rule="cheapest")[1])[-1] == "Mouse"


def test_what_has_no_price_or_is_of_another_thread_is_refused():
    with pytest.raises(Refused, match="There are no offers to add up"):
        ACTION.resolve({}, facts())
    with pytest.raises(Refused, match="Can't add up o6: it has no price"):
        ACTION.resolve({"offers": ("o6",)}, facts(LIST))
    with pytest.raises(Unusable, match="`o77` is no offer of this thread"):
        planned(facts(LIST), offers="o1 o77")


US = Tax(is_apart=True)


def coins(cell):
    """How many of the smallest coins *cell* is, by what programs are told; None: it is not known."""
    amount = money_in(cell)
    return amount and int(amount.serialized.split()[-2].replace(".", ""))


def foot(receipt):
    """The foot's rows, each with its name, its coins, and what these are."""
    cells = [(row.cells["item"], row.cells["total"]) for row in receipt.foot]
    return [(name, coins(cell), cell.basis) for name, cell in cells]


OVER, LEFT = ("over the budget", 500, ""), ("left", 10**16 - 10**14, "")
TAXED = Tax(is_apart=True, rate=Decimal("8.2"))


@pytest.mark.parametrize(
    ("lines", "currency", "tax", "budget", "rows"),
    [
        ([(500, 0, 1)], "USD", US, None, [("total, without tax", 500, "")]),
        ([(500, None, 1), (99, 599, 1)], "USD", US, None, [("total, without tax", 1_198, "from")]),
        ([(500, 599, 2)], "EUR", NO_TAX, None, [("total", 1_599, "from")]),  # perhaps in two parcels
        ([(500, 0, 7)], "JPY", NO_TAX, 3_000, [("total", 3_500, ""), ("budget", 3_000, ""), OVER]),
        ([(10**14, 0, 1)], "KWD", NO_TAX, 10**16, [("total", 10**14, ""), ("budget", 10**16, ""), LEFT]),
        (
            [(99, 0, 1), (105, None, 2)],
            "USD",
            TAXED,
            400,
            [
                ("total, without tax", 309, "from"),
                ("tax of 8.2 %", 8 + 17, ""),  # of each line, rounded
                ("total", 334, "from"),
                ("budget", 400, ""),
                ("left", 66, "up to"),
            ],
        ),
    ],
)
def test_its_sums_are_those_of_whole_coins(lines, currency, tax, budget, rows):
    found = offers(*(offer(n, price, sent, currency=currency) for n, (price, sent, _) in enumerate(lines)))
    wanted = [each._replace(quantity=line[2]) for each, line in zip(found, lines, strict=True)]

    receipt = receipt_of(wanted, budget and money(budget, currency), tax)

    assert foot(receipt) == rows
    for row, (price, delivery, quantity) in zip(receipt.rows, lines, strict=True):
        assert coins(row.cells["total"]) == price * quantity + (delivery or 0)
        assert coins(row.cells["delivery"]) == delivery


@pytest.mark.parametrize(
    ("country", "rate", "tax"),
    [
        ("US", None, US),
        ("us", Decimal("8.25"), Tax(is_apart=True, rate=Decimal("8.25"))),
        ("br", Decimal(5), Tax(is_apart=True, rate=Decimal(5))),
        ("de", None, NO_TAX),  # it stands in the prices already
    ],
)
def test_tax_is_the_persons_rate_or_unknown(country, rate, tax):
    assert tax_in(country, rate) == tax


GOAL = "a monitor and a mouse under $250 together, the cheapest"
FIND = {"action": "find_products", "queries": "monitor; mouse", "finish": False}


def sells(house):
    house.serpapi.sells(
        google_shopping=[
            shopping(listed(1, "Monitor"), listed(2, "Large monitor", "$199.50")),
            shopping(listed(3, "Mouse", "$19.90", delivery=None), listed(4, "Small mouse", "$29.90")),
        ]
    )


def test_a_receipt_takes_the_place_of_what_was_found_for_it_and_is_planned_anew_if_too_early(house):
    sells(house)
    early, late = (plan("receipt", budget="250 USD", rule="cheapest") for _ in range(2))
    house.model_plans(early, plan(**FIND), late)

    asked = house.ask(GOAL)

    assert asked.steps == [("receipt", "refused"), ("find_products", "done"), ("receipt", "done")]
    assert (asked.status, house.cost) == (("done", 0), (3, 2))
    shown = asked.of(TableShown)
    assert [(each.table.kind, each.first) for each in shown] == [("product", 0), ("receipt", 1)]
    (table,) = asked.summary["tables"]
    assert {row["item"] for row in table["rows"]} == {"Monitor", "Mouse"}
    assert [(row["item"], row["total"]["amount"], row["total"].get("basis")) for row in table["foot"]] == [
        ("total, without tax", "148.90", "from"),
        ("budget", "250.00", None),
        ("left", "101.10", "up to"),
    ]
    checks = {check["name"]: check["ok"] for check in asked.summary["result"]["checks"]}
    assert checks == {"budget": None, "delivery": None, "tax": None}


def test_the_lines_of_the_first_lists_are_found_again_however_often_they_are_added_up_anew(house):
    sells(house)
    house.model_plans(plan(**FIND), plan("receipt", rule="cheapest"))
    house.ask(GOAL)
    before = house.cost

    for n, chosen in enumerate(("2 of o2, o3", "o1 o4", "o2 o4", "o1 o3"), 1):
        house.model_plans(plan("receipt", offers=chosen))
        asked = house.ask("rather another one of them, 2 of it")
        (table,) = asked.summary["tables"]
        assert (asked.status, [row["id"] for row in table["rows"]]) == (
            ("done", 0),
            re.findall(r"o\d", chosen),
        )
        told = [event.outcome.value for event in asked.of(StepFinished)]
        assert n > 1 or told == ["2 of line 2, o3"]  # which is not listed any more
        assert house.cost == (before[0] + n, before[1])


# The best combination under a budget, held against all combinations there are.


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


def test_what_it_costs_is_delivered_and_taxed_and_its_worth_counts_how_many_rated():
    few, many, bad = rated("4.6", 1), rated("4.5", 900), rated("1", 900)
    want = offers(
        offer(1, 1_000, 599, rating=few), offer(2, 2_000, None, rating=many), offer(3, 100, rating=bad)
    )

    of_few, of_many, of_bad = choices(want, BEST_RATED, TAXED)

    assert [each.cost for each in (of_few, of_many, of_bad)] == [money(1_681), money(2_164), money(108)]
    assert of_many.worth > of_few.worth > of_bad.worth
    assert {choice.worth for choice in choices(want, CHEAPEST, NO_TAX)} == {None}


@pytest.mark.parametrize(
    ("currencies", "budget", "picked"),
    [
        ((("EUR", "USD"), ("USD", "EUR", "USD")), "EUR", [1, 0]),  # that of most, whatever the budget's
        ((("USD", "JPY", "JPY"), ("EUR",)), "USD", [0, 0]),  # one has it not: the first of each
    ],
)
def test_all_are_in_one_currency_where_that_can_be(currencies, budget, picked):
    wants = [[Choice(money(500, each)) for each in want] for want in currencies]

    assert best(wants, money(100_000, budget)) == picked


# What may be wrong with offers that are added up is told: another thing, what is not known.

USED, SENT, UNSENT = offer(1, 15_900, state="used"), offer(2, 6_999, 599), offer(3, 2_499, None, store=None)
ALL = (USED, SENT, UNSENT)
MANY = [offer(n, 100, None) for n in range(5)]
CASE = offer(2, 900, query="Galaxy S24 FE 128GB", product="Case for S24")


@pytest.mark.parametrize(
    ("rows", "how", "name", "told"),
    [
        ([USED], {"budget": money(1_000)}, "budget", (False, "over $10.00 by $149.00")),
        (ALL, {"budget": money(1_000)}, "budget", (False, "over $10.00 by at least $249.97")),
        (ALL, {"budget": money(50_000)}, "budget", (None, "within $500.00, before delivery")),
        ([USED], {"budget": money(15_900)}, "budget", (True, "within $159.00")),
        ([USED], {"budget": money(1, "EUR")}, "budget", (None, "in USD, so not held against €0.01")),
        (
            (USED, offer(4, 100, currency="EUR")),
            {"budget": money(100)},
            "currency",
            (None, "amounts in USD and EUR are not added up"),
        ),
        (ALL, {}, "delivery", (None, "delivery of “Thing 3” unknown")),
        (MANY, {}, "delivery", (None, "delivery of “Thing 0”, “Thing 1” and 3 more unknown")),
        ([USED, SENT], {}, "delivery", (True, "delivery")),
        ([USED, SENT], {"quantities": (1, 2)}, "delivery", (None, "delivery may be more for several")),
        ([USED], {"tax": US}, "tax", (None, "tax not known")),
        ([USED], {"tax": TAXED}, "tax", (True, "tax by your rate")),
        ([USED], {}, "tax", (None, "tax as the shops have it in their prices")),
        ([CASE], {}, "model", (False, "128GB not in the name of “Case for S24”")),
    ],
)
def test_the_budget_and_what_is_doubtful_or_not_known_are_told(rows, how, name, told):
    budget, tax, quantities = how.get("budget"), how.get("tax", NO_TAX), how.get("quantities", (1,) * 9)
    lines = [each._replace(quantity=quantities[at]) for at, each in enumerate(offers(*rows))]

    checks = {
        check.name: check for check in (*within_budget(total_of(lines, tax), budget), *checks_of(lines, tax))
    }

    assert checks[name][1:] == (*told, name != "model")


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
