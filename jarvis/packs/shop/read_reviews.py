"""Look up buyers' reviews of offers that were found. The model reports them, and names its sources."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...actions.base import ENGINES, BrainAction, Service, reason
from ...core import urls
from ...core.errors import JarvisError
from ...core.tables import Row
from ...core.text import one_line, pluralize
from ...core.types import Effect, Facts, Found, Outcome
from ...search.serpapi import Engines
from ..entries import at, entries_at, page_at, rating_at, words_at
from .markets import GONE, HOME, Answer, answers_to, found_again_by
from .offers import OFFERS, called, offers_with_ids, title_of
from .readers import TOKEN

_MOST = 2  # offers of one step
_MOST_PAGES = 10  # of a product
_MOST_REVIEWS = 20
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
    effect = "searches"
    services = (Service(ENGINES),)
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        rows = offers_with_ids(arguments["offers"], facts, _MOST)
        names = called([row.id for row in rows], facts.shown)
        needed = {"rows": rows, "called": names, "country": facts.country or HOME}
        return Effect("searches", f"reviews of {', '.join(names)}", needed, credits=len(rows))

    def not_done(self, target: str) -> str:
        return f"Could not look up {target or 'reviews'}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        """Read the shopping service's reviews. If there are none, the model may search the web."""
        rows, names, country = (effect.arguments[name] for name in ("rows", "called", "country"))
        # Only products in shops have reviews of their own.
        wanted = [found_again_by(row, country) if row.private.get(TOKEN) else None for row in rows]
        answers = await answers_to(wanted, engines)
        failures = {
            name: each for name, each in zip(names, answers, strict=True) if isinstance(each, JarvisError)
        }
        errors = [each for each in failures.values() if each.code != GONE]
        if errors and len(failures) == len(rows):
            raise errors[0]
        pages = [
            page for row, answer in zip(rows, answers, strict=True) for page in review_pages(row, answer)
        ]
        text = [f"Found {pluralize(len(pages), 'pages')} with {effect.target}."]
        text += [f"None of {name} could be looked up: {reason(error)}" for name, error in failures.items()]
        if not pages:
            text.append("A search may find some on the web.")
        return Outcome("done", " ".join(text), value=effect.target, found=tuple(pages))


def review_pages(row: Row, answer: Answer) -> list[Found]:
    """Return the pages with reviews of *row* in *answer*, of the engine PRODUCT.

    Pages without a buyer's words are left out. A shop's reviews are on its page. If that page is unknown,
    they are on the product's own page.
    """
    product = None if isinstance(answer, JarvisError) else at(answer.page, "product_results")
    own = address.url if (address := urls.found(row.url)) else ""
    shops = {words_at(each, "name").casefold(): page_at(each) for each in entries_at(product, "stores")}
    by_page: dict[str, list[object]] = {}
    for review in entries_at(product, "user_reviews")[:_MOST_REVIEWS]:
        page = shops.get(words_at(review, "source").casefold()) or own
        if page and words_at(review, "text"):
            by_page.setdefault(page, []).append(review)
    written = [_found(page, reviews, title_of(row)) for page, reviews in by_page.items()]
    talk = entries_at(product, "discussions_and_forums")
    hits = ((page_at(each), words_at(each, "title"), words_at(each, "snippet", limit=_TEXT)) for each in talk)
    return [*written, *(Found(*each, section="reviews") for each in hits if each[0])][:_MOST_PAGES]


def _found(page: str, reviews: Sequence[object], title: str) -> Found:
    """Return the *page* of a product at a store, with its *reviews*, which have no pages of their own."""
    sources = ", ".join(filter(None, dict.fromkeys(words_at(review, "source") for review in reviews)))
    head = f"{one_line(sources, _SOURCES) or 'Buyers'}: reviews of {one_line(title, _TITLE)}"
    return Found(page, head, " | ".join(map(_format_review, reviews)), "reviews", host=urls.host_of(page))


def _format_review(review: object) -> str:
    """Return a buyer's review with its stars."""
    stars = rating_at(review)
    texts = words_at(review, "title"), words_at(review, "text", limit=_TEXT)
    return ": ".join(filter(None, [f"{stars.value}/5" if stars else "", *texts]))


ACTION = ReadReviews()
