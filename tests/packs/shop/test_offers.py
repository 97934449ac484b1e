"""What is read out of the answers of shops and of eBay, and what is left out of it, with the reason."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jarvis.core.money import Money
from jarvis.core.tables import Rating
from jarvis.packs.shop.offers import Offer, Offers
from jarvis.packs.shop.readers import READERS
from tests.twins.shop_pages import ebay, ebay_product, item, listed, product, shopping, store

GOOGLE = "https://www.google.com/shopping/product/1?gl=us"


def read(engine: str, page: object, country: str = "us", asked: str = "USD") -> Offers:
    return READERS[engine](page, country, asked)


def usd(amount: str) -> Money:
    return Money(Decimal(amount), "USD")


def one(engine: str, page: object, country: str = "us", asked: str = "USD") -> Offer:
    [offer] = read(engine, page, country, asked).offers
    return offer


def test_an_entry_of_google_is_read_whole():
    entry = listed(1, "Brass lantern", old_price="· Was $150.00", extracted_old_price=150.0)

    assert one("google_shopping", shopping(entry)) == Offer(
        "Brass lantern",
        usd("129.00"),
        usd("150.00"),
        "new",
        "Glow & Sons",
        Rating(Decimal("4.5"), 96),
        usd("0"),
        ("Free delivery",),
        GOOGLE,
        "service",
        {"page_token": "token-of-1", "product_id": "1"},
    )


def test_a_store_of_a_product_is_read_whole():
    offer = one("google_immersive_product", product(store("Lamp House", "$137.00", "+ $6.99")))

    assert (offer.title, offer.store, offer.price) == ("Lantern, brass", "Lamp House", usd("137.00"))
    assert (offer.delivery, offer.rating) == (usd("6.99"), Rating(Decimal("4.7"), 812))
    assert offer.notes == ("+ $6.99", "In stock online", "30-day returns")
    assert (offer.url, offer.link) == ("https://lamp-house.example.com/lantern", "merchant")
    assert offer.state == ""  # nothing says whether it is new


def test_an_item_of_ebay_is_read_whole():
    offer = one("ebay", ebay(item(1)))

    assert (offer.title, offer.store, offer.state) == ("Lantern, worn 1", "eBay", "used")
    assert (offer.price, offer.delivery, offer.rating) == (usd("98.50"), usd("5.99"), None)
    assert (offer.url, offer.link) == ("https://www.ebay.com/itm/110000000001", "merchant")
    assert offer.private == {"product_id": "110000000001"}


def test_the_page_of_an_item_is_read_as_its_entry_in_the_list():
    listed_so, alone = one("ebay", ebay(item(1))), one("ebay_product", ebay_product())

    assert listed_so._replace(notes=()) == alone._replace(notes=())


@pytest.mark.parametrize(
    ("engine", "page", "reason"),
    [
        ("google_shopping", shopping(listed(1, sponsored=True)), "ads"),
        ("google_shopping", shopping(listed(1, block_position="top")), "ads"),
        ("google_shopping", shopping(listed(1, price="", extracted_price=None)), "without a price"),
        (
            "google_shopping",
            shopping(listed(1, "$5", "$5 - $9", extracted_price=5)),
            "without a single price",
        ),
        ("google_shopping", shopping(listed(1, "Phone", "$5.00/mo")), "without a single price"),
        ("google_shopping", shopping(listed(1, extracted_price=12.9)), "without a single price"),
        ("google_shopping", shopping(listed(1) | {"title": "\x1b[2J"}), "without a title"),
        ("google_shopping", shopping("no entry"), "unreadable"),  # type: ignore[arg-type]
        ("google_immersive_product", product(store("A", "from $5.00")), "without a single price"),
        ("ebay", ebay(item(1, bids={"count": 0, "time_left": "2h"})), "auctions"),
        ("ebay", ebay(item(1, bids=0)), "auctions"),
        ("ebay", ebay(item(1, buying_format="Auction")), "auctions"),
        ("ebay", ebay(item(1, sponsored=True, bids={"count": 3})), "ads"),
        ("ebay", ebay(item(1, condition="For parts or not working")), "for parts only"),
        ("ebay", ebay(item(1, condition="Parts Only")), "for parts only"),
        (
            "ebay",
            ebay(item(1) | {"price": {"from": {"raw": "$5.00", "extracted": 5.0}, "to": {"raw": "$9.00"}}}),
            "without a single price",
        ),
        ("ebay_product", ebay_product(buy={"bid": {"price": {"amount": 5, "currency": "USD"}}}), "auctions"),
        ("ebay_product", ebay_product(variations={"combinations": [{}]}), "without a single price"),
        ("ebay_product", ebay_product(amount=0), "without a single price"),
    ],
)
def test_what_is_no_offer_is_counted_by_its_reason(engine, page, reason):
    assert read(engine, page) == Offers((), {reason: 1})


@pytest.mark.parametrize(
    ("condition", "state"),
    [
        *(
            ("Brand New", "new"),
            ("New (Other)", "new"),
            ("New with tags", "new"),
            ("New with defects", "used"),
        ),
        *(("Pre-Owned", "used"), ("Open box", "used"), ("Like New", "used"), ("Very Good", "used")),
        *(
            ("Very Good - Refurbished", "refurbished"),
            ("Brand New · Auto Parts", "new"),
            ("Certified - Refurbished", "refurbished"),
        ),
        *(("Seller refurbished", "refurbished"), ("", ""), ("Vintage", ""), (None, ""), (["Used"], "")),
    ],
)
def test_new_used_and_refurbished_are_told_apart_on_ebay(condition, state):
    assert one("ebay", ebay(item(1, condition=condition))).state == state


@pytest.mark.parametrize(
    ("title", "marked", "state"),
    [
        ("Lantern", None, "new"),
        ("Lantern", "used", "used"),
        ("Lantern", "pre-owned", "used"),
        ("Lantern", "refurbished", "refurbished"),
        ("Lantern (Renewed)", None, "refurbished"),
        ("Pre-owned lantern", None, "used"),
        ("The most used lantern", None, "new"),
        ("Lantern", ["used"], ""),
        ("Lantern", 7, ""),
    ],
)
def test_google_marks_what_is_not_new(title, marked, state):
    page = shopping(listed(1, title, second_hand_condition=marked))

    assert one("google_shopping", page).state == state


@pytest.mark.parametrize(
    ("said", "cost"),
    [
        *(
            ("Free", "0"),
            ("Free delivery", "0"),
            ("FREE 2-day shipping", "0"),
            ("Get it by 6 May (Free)", "0"),
        ),
        *(("Free delivery by Tue, May 3", "0"), ("+$5.99 delivery", "5.99"), ("$4.00", "4.00")),
        *(("Free delivery between 5 - 7 May", "0"), ("Free delivery on 50 items", None)),
        *(("Free delivery on $50+", None), ("Free returns", None), ("Free delivery for members", None)),
        *(("Free pickup today", None), ("$5.99 - $9.99 delivery", None), ("Delivery costs apply", None)),
        *(("€5.99 delivery", "EUR"), ("", None), (None, None), (7, None), ([], None)),
    ],
)
def test_delivery_costs_what_is_plainly_said_and_is_unknown_otherwise(said, cost):
    delivery = one("google_shopping", shopping(listed(1, delivery=said))).delivery
    expected = Money(Decimal("5.99"), "EUR") if cost == "EUR" else cost and usd(cost)

    assert delivery == expected


@pytest.mark.parametrize(("old", "number"), [("$99.00", 99), ("€200", 200), ("Was $150", 151), ("$", None)])
def test_an_old_price_is_higher_and_in_the_same_currency_or_there_is_none(old, number):
    entry = listed(1, old_price=old, extracted_old_price=number)

    assert one("google_shopping", shopping(entry)).old_price is None


def test_other_words_that_were_searched_for_are_told():
    assert read("google_shopping", shopping(spelling_fix="brass lantern")).searched_as == "brass lantern"
    assert read("google_shopping", shopping()).searched_as == ""
