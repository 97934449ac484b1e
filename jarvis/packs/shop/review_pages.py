"""Makes pages that can be cited of what buyers wrote: the reviews of each shop on the page of that shop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core import urls
from ...core.tables import Row
from ...core.text import one_line
from ...core.types import Found
from ...search.offers.reviews import Review, discussions_in, rating_in, reviews_in
from .priced import title_of

_TITLE = 100  # characters of a product's title
_SOURCES = 50  # of the names of shops
_MOST = 10  # pages of a product


def review_pages(row: Row, answer: object) -> list[Found]:
    """Return the pages with what *answer* has of reviews of *row*; none where it has no word of a buyer.

    What was written at a shop whose page is not known stands on the product's own page.
    """
    own, by_page = _own_page(row), dict[str, list[Review]]()
    for review in reviews_in(answer):
        by_page.setdefault(review.page or own, []).append(review)
    written = [_found(page, reviews, title_of(row)) for page, reviews in by_page.items() if page]
    if written and (rating := rating_in(answer)):
        written[0] = written[0]._replace(snippet=f"Rated {rating} | {written[0].snippet}")
    return once([*written, *discussions_in(answer)])[:_MOST]


def once(pages: Iterable[Found]) -> list[Found]:
    """Return *pages* without those that come again."""
    return list({page.url: page for page in reversed([*pages])}.values())[::-1]


def _own_page(row: Row) -> str:
    page = urls.found(row.url)
    return page.url if page else ""


def _found(page: str, reviews: Sequence[Review], title: str) -> Found:
    sources = ", ".join(dict.fromkeys(review.source for review in reviews if review.source))
    head = f"{one_line(sources, _SOURCES) or 'Buyers'}: reviews of {one_line(title, _TITLE)}"
    told = " | ".join(review.text for review in reviews)
    return Found(page, head, told, "reviews", host=urls.host_of(page))
