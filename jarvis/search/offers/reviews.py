"""Reads what buyers wrote of a product in an answer of the engine `google_immersive_product`.

A review has the name of the shop that it was written at, and no address of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.types import Found
from ..extract import public_address
from .pages import merchant_page
from .values import at, entries_at, rating_at, words_at

_TEXT = 300  # characters of one
_MOST = 20


class Review(NamedTuple):
    """What one buyer wrote. What is not known is empty."""

    text: str  # with the stars they gave
    source: str  # where, as the service names it
    page: str  # the address of the product at that shop


def reviews_in(answer: object) -> list[Review]:
    """Return the reviews in *answer* that have any words."""
    product = at(answer, "product_results")
    pages = _pages(product)
    read = (_read(entry, pages) for entry in entries_at(product, "user_reviews"))
    return [review for review in read if review][:_MOST]


def rating_in(answer: object) -> str:
    """Return how the product in *answer* is rated, in words; empty where that is not known."""
    product = at(answer, "product_results")
    rating = rating_at(product)
    if not rating:
        return ""
    by = f" by {rating.raters:,} buyers" if rating.raters else ""
    stars = [_stars(each) for each in entries_at(product, "ratings")]
    return f"{rating.value} of 5{by}{': ' if any(stars) else ''}{', '.join(filter(None, stars))}"


def discussions_in(answer: object) -> list[Found]:
    """Return the pages where people speak of the product in *answer*."""
    entries = entries_at(answer, "product_results", "discussions_and_forums")
    pages = ((entry, public_address(at(entry, "link"))) for entry in entries)
    return [
        Found(page.url, words_at(entry, "title"), words_at(entry, "snippet", limit=_TEXT), "reviews")
        for entry, page in pages
        if page
    ]


def _pages(product: object) -> dict[str, str]:
    """Return the page of the product at each shop, by the shop's name in small letters."""
    stores = reversed(entries_at(product, "stores"))
    pages = ((words_at(each, "name").casefold(), merchant_page(at(each, "link"))) for each in stores)
    return {name: page for name, page in pages if name and page}


def _read(entry: object, pages: dict[str, str]) -> Review | None:
    text = words_at(entry, "text", limit=_TEXT)
    if not text:
        return None
    source, said = words_at(entry, "source"), [words_at(entry, "title"), text]
    stars = rating_at(entry)
    told = ": ".join(filter(None, [f"{stars.value}/5" if stars else "", *said]))
    return Review(told, source, pages.get(source.casefold(), ""))


def _stars(entry: object) -> str:
    stars, amount = at(entry, "stars"), at(entry, "amount")
    is_known = all(isinstance(each, int) and not isinstance(each, bool) for each in (stars, amount))
    return f"{stars} stars {amount:,}" if is_known else ""
