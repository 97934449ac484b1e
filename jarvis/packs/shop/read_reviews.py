"""Look up what buyers say of offers that were found: the model tells of it, and names its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...actions.base import ENGINES, BrainAction, Service, failed, reason
from ...core import urls
from ...core.errors import JarvisError
from ...core.tables import Row
from ...core.text import counted, one_line
from ...core.types import Effect, Facts, Found, Outcome
from ...search.extract import extract, public_address
from ...search.serpapi import Engines
from ..entries import at, entries_at, page_at, rating_at, words_at
from .markets import HOME, Asked, answers_to, looked_up
from .offers import OFFERS, Chosen, chosen, target, title_of
from .readers import TOKEN, WEB

_MOST = 2  # offers of one step
_MOST_PAGES = 10  # of a product
_MOST_REVIEWS = 20
_ON_WEB = 5  # pages of a web search
_WORD = r"[^\W_]+(?:[.'’-][^\W_]+)*"  # of a title: no sign that would steer a search
_QUERY = 100  # characters
_TITLE = 100  # of a product's title
_SOURCES = 50  # of the names of shops
_TEXT = 300  # of one review


class ReadReviews(BrainAction):
    name = "read_reviews"
    description = (
        "look up what buyers say of an offer in the tables: what they wrote is then among the addresses "
        f"found, for you to answer from; `offers` says of which, {_MOST} at most."
    )
    fields = (OFFERS,)
    services = (Service(ENGINES),)
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        named = chosen(arguments["offers"], facts, _MOST)
        needed = {"chosen": named, "country": facts.country or HOME}
        return Effect("reads", f"reviews of {target(named)}", needed, credits=2 * len(named))

    def not_done(self, target: str) -> str:
        return f"Could not look up {target or 'reviews'}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        named, country = effect.arguments["chosen"], effect.arguments["country"]
        pages = await _written(named, country, engines)
        elsewhere = [each for each in named if not pages[each.row.id]]
        failures = await _searched(elsewhere, country, engines, pages) if elsewhere else []
        found = _once(page for each in named for page in pages[each.row.id])
        if not found and failures:
            return failed(self.not_done(effect.target), failures[0][1])
        told = [f"Found {counted(len(found), 'pages')} with {effect.target}."]
        told += [f"Of {each.told} none could be looked up: {reason(error)}" for each, error in failures]
        return Outcome("done", " ".join(told), value=effect.target, found=tuple(found))


class Review(NamedTuple):
    """What one buyer wrote. What is not known is empty."""

    text: str  # with the stars they gave
    source: str  # where, as the service names it
    page: str  # the address of the product at that store: a review has none of its own


def review_pages(row: Row, answer: object) -> list[Found]:
    """Return the pages with what *answer*, of the engine PRODUCT, has of reviews of *row*.

    There are none where it has no word of a buyer. The reviews of a shop stand on its page; what was written
    at one whose page is not known, on the product's own page.
    """
    address, by_page = urls.found(row.url), dict[str, list[Review]]()
    for review in _reviews_in(at(answer, "product_results")):
        by_page.setdefault(review.page or (address.url if address else ""), []).append(review)
    written = [_found(page, reviews, title_of(row)) for page, reviews in by_page.items() if page]
    if written and (rating := _rating_in(at(answer, "product_results"))):
        written[0] = written[0]._replace(snippet=f"Rated {rating} | {written[0].snippet}")
    return _once([*written, *_discussions_in(answer)])[:_MOST_PAGES]


async def _written(named: Sequence[Chosen], country: str, engines: Engines) -> dict[str, list[Found]]:
    """Return the pages with what the shopping service has of reviews, by the offer's id."""
    pages: dict[str, list[Found]] = {each.row.id: [] for each in named}
    known = [each.row for each in named if each.row.private.get(TOKEN)]
    answers = await looked_up(known, country, engines)
    for row, answer in zip(known, answers, strict=True):
        if not isinstance(answer, JarvisError):
            pages[row.id] = review_pages(row, answer[1])
    return pages


async def _searched(
    named: Sequence[Chosen], country: str, engines: Engines, pages: dict[str, list[Found]]
) -> list[tuple[Chosen, JarvisError]]:
    """Put into *pages* what a web search finds; return what could not be searched for, and why."""
    wanted = [Asked("", WEB, {"q": _query(each), "gl": country}, country) for each in named]
    answers = await answers_to(wanted, engines, may_fail=True)  # of another offer there may be reviews
    failures = []
    for each, answer in zip(named, answers, strict=True):
        if isinstance(answer, JarvisError):
            failures.append((each, answer))
        else:
            pages[each.row.id] = list(extract(answer[1], (), country)[:_ON_WEB])
    return failures


def _query(named: Chosen) -> str:
    """Return what to search the web for: words of its title alone, which a stranger wrote."""
    words = " ".join(re.findall(_WORD, title_of(named.row)[:_QUERY]))
    return f"{words} reviews".strip()


def _once(pages: Iterable[Found]) -> list[Found]:
    """Return *pages* without those that come again."""
    return list({page.url: page for page in reversed([*pages])}.values())[::-1]


def _found(page: str, reviews: Sequence[Review], title: str) -> Found:
    sources = ", ".join(dict.fromkeys(review.source for review in reviews if review.source))
    head = f"{one_line(sources, _SOURCES) or 'Buyers'}: reviews of {one_line(title, _TITLE)}"
    told = " | ".join(review.text for review in reviews)
    return Found(page, head, told, "reviews", host=urls.host_of(page))


def _reviews_in(product: object) -> list[Review]:
    """Return the reviews of *product* that have any words."""
    stores = ((words_at(each, "name").casefold(), page_at(each)) for each in entries_at(product, "stores"))
    pages = {name: page for name, page in reversed([*stores]) if name and page}
    read = (_review(entry, pages) for entry in entries_at(product, "user_reviews"))
    return [review for review in read if review][:_MOST_REVIEWS]


def _review(entry: object, pages: Mapping[str, str]) -> Review | None:
    """Return what a buyer wrote. pages: that of the product at each store, by its name in small letters."""
    text = words_at(entry, "text", limit=_TEXT)
    if not text:
        return None
    source, said = words_at(entry, "source"), [words_at(entry, "title"), text]
    stars = rating_at(entry)
    told = ": ".join(filter(None, [f"{stars.value}/5" if stars else "", *said]))
    return Review(told, source, pages.get(source.casefold(), ""))


def _rating_in(product: object) -> str:
    """Return how *product* is rated, in words; empty where that is not known."""
    rating = rating_at(product)
    by = f" by {rating.raters:,} buyers" if rating and rating.raters else ""
    return f"{rating.value} of 5{by}" if rating else ""


def _discussions_in(answer: object) -> list[Found]:
    """Return the pages where people speak of the product in *answer*."""
    entries = entries_at(answer, "product_results", "discussions_and_forums")
    pages = ((entry, public_address(at(entry, "link"))) for entry in entries)
    return [
        Found(page.url, words_at(entry, "title"), words_at(entry, "snippet", limit=_TEXT), "reviews")
        for entry, page in pages
        if page
    ]


ACTION = ReadReviews()
