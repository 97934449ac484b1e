"""Several things within a budget, asked for in words: found, picked and added up."""

from __future__ import annotations

from jarvis.core.events import Observed, Tabled
from tests.lying import plan
from tests.twins.shop_pages import listed, shopping

GOAL = "a monitor and a mouse under $250 together, the cheapest"
FIND = {"action": "find_products", "queries": "monitor; mouse", "finish": False}


def sells(house):
    house.serpapi.sells(
        google_shopping=[
            shopping(listed(1, "Monitor"), listed(2, "Large monitor", "$199.50")),
            shopping(listed(3, "Mouse", "$19.90", delivery=None), listed(4, "Small mouse", "$29.90")),
        ]
    )


def test_a_receipt_takes_the_place_of_what_was_found_for_it(house):
    sells(house)
    house.model_plans(plan(**FIND), plan("receipt", budget="250 USD", rule="cheapest"))

    asked = house.ask(GOAL)

    assert (asked.status, house.cost) == (("done", 0), (2, 2))
    assert [(each.table.kind, each.first) for each in asked.of(Tabled)] == [("product", 0), ("receipt", 1)]
    (table,) = asked.summary["tables"]
    assert {row["item"] for row in table["rows"]} == {"Monitor", "Mouse"}
    assert [(row["item"], row["total"]["amount"], row["total"].get("basis")) for row in table["foot"]] == [
        ("total, without tax", "148.90", "from"),
        ("budget", "250.00", None),
        ("left", "101.10", "up to"),
    ]
    checks = {check["name"]: check["ok"] for check in asked.summary["result"]["checks"]}
    assert checks == {
        "seen": True,
        "budget": None,
        "delivery": None,
        "tax": None,
    }


def test_one_over_the_budget_is_an_answer_that_says_so(house):
    sells(house)
    house.model_plans(plan(**FIND), plan("receipt", budget="100 USD", rule="cheapest"))

    asked = house.ask(GOAL.replace("250", "100"))

    assert (asked.status, house.cost) == (("done", 0), (2, 2))
    assert asked.of(Tabled)[-1].table.kind == "receipt"
    checks = {check["name"]: (check["ok"], check["said"]) for check in asked.summary["result"]["checks"]}
    assert checks["budget"] == (False, "over $100.00 by at least $48.90")


def test_a_later_reply_names_the_lines_of_the_list_that_still_stands(house):
    house.serpapi.sells(google_shopping=shopping(listed(1, "Brass lantern"), listed(2, "Tin lantern")))
    find = {**FIND, "queries": "lantern", "finish": True}
    house.model_plans(plan(**find), {**plan("reply"), "text": "Brass lasts [o1]; tin is lighter [o2]."})

    house.ask("find me a cheap lantern")
    asked = house.ask("which one lasts?")

    assert asked.summary["reply"] == "Brass lasts [1]; tin is lighter [2]."
    assert asked.summary["sources"] == []


def test_what_is_added_up_is_told_by_its_lines(house):
    house.serpapi.sells(google_shopping=shopping(listed(1, "Brass lantern"), listed(2, "Tin lantern")))
    find = {**FIND, "queries": "lantern", "finish": True}
    house.model_plans(plan(**find), plan("receipt", offers="2 of o1, o2"))

    house.ask("find me a cheap lantern")
    asked = house.ask("what do 2 of the first and the second cost together?")

    assert [event.outcome.value for event in asked.of(Observed)] == ["2 of line 1, 2"]
    assert asked.status == ("done", 0)
