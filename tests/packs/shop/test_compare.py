"""The stores of chosen offers, beside each other."""

from __future__ import annotations

import pytest

from jarvis.packs.shop.compare_offers import Looked, compared
from jarvis.packs.shop.offers import Offer, Offers
from jarvis.packs.shop.priced import priced
from tests.packs.shop.baskets import money, offer

THEN, HOUR, WEEK = (f"2026-11-{each}:02:10Z" for each in ("22T14", "22T15", "29T14"))


def chosen(n=1, price=12_900, seen_at=THEN, asked="", **cells):
    row = offer(n, price, product="Switch", **{"delivery": None, **cells})
    private = {**row.private, "query": "switch", **({"states": asked} if asked else {})}
    return priced(row._replace(private=private), seen_at)


def cells(table, *keys):
    return [tuple(row.cells[key] for key in keys) for row in table.rows]


@pytest.mark.parametrize(
    ("seen_at", "stores", "before", "notes"),
    [
        (THEN, ["Target", "walmart"], [None, money(12_900)], [None, None]),
        (THEN, ["Target", "eBay"], [None, None], ["$129.00 at Walmart before", None]),
        (WEEK, ["Target", "Walmart"], [None, None], [None, None]),
        ("", ["Target", "Walmart"], [None, None], [None, None]),
    ],
)
def test_a_price_older_than_a_day_stands_beside_the_one_of_now(seen_at, stores, before, notes):
    offers = Offers(tuple(Offer("Switch", money(11_900), store=each) for each in stores))

    table = compared([Looked(chosen(seen_at=seen_at), offers)], WEEK)

    assert cells(table, "before", "notes") == list(zip(before, notes, strict=True))


def test_each_offer_has_its_share_of_the_rows():
    def stores(count):
        return Offers(tuple(Offer("Switch", money(100 + n), store=f"S{n}") for n in range(count)), {"ads": 1})

    table = compared([Looked(chosen(n), stores(count)) for n, count in ((1, 60), (2, 3), (3, 30))], HOUR)

    tokens = [row.private["page_token"] for row in table.rows]
    assert tokens == ["t1"] * 19 + ["t2"] * 3 + ["t3"] * 18
    assert table.left_out == {"ads": 3, "behind the first 40": 53}


def test_stores_that_have_it_in_another_state_than_was_asked_for_are_left_out():
    offers = [Offer("Switch", money(100), store="S", state=state) for state in ("used", "new", "")]
    table = compared([Looked(chosen(asked="used"), Offers(tuple(offers)))], HOUR)

    assert cells(table, "state") == [("used",), (None,)]
    assert table.left_out == {"new": 1}
