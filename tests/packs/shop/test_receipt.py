"""The action that adds up: what a plan for it does, and what comes of it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from jarvis.actions.kinds import Unusable, values
from jarvis.core.errors import Refused
from jarvis.core.tables import Price, Rating
from jarvis.core.types import Facts
from jarvis.packs.shop.receipt import ACTION
from tests.packs.shop.baskets import found, money, offer

NOW = datetime.now(UTC).isoformat(timespec="seconds")

WHY = "it has no price, or is in no list at hand."


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
    effect = ACTION.resolve(values(ACTION, arguments, "", known), known)
    return effect, asyncio.run(ACTION.perform(effect))


def items(outcome):
    return [row.cells["item"] for row in outcome.table.rows]


def total(outcome, name="total, without tax"):
    return next(row.cells["total"] for row in outcome.table.foot if row.cells["item"] == name)


def test_the_best_rated_that_fit_are_picked():
    effect, outcome = planned(facts(OLDER, LIST), budget="300 USD")

    assert (effect.kind, effect.told) == ("reads", "best rated that fit $300.00 together")
    assert items(outcome) == ['24" IPS monitor', "Mechanical keyboard", "Wireless mouse"]
    assert [row.id for row in outcome.table.rows] == ["o1", "o2", "o3"]
    assert total(outcome) == Price(money(25_398), "from")
    assert total(outcome, "left") == Price(money(4_602), "up to")
    assert (outcome.state, outcome.text) == ("done", "Added up 3 offers: from $253.98.")
    assert outcome.value == "best rated that fit $300.00 together"


def test_the_cheapest_are_picked_and_the_tax_is_added_by_their_rate():
    effect, outcome = planned(facts(LIST, tax_rate="10"), rule="cheapest")

    assert effect.told == "cheapest of each"
    assert items(outcome) == ['24" IPS monitor', "Mechanical keyboard", "Mouse"]
    assert total(outcome) == money(15_900 + 6_999 + 1_299)
    assert total(outcome, "total") == money(15_900 + 6_999 + 1_299 + 1_590 + 700 + 130)
    assert outcome.text == "Added up 3 offers: $266.18."


def test_what_is_named_is_added_up_as_often_as_it_is():
    effect, outcome = planned(facts(OLDER, LIST), offers="2 of o5, o9", rule="cheapest")

    assert effect.told == "2 of o5, o9"
    assert items(outcome) == ["Mouse", "Desk"]
    assert total(outcome) == money(2 * 1_299 + 50_000)
    assert outcome.table.rows[0].cells["quantity"] == Decimal(2)


def test_where_nothing_fits_it_says_by_how_much_the_cheapest_are_over():
    _, outcome = planned(facts(LIST), budget="$100")

    assert (outcome.state, outcome.text) == ("done", "Added up 3 offers: $241.98.")
    assert items(outcome) == ['24" IPS monitor', "Mechanical keyboard", "Mouse"]
    assert total(outcome, "over the budget") == money(14_198)
    assert [check.said for check in outcome.table.checks if check.is_met is False] == [
        "over $100.00 by $141.98"
    ]


def test_what_may_be_something_else_is_passed_over_and_that_is_told():
    rows = [offer(n, 20_000 + n, query="Switch OLED 64GB", product="Switch OLED 64GB") for n in range(1, 6)]
    case = offer(6, 900, query="Switch OLED 64GB", product="Case for Switch OLED 64GB")
    other = offer(7, 19_000, query="Switch OLED 64GB", product="Switch Lite 32GB")
    _, outcome = planned(facts(found(*rows, case, other, seen_at=NOW)), rule="cheapest")

    assert [row.id for row in outcome.table.rows] == ["o1"]
    assert outcome.table.note == "Passed over 2 offers: another model, or far cheaper than the rest."
    _, outcome = planned(facts(found(*rows, case, other, seen_at=NOW)), offers="o6")
    assert (False, False) in [(check.is_met, check.is_hard) for check in outcome.table.checks]
    assert outcome.state == "done"


def test_what_is_picked_is_not_picked_from_a_receipt():
    _, first = planned(facts(LIST), budget="300 USD")
    known = facts(LIST, first.table)

    assert items(planned(known, rule="cheapest")[1])[-1] == "Mouse"
    assert total(planned(known, offers="o1 o2")[1]) == money(15_900 + 6_999)


@pytest.mark.parametrize(
    ("known", "arguments", "said"),
    [
        (facts(), {}, "There are no offers to add up: search for them first."),
        (facts(found()), {"rule": "cheapest"}, "There are no offers to add up: search for them first."),
        (
            facts(LIST),
            {"offers": ("o6",)},
            "o6 can't be added up: " + WHY,
        ),
        (
            facts(LIST),
            {"offers": ("o9",)},
            "o9 can't be added up: " + WHY,
        ),
    ],
)
def test_what_has_no_price_is_refused(known, arguments, said):
    with pytest.raises(Refused) as refused:
        ACTION.resolve(arguments, known)

    assert refused.value.message == said


def test_an_offer_of_another_thread_is_no_plan():
    with pytest.raises(Unusable, match="`o77` is no offer of this thread"):
        planned(facts(LIST), offers="o1 o77")
