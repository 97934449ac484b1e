"""Asks who sells offers that were found, and for what: each by what its service finds it again by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.errors import JarvisError, SearchFailed
from ...core.tables import Row
from ...search.offers.pages import ebay_page
from .markets import HOME, ITEM, PRODUCT, SHOPS, Asked
from .priced import QUERY, title_of

if TYPE_CHECKING:
    from ...search.serpapi import Engines, Page

TOKEN, NUMBER = "page_token", "product_id"  # of a row's private values
_NOTHING = "No service tells more of it."


class Gone(SearchFailed):
    """What a service had is not there any more."""


async def looked_up(
    rows: Sequence[Row], country: str, engines: Engines
) -> list[tuple[Asked, Page] | JarvisError]:
    """Return what is known of each of *rows* now: its page, with what it was asked by; or why there is none.

    Where the token of a row is refused, as old ones are, the list that it was in is fetched for a new one,
    once, as far as searches are left. Raises JarvisErrors where nothing could be asked.
    """
    country = country or HOME
    wanted = [asked_of(row, country) for row in rows]
    found = await _asked(wanted, engines)
    old = [at for at, each in enumerate(found) if _is_refused(wanted[at], each)]
    if old:
        newer = await _found_again([rows[at] for at in old], country, engines)
        again = await _asked(newer, engines, may_fail=True)
        for at, each in zip(old, again, strict=True):
            found[at] = each if isinstance(each, tuple) else found[at]
    return [each if isinstance(each, JarvisError) else _whole(each) for each in found]


def asked_of(row: Row, country: str) -> Asked | None:
    """Return what tells more of *row*; None where nothing does. country: of two letters."""
    query = row.private.get(QUERY, "")
    if token := row.private.get(TOKEN):
        return Asked(query, PRODUCT, {TOKEN: token, "more_stores": "true"}, country)
    url, item = ebay_page(row.url)
    if not item:
        return None
    domain = url.split("/")[2].removeprefix("www.")
    return Asked(query, ITEM, {NUMBER: item, "ebay_domain": domain}, country)


async def _asked(
    wanted: Sequence[Asked | None], engines: Engines, *, may_fail: bool = False
) -> list[tuple[Asked, Page] | JarvisError]:
    """Return what each of *wanted* was answered. may_fail: no error is raised, each has it instead."""
    asking = [each for each in wanted if each]
    try:
        pages = await engines.ask_all([(each.engine, each.params) for each in asking]) if asking else []
    except JarvisError as error:
        if not may_fail:
            raise
        pages = [error] * len(asking)
    left = iter(pages)
    return [_answer(each, next(left)) if each else SearchFailed(_NOTHING) for each in wanted]


def _answer(asked: Asked, page: Page | JarvisError) -> tuple[Asked, Page] | JarvisError:
    return page if isinstance(page, JarvisError) else (asked, page)


def _is_refused(wanted: Asked | None, answer: tuple[Asked, Page] | JarvisError) -> bool:
    """Return whether a token was refused. SerpAPI may say so by an error, or by a page with nothing on it."""
    if not wanted or wanted.engine != PRODUCT or not wanted.query:
        return False
    return isinstance(answer, SearchFailed) or (isinstance(answer, tuple) and not _has_product(answer[1]))


def _has_product(page: Page) -> bool:
    return bool(page.get("product_results"))


def _whole(answer: tuple[Asked, Page]) -> tuple[Asked, Page] | JarvisError:
    return answer if _has_product(answer[1]) else Gone("It is not there any more.")


async def _found_again(rows: Sequence[Row], country: str, engines: Engines) -> list[Asked | None]:
    """Return what tells more of each of *rows* by a new token, from the list of what it was found by."""
    queries = dict.fromkeys(row.private[QUERY] for row in rows)
    lists = {query: Asked(query, SHOPS, {"q": query, "gl": country}, country) for query in queries}
    answers = await _asked([*lists.values()], engines, may_fail=True)
    by_query = dict(zip(lists, answers, strict=True))
    return [_with_new_token(row, by_query[row.private[QUERY]], country) for row in rows]


def _with_new_token(row: Row, answer: tuple[Asked, Page] | JarvisError, country: str) -> Asked | None:
    if isinstance(answer, JarvisError):
        return None
    asked, page = answer
    offers = asked.read(page).offers
    number, title = row.private.get(NUMBER), title_of(row)
    same = next((each for each in offers if number and each.private.get(NUMBER) == number), None)
    same = same or next((each for each in offers if each.title == title), None)
    is_new = same and same.private.get(TOKEN) not in (None, row.private.get(TOKEN))
    return (
        asked_of(row._replace(private={**row.private, **same.private}), country) if same and is_new else None
    )
