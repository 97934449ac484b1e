"""Things are found, listed, gone on with and added up, without a word of the model's about them."""

from __future__ import annotations

import pytest

from tests.lying import plan

from ..twins.shop_pages import ebay, item, listed, shopping

MANY = plan("find_products", queries="lamp; lantern; torch", state="used", most="99.50 USD")


@pytest.mark.parametrize(
    ("answers", "status", "billed"),
    [(["y"], ("done", 0), 6), (["n"], ("refused", 4), 0), ([], ("needs_answer", 3), 0)],
)
def test_many_searches_at_once_are_asked_about(house, answers, status, billed):
    house.serpapi.sells(google_shopping=shopping(listed(1)), ebay=ebay(item(1)))
    house.answers += answers
    house.model_plans(MANY)

    asked = house.ask("find me a used lamp, a lantern and a torch under $99.50")

    assert asked.status == status
    assert [question.reason for question in house.questions] == ["it takes 6 searches at once"]
    assert house.cost == (1, billed)


def test_few_are_not(house):
    house.serpapi.sells(google_shopping=shopping(listed(1)), ebay=ebay(item(1)))
    house.model_plans({**MANY, "queries": "lamp; lantern"})

    assert house.ask("find me a used lamp and a lantern under $99.50").status == ("done", 0)
    assert (house.questions, house.cost) == ([], (1, 4))
