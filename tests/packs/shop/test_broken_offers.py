"""Answers of shops and of eBay that are not as they should be: whatever stands there, nothing is raised."""

from __future__ import annotations

import copy

import pytest

from jarvis.packs.shop.readers import READERS
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

PAGES = {
    "google_shopping": shopping(listed(1, old_price="Was $150", extracted_old_price=150), listed(2)),
    "google_immersive_product": product(store("Lamp House", original_price="$140.00"), store("Wick")),
    "ebay": ebay(item(1), item(2, old_price={"raw": "$120.00", "extracted": 120.0})),
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
    whole = READERS[engine](page, *place).offers
    odd = (GONE, None, [], ["x", 7, None], 7, -1, float("nan"), 10**400, True, {}, "x", "\ud800", "x" * 9000)
    tried = 0
    for path in places(page):
        for value in odd:
            if path[-1] == "amount" and value in (7, -1):
                continue  # a price like any other
            tried += 1
            for offer in READERS[engine](
                changed(page, path, value), *PLACES.get(engine, ("us", "USD"))
            ).offers:
                assert offer.price in {each.price for each in whole}
                assert offer.url in {"", *(each.url for each in whole)}
                assert offer.delivery in {None, *(each.delivery for each in whole)}
    assert tried > 200
