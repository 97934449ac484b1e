"""What is read out of the answers of shops, eBay and an index; what is left out of it, with the reason."""

from __future__ import annotations

import copy
from decimal import Decimal

import pytest

from jarvis.core.money import Money
from jarvis.core.tables import Rating, Row
from jarvis.packs.shop.offers import Offer, Offers
from jarvis.packs.shop.readers import read_offers
from tests.twins.shop_pages import (
    ebay,
    ebay_product,
    index,
    item,
    listed,
    on_mercari,
    product,
    shopping,
    store,
)

GOOGLE = "https://www.google.com/shopping/product/1?gl=us"


def read(engine: str, page: object, country: str = "us", asked: str = "USD") -> Offers:
    return read_offers(engine, page, country, asked)


def usd(amount: str) -> Money:
    return Money(Decimal(amount), "USD")


def one(engine: str, page: object) -> Offer:
    [offer] = read(engine, page).offers
    return offer


def test_an_entry_of_google_is_read_whole():
    entry = listed(1, "Brass lantern")

    cells = {
        "product": "Brass lantern",
        "price": usd("129.00"),
        "state": "new",
        "store": "Glow & Sons",
        "rating": Rating(Decimal("4.5"), 96),
        "delivery": usd("0"),
        "notes": None,
    }
    private = {"page_token": "token-of-1", "product_id": "1"}
    row = Row("", cells, GOOGLE, "service", private)
    assert one("google_shopping", shopping(entry)) == Offer(row, usd("129.00"), usd("0"))


def test_a_store_of_a_product_is_read_whole():
    offer = one("google_immersive_product", product(store("Lamp House", "$137.00", "+ $6.99")))

    assert (offer.title, offer.store, offer.price) == ("Lantern, brass", "Lamp House", usd("137.00"))
    assert (offer.delivery, offer.rating) == (usd("6.99"), Rating(Decimal("4.7"), 812))
    assert offer.row.cells["notes"] == "In stock online, 30-day returns"
    assert (offer.row.url, offer.row.link) == ("https://lamp-house.example.com/lantern", "merchant")
    assert offer.state == ""  # nothing says whether it is new


@pytest.mark.parametrize(("engine", "page"), [("ebay", ebay(item(1))), ("ebay_product", ebay_product())])
def test_an_item_of_ebay_is_read_whole_in_the_list_and_on_its_page(engine, page):
    offer = one(engine, page)

    assert (offer.title, offer.store, offer.state) == ("Lantern, worn 1", "eBay", "used")
    assert (offer.price, offer.delivery, offer.rating) == (usd("98.50"), usd("5.99"), None)
    assert (offer.row.url, offer.row.link) == ("https://www.ebay.com/itm/110000000001", "merchant")
    assert offer.row.private == {"product_id": "110000000001"}


RANGE = {"price": {"from": {"raw": "$5.00", "extracted": 5.0}, "to": {"raw": "$9.00"}}}
BIDDING = {"bid": {"price": {"amount": 5, "currency": "USD"}}}
# Why it is none, and entries of an engine that are none.
NO_OFFERS = {
    ("google_shopping", "ads"): [listed(1, sponsored=True)],
    ("google_shopping", "without a price"): [listed(1, price="", extracted_price=None)],
    ("google_shopping", "without a single price"): [
        listed(1, "$5", "$5 - $9", extracted_price=5),
        listed(1, "Phone", "$5.00/mo"),
        listed(1, extracted_price=12.9),
    ],
    ("google_shopping", "without a title"): [listed(1) | {"title": "\x1b[2J"}],
    ("google_shopping", "unreadable"): ["no entry"],
    ("google_immersive_product", "without a single price"): [store("A", "from $5.00")],
    ("ebay", "auctions"): [
        item(1, bids={"count": 0, "time_left": "2h"}),
        item(1, bids=0),
        item(1, buying_format="Auction"),
    ],
    ("ebay", "ads"): [item(1, sponsored=True, bids={"count": 3})],
    ("ebay", "for parts only"): [
        item(1, condition="For parts or not working"),
        item(1, condition="Parts Only"),
    ],
    ("ebay", "without a single price"): [item(1) | RANGE],
    ("ebay_product", "without a price"): [{"buy": BIDDING}],
    ("ebay_product", "without a single price"): [{"variations": {"combinations": [{}]}}],
}
PAGE_OF = {"google_shopping": shopping, "google_immersive_product": product, "ebay": ebay}
PAGE_OF["ebay_product"] = lambda changes: ebay_product(**changes)


@pytest.mark.parametrize(("engine", "reason"), NO_OFFERS)
def test_what_is_no_offer_is_counted_by_its_reason(engine, reason):
    for entry in NO_OFFERS[engine, reason]:
        assert read(engine, PAGE_OF[engine](entry)) == Offers((), {reason: 1}), entry


CONDITIONS = {
    "new": ["Brand New", "New (Other)", "New with tags", "Brand New · Auto Parts"],
    "used": ["New with defects", "Pre-Owned", "Open box", "Like New", "Very Good"],
    "refurbished": ["Very Good - Refurbished", "Certified - Refurbished", "Seller refurbished"],
    "": ["", "Vintage", None, ["Used"]],
}


@pytest.mark.parametrize("state", CONDITIONS)
def test_new_used_and_refurbished_are_told_apart_on_ebay(state):
    page = ebay(*(item(1, condition=each) for each in CONDITIONS[state]))

    assert {offer.state for offer in read("ebay", page).offers} == {state}


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


