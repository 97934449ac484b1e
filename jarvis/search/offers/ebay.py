"""Reads the offers in an answer of the engine `ebay`.

Its prices are objects, a range where a listing has variants. What is bid in an auction is no price.
"""

from __future__ import annotations

from ...core.money import Money, old_price_in, price_in
from .condition import state_of
from .offer import AUCTION, MERCHANT, Offer, Offers, gathered, reason_against, reduced
from .pages import ebay_page
from .values import at, delivery_cost, entries_at, notes_of, rating_at, tokens, words_at

STORE = "eBay"
_BIDDING = ("bids", "time_left", "is_auction")  # what an auction alone has


def ebay_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what is for sale in *answer*.

    country: that of the eBay that was asked, of two letters; asked: the code of the currency there.
    """
    searched_as = words_at(answer, "search_information", "showing_results_for") or words_at(
        answer, "search_information", "spelling_fix"
    )
    entries = entries_at(answer, "organic_results")
    return gathered(entries, lambda entry: _read(entry, country, asked), searched_as)


def _read(entry: dict[str, object], country: str, asked: str) -> Offer | str:
    title, said = words_at(entry, "title"), entry.get("price")
    price = price_in(at(said, "raw"), country, at(said, "extracted"), asked=asked)
    state, is_ad = state_of(words_at(entry, "condition")), bool(entry.get("sponsored"))
    if not is_ad and _is_auction(entry):
        return AUCTION
    reason = reason_against(title, price, said, state, is_ad=is_ad)
    if reason or not price:
        return reason
    old, (url, item) = entry.get("old_price"), ebay_page(entry.get("link"))
    return Offer(
        title,
        price,
        reduced(old_price_in(at(old, "raw"), country, at(old, "extracted"), asked=price.currency), price),
        state,
        STORE,
        rating_at(entry),
        _delivery(entry.get("shipping"), country, price),
        notes_of(_said(entry.get("shipping")), entry.get("returns"), entry.get("condition")),
        url,
        MERCHANT if url else "",
        tokens(product_id=item),
    )


def _is_auction(entry: dict[str, object]) -> bool:
    marks = [entry.get(mark) for mark in _BIDDING]  # none of a new auction's bids is a mark as well
    bidding = any(mark is not False and mark not in (None, "") for mark in marks)
    return bidding or "auction" in words_at(entry, "buying_format").lower()


def _said(shipping: object) -> object:
    return at(shipping, "raw") if isinstance(shipping, dict) else shipping


def _delivery(shipping: object, country: str, price: Money) -> Money | None:
    return delivery_cost(_said(shipping), country, price, at(shipping, "extracted"))
