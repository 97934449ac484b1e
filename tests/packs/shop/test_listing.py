"""One table of what several services have for several queries."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jarvis.core.money import Money
from jarvis.core.tables import Rating
from jarvis.packs.entries import MOST
from jarvis.packs.shop.find_products import Searched, product_table
from jarvis.packs.shop.offers import ANY, Limits, Offer, Offers
from tests.packs.shop.baskets import SEEN_AT, money


def an_offer(title, price=500, currency="USD", **more):
    return Offer(title, money(price, currency), **more)


def searched(query, *offers, searched_as="", **left_out):
    reasons = {reason.replace("_", " "): count for reason, count in left_out.items()}
    return Searched(query, Offers(offers, reasons, searched_as))


def table(*answers, limits=ANY, country="us"):
    return product_table(answers, SEEN_AT, limits, country)


def titles(found):
    return [row.cells["product"] for row in found.rows]


def test_queries_take_turns_and_each_row_says_which_it_is_for():
    many = [an_offer(f"Monitor {n}", 500 + n) for n in range(60)]
    few = [an_offer(f"Mouse {n}", 900 + n) for n in range(3)]

    found = table(searched("monitor", *many), searched("mouse", *few))

    assert titles(found)[:7] == [
        *("Monitor 0", "Mouse 0", "Monitor 1", "Mouse 1", "Monitor 2", "Mouse 2", "Monitor 3")
    ]
    assert [row.cells["for"] for row in found.rows].count("mouse") == 3
    assert found.columns[-1].key == "for"
    assert len(found.rows) == MOST
    assert found.left_out == {f"behind the first {MOST}": 63 - MOST}


def test_what_is_beyond_the_limits_is_left_out_and_counted_with_all_else():
    found = table(
        searched("a", an_offer("Dear", 90_000, state="used"), an_offer("New", state="new"), ads=2),
        searched("a", an_offer("Good", state="used"), an_offer("Unsure"), an_offer("Cheap", 1, state="used")),
        searched("b", an_offer("Far", 1_000, "EUR", state="used"), ads=1, without_a_price=1),
        limits=Limits(money(10_000), money(100), ("used", "refurbished")),
    )

    assert titles(found) == ["Good"]
    assert found.left_out == {
        "ads": 3,
        "without a price": 1,
        "over 100.00 USD": 1,
        "under 1.00 USD": 1,
        "new": 1,
        "of unknown state": 1,
        "in EUR": 1,
    }
    assert found.rows[0].private == {"query": "a", "country": "us", "states": "refurbished used"}


PAGE = "https://shop.example/1"
TWICE = [
    # its page
    (
        {"url": PAGE, "link": "merchant", "store": "A"},
        {"url": PAGE, "link": "merchant", "store": "A.com", "title": "Lamp, new"},
        True,
    ),
    ({"url": PAGE, "link": "merchant"}, {"url": PAGE, "link": "merchant", "price": money(600)}, False),
    ({"url": PAGE, "link": "service", "store": "A"}, {"url": PAGE, "link": "service", "store": "B"}, False),
    # who sells what, and for how much
    ({"store": "A", "url": PAGE}, {"store": "a", "title": "LAMP"}, True),
    ({"store": "A"}, {"store": "A", "price": money(501)}, False),
    ({"store": "A"}, {"store": "A", "price": Money(Decimal(5), "EUR")}, False),
    ({"store": "A"}, {"store": "B"}, False),
    ({"store": "A"}, {"store": "A", "title": "Lamps"}, False),
]


@pytest.mark.parametrize(("one", "other", "is_one"), TWICE)
def test_what_is_found_twice_is_listed_once(one, other, is_one):
    offers = [Offer(**{"title": "Lamp", "price": money(500), **each}) for each in (one, other)]

    for answers in ([searched("a", *offers)], [searched("a", offers[0]), searched("a", offers[1])]):
        found = table(*answers)
        assert len(found.rows) == (1 if is_one else 2)
        assert found.left_out == ({"found twice": 1} if is_one else {})
    apart = table(searched("a", offers[0]), searched("b", offers[1]))
    assert len(apart.rows) == 2


def test_what_is_found_twice_has_all_that_is_known_of_it():
    rating = Rating(Decimal("4.5"), 9)
    first = an_offer("Lamp", store="A", private={"page_token": "t"})
    second = an_offer("Lamp", store="A", rating=rating, delivery=money(0), url=PAGE, link="merchant")
    found = table(searched("a", first, second))

    (row,) = found.rows
    assert (row.cells["rating"], row.cells["delivery"]) == (rating, money(0))
    assert (row.url, row.link, row.private["page_token"]) == (PAGE, "merchant", "t")