DELIVERY = {
    "0": ["Free", "FREE delivery", "Free shipping by 6 May", "Free delivery by Tue, May 3"],
    "5.99": ["+$5.99 delivery", "$5.99", "$5.99 shipping by Tue, May 3"],
    None: ["Free delivery on $50+", "Free delivery on 50 items", "Free returns", "Free delivery for members"],
}
DELIVERY["0"] += ["Free delivery between 5 - 7 May"]
DELIVERY[None] += ["Free delivery by joining", "Free pickup today", "$5.99 - $9.99 delivery"]
DELIVERY[None] += ["Delivery costs apply", "€5.99", "", None, 7, []]


@pytest.mark.parametrize("cost", DELIVERY)
def test_delivery_costs_what_is_plainly_said_and_is_unknown_otherwise(cost):
    page = shopping(*(listed(1, delivery=each) for each in DELIVERY[cost]))

    costs = [offer.delivery for offer in read("google_shopping", page).offers]
    assert costs == [cost and usd(cost)] * len(DELIVERY[cost])


@pytest.mark.parametrize(
    ("link", "kept", "kind"),
    [
        ("https://shop.example.com/a", "https://shop.example.com/a", "merchant"),
        ("#", GOOGLE, "service"),
        ("https://www.google.com/aclk?adurl=https://shop.example.com/a", GOOGLE, "service"),
        ("https://r.example.com/go?to=https%3A%2F%2Fshop.example.com", GOOGLE, "service"),
        ("https://r.example.com/go?to=https%253A%252F%252Fshop.example.com", GOOGLE, "service"),
        ("https://www.google.com/url?q=https://shop.example.com/a", "https://shop.example.com/a", "merchant"),
        ("https://serpapi.com/search?a", GOOGLE, "service"),
        ("http://127.0.0.1/a", GOOGLE, "service"),
        ("javascript:alert(1)", GOOGLE, "service"),
    ],
)
def test_an_address_is_a_merchants_or_the_services_and_never_a_redirect(link, kept, kind):
    offer = one("google_shopping", shopping(listed(1, link=link)))

    assert (offer.row.url, offer.row.link) == (kept, kind)


@pytest.mark.parametrize(
    "link", ["https://rover.ebay.com/itm/110000000001", "https://ebay.evil.example/itm/110000000001", None]
)
def test_an_offer_without_a_page_has_no_address(link):
    """Nor does one lead elsewhere: eBay's to an item of eBay, Google's to its own page."""
    offers = (
        one("ebay", ebay(item(1, link=link))),
        one("google_shopping", shopping(listed(1, product_link=link))),
    )

    assert [(offer.row.url, offer.row.link) for offer in offers] == [("", "")] * 2
    assert offers[0].row.private == {}


def on_index(*entries):
    return read_offers("google", index(*entries), "jp")


def test_an_entry_of_the_index_is_read_whole():
    (offer,) = on_index(on_mercari(1, "真鍮ランタン")).offers

    cells = {"product": "真鍮ランタン", "price": offer.price, "state": "may be sold", "store": "Mercari"}
    assert offer.price.formatted == "¥3,500"
    assert offer.row == Row("", cells, "https://jp.mercari.com/item/m11111111112", "merchant")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (on_mercari(1), "¥3,500"),
        (on_mercari(1, "定価5,000円のランタン"), "¥3,500"),  # its own mark counts
        (on_mercari(1, "ランタン ¥3,500", price=""), "without a price"),
        (on_mercari(1, price="¥3,500〜"), "without a price"),
        (on_mercari(1, price="$35.00"), "without a price"),
        ({**on_mercari(1), "title": " - メルカリ"}, "without a title"),
        (on_mercari(1, "【売り切れ】ランタン"), "sold"),
        (on_mercari(1, "ランタン SOLD OUT"), "sold"),
        (on_mercari(1, link="https://jp.mercari.com/search?keyword=x"), "other pages"),
        (on_mercari(1, link="https://jp.mercari.com.evil.example/item/m11111111112"), "other pages"),
        (on_mercari(1, link="https://evil.example/?https://jp.mercari.com/item/m11111111112"), "other pages"),
    ],
)
def test_what_the_index_marks_as_a_price_is_it_and_else_it_is_left_out_with_its_reason(entry, told):
    found = on_index(entry)

    assert [*(each.price.formatted for each in found.offers), *found.left_out] == [told]


PAGES = {
    "google_shopping": shopping(listed(1), listed(2)),
    "google_immersive_product": product(store("Lamp House"), store("Wick")),
    "ebay": ebay(item(1), item(2)),
    "ebay_product": ebay_product(),
    "google": index(on_mercari(1), on_mercari(2, price="")),
}
PLACES = {"google": ("jp", "JPY")}
GONE = object()


def places(value: object, path: tuple[object, ...] = ()):
    """Every key of every object in *value*."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(value, dict):
            yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def changed(page: dict, path: tuple[object, ...], value: object) -> dict:
    page = copy.deepcopy(page)
    holder = page
    for key in path[:-1]:
        holder = holder[key]
    if value is GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return page


@pytest.mark.parametrize("engine", PAGES)
def test_any_one_key_may_be_missing_or_hold_something_else(engine):
    """And no price, no address and no token comes out that was not there before."""
    page = PAGES[engine]
    place = PLACES.get(engine, ("us", "USD"))
    whole = read(engine, page, *place).offers
    odd = (GONE, None, [], ["x", 7, None], 7, -1, float("nan"), 10**400, True, {}, "x", "\ud800", "x" * 9000)
    tried = 0
    for path in places(page):
        for value in odd:
            if path[-1] == "amount" and value in (7, -1):
                continue  # a price like any other
            tried += 1
            for offer in read(engine, changed(page, path, value), *place).offers:
                assert offer.price in {each.price for each in whole}
                assert offer.row.url in {"", *(each.row.url for each in whole)}
                assert offer.delivery in {None, *(each.delivery for each in whole)}
    assert tried > 200
