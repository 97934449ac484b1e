"""The stores of chosen offers, beside each other."""

from __future__ import annotations

import pytest

from jarvis.core.tables import Price
from jarvis.packs.shop.compare import Looked, compared
from jarvis.packs.shop.priced import priced
from jarvis.packs.shop.receipt_table import Line, receipt_of
from jarvis.search.offers.engines import READERS
from jarvis.search.offers.offer import Offer, Offers
from tests.packs.shop.baskets import money, offer
from tests.twins.shop_pages import product, store

THEN, HOUR, WEEK = (f"2026-11-{each}:02:10Z" for each in ("22T14", "22T15", "29T14"))


def chosen(n=1, price=12_900, seen_at=THEN, asked="", **cells):
    row = offer(n, price, product="Switch", **{"delivery": None, **cells})
    private = {**row.private, "query": "switch", **({"states": asked} if asked else {})}
    return priced(row._replace(private=private), seen_at)


def cells(table, *keys):
    return [tuple(row.cells[key] for key in keys) for row in table.rows]


def test_each_store_has_its_total():
    page = product(
        store("GameStop", "$129.00", "$5.99 delivery", details_and_offers=["30-day returns"]),
        store("Walmart", "$137.00", "Free delivery", details_and_offers=["In stock"]),
        store("Back Market", "$139.99", ""),
    )
    stores = READERS["google_immersive_product"](page, "us", "")

    table = compared([Looked(chosen(), stores)], HOUR, "us")

    assert cells(table, "store", "product", "price", "delivery", "total") == [
        ("GameStop", "Lantern, brass", money(12_900), money(599), money(13_499)),
        ("Walmart", "Lantern, brass", money(13_700), money(0), money(13_700)),
        ("Back Market", "Lantern, brass", money(13_999), None, Price(money(13_999), "from")),
    ]
    assert [row.cells["notes"] for row in table.rows[:2]] == ["30-day returns", "In stock"]
    assert [row.id for row in table.rows] == ["", "", ""]
    assert table.rows[0].private == {"page_token": "t1", "query": "switch"}
    assert (table.kind, table.seen_at, table.note) == ("comparison", HOUR, "Before sales tax.")


def test_what_has_no_store_stands_as_it_was_found():
    table = compared([Looked(chosen(delivery=100), Offers())], HOUR)

    assert cells(table, "store", "total", "notes") == [("Walmart", money(13_000), "as found before")]
    assert (table.rows[0].id, table.rows[0].url) == ("o1", "https://shop.example/1")


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


def test_a_delivery_in_another_currency_is_not_added_up():
    offers = Offers((Offer("Switch", money(100), delivery=money(100, "EUR")),))
    table = compared([Looked(chosen(), offers)], HOUR)

    assert cells(table, "delivery", "total") == [(None, Price(money(100), "from"))]


def test_a_receipt_can_be_made_of_it():
    stores = Offers((Offer("Switch neon", money(100), store="S", delivery=money(50)),))
    (row,) = compared([Looked(chosen(), stores)], HOUR).rows
    line = Line(priced(row._replace(id="o7"), HOUR))

    assert receipt_of([line]).rows[0].cells == {
        "item": "Switch neon",
        "state": None,
        "store": "S",
        "price": money(100),
        "delivery": money(50),
        "total": money(150),
    }
