"""Reads the shops that sell one product in an answer of the engine `google_immersive_product`."""

from __future__ import annotations

from ...core.money import old_price_in, price_in
from ..extract import PAID
from .condition import state_in_title, state_of
from .offer import MERCHANT, Offer, Offers, gathered, reason_against, reduced
from .pages import merchant_page
from .values import delivery_cost, entries_at, notes_of, rating_at, words_at

_SHORT = 2  # words: “Pre-owned”, “Seller refurbished”, but not “New customers save 10%”


def store_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what the shops in *answer* ask for the product; there may be no shop.

    country: where it was asked for, of two letters; asked: the code of the currency it was asked in.
    """
    product = words_at(answer, "product_results", "title")
    stores = entries_at(answer, "product_results", "stores")
    return gathered(stores, lambda store: _read(store, product, country, asked))


def _read(store: dict[str, object], product: str, country: str, asked: str) -> Offer | str:
    title, said = words_at(store, "title") or product, store.get("price")
    price = price_in(said, country, store.get("extracted_price"), asked=asked)
    details = notes_of(store.get("tag"), store.get("details_and_offers"))
    state, is_ad = _state(title, details), any(store.get(mark) for mark in PAID)
    reason = reason_against(title, price, said, state, is_ad=is_ad)
    if reason or not price:
        return reason
    was, number = store.get("original_price"), store.get("extracted_original_price")
    page = merchant_page(store.get("link"))
    return Offer(
        title,
        price,
        reduced(old_price_in(was, country, number, asked=price.currency), price),
        state,
        words_at(store, "name"),
        rating_at(store),
        delivery_cost(store.get("shipping"), country, price, store.get("shipping_extracted")),
        notes_of(store.get("shipping"), [*details]),
        page,
        MERCHANT if page else "",
    )


def _state(title: str, details: tuple[str, ...]) -> str:
    """Return the state that a short detail or the title tells; here it is not sure that the rest is new."""
    told = (state_of(each) for each in details if len(each.split()) <= _SHORT)
    return next(filter(None, told), "") or state_in_title(title)
