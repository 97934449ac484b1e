"""What of a plan nobody said is not used, and an amount that no field took is told."""

import pytest

from jarvis.core.events import Notice
from tests.planned import plan, reply
from tests.twins.shop_pages import listed, shopping

LOOK = plan("find_products", queries="switch", most="150 USD")


@pytest.fixture
def shops(house):
    """What the shops were asked for at most."""
    house.serpapi.sells(google_shopping=shopping(listed(1)))
    return lambda: [request.params.get("max_price") for request in house.serpapi.requests]


def test_what_nobody_said_is_left_out_and_told(house, shops):
    house.model_plans(LOOK)

    asked = house.ask("find me a switch to buy")

    assert (asked.status, shops()) == (("done", 0), [None])
    assert [notice.text for notice in asked.of(Notice)] == ["You did not say “150 USD”, so it is not used."]


@pytest.mark.parametrize(
    ("words", "budget", "told"),
    [
        ("find me a switch under $150", None, ["“$150” was not taken as a limit."]),
        (
            "find me a switch for 1.299,00 €, or $90",
            None,
            ["“1.299,00 €” was not taken as a limit. “$90” was not taken as a limit."],
        ),
        ("find me a switch between $50 and 150 dollars", "150 USD", ["“$50” was not taken as a limit."]),
        ("find me a switch under $150", "150 USD", []),
        ("find me a switch to buy with 8 GB, a 24 inch screen, 20% off", None, []),
    ],
)
def test_an_amount_that_no_field_took_is_told(words, budget, told, house, shops):
    house.model_plans({**LOOK, "most": budget})

    asked = house.ask(words)

    assert shops() == ["150.00" if budget else None]
    assert [(notice.text, notice.must_know) for notice in asked.of(Notice)] == [(text, True) for text in told]


def test_it_may_be_said_in_the_turn_before(house, shops):
    house.model_plans(reply("Some."), LOOK)
    house.ask("what can one get under 150 dollars")

    house.ask("and find me a switch to buy for that")

    assert shops() == ["150.00"]
