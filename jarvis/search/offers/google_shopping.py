"""Reads the offers in an answer of the engine `google_shopping`.

Since 2025 an entry has no shop's address, only Google's own page of the product, and a token by which the
engine `google_immersive_product` tells the shops.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from ...core.money import old_price_in, price_in
from ..extract import PAID
from .condition import state_in_title, state_of
from .offer import MERCHANT, NEW, SERVICE, Offer, Offers, gathered, reason_against, reduced
from .pages import merchant_page, service_page
from .values import delivery_cost, entries_at, notes_of, rating_at, token_at, tokens, words_at


def shopping_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what is for sale in *answer*.

    country: where it was asked for, of two letters; asked: the code of the currency it was asked in.
    """
    entries = entries_at(answer, "shopping_results")
    for category in entries_at(answer, "categorized_shopping_results"):
        entries = [*entries, *entries_at(category, "shopping_results")]
    searched_as = words_at(answer, "search_information", "spelling_fix")
    return gathered(entries, lambda entry: _read(entry, country, asked), searched_as)


def _read(entry: dict[str, object], country: str, asked: str) -> Offer | str:
    title, said = words_at(entry, "title"), entry.get("price")
    price, state = price_in(said, country, entry.get("extracted_price"), asked=asked), _state(entry, title)
    is_ad = any(entry.get(mark) for mark in PAID)
    reason = reason_against(title, price, said, state, is_ad=is_ad)
    if reason or not price:
        return reason
    old = old_price_in(
        entry.get("old_price"), country, entry.get("extracted_old_price"), asked=price.currency
    )
    merchant, service = merchant_page(entry.get("link")), service_page(entry.get("product_link"))
    return Offer(
        title,
        price,
        reduced(old, price),
        state,
        words_at(entry, "source"),
        rating_at(entry),
        delivery_cost(entry.get("delivery"), country, price),
        notes_of(entry.get("delivery")),
        merchant or service,
        MERCHANT if merchant else SERVICE if service else "",
        tokens(page_token=_token(entry), product_id=token_at(entry, "product_id")),
    )


def _state(entry: dict[str, object], title: str) -> str:
    """Return the state that is marked or told; without either it is new, for Google has the rest marked."""
    marked = entry.get("second_hand_condition")
    if marked is not None:
        return state_of(marked) if isinstance(marked, str) else ""
    return state_in_title(title) or NEW


def _token(entry: dict[str, object]) -> str:
    """Return the token for the product's shops, which may stand in an address of SerpAPI's alone."""
    link = token_at(entry, "serpapi_immersive_product_api")
    inside = dict(parse_qsl(urlsplit(link).query)) if link.startswith("https://serpapi.com/") else {}
    return token_at(entry, "immersive_product_page_token") or token_at(inside, "page_token")
