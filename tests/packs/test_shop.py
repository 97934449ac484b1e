"""Things are found, listed, gone on with and added up, without a word of the model's about them."""

from __future__ import annotations

from ..twins.shop_pages import listed, shopping


def finds(house, **more):
    house.serpapi.sells(
        google_shopping=shopping(listed(1), listed(2, price="$99.50"), listed(3, price="$250.00"))
    )


def plan(action, finish=True, **fields):
    return {"action": action, "finish": finish, "text": None, "wants": "nothing", **fields}


def test_what_is_found_ends_the_turn(house):
    finds(house)
    house.model_plans(plan("find_products", queries="lantern", most="150 USD"))

    asked = house.ask("find me a lantern under $150")

    assert asked.status == ("done", 0)
    assert house.cost == (1, 1)
