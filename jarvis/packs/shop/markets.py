"""Where things are for sale: what each place is asked, first and to look up again what was found there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import JarvisError, Refused, SearchFailed
from ...core.money import Money, home_currency
from ...core.tables import Row
from .offers import NEW, REFURBISHED, USED, Limits, Offers
from .priced import QUERY, title_of
from .readers import EBAY, ITEM, NUMBER, PRODUCT, READERS, SHOPS, SITE, TOKEN, WEB, ebay_page

if TYPE_CHECKING:
    from ...search.serpapi import Engines, Page

MERCARI = "mercari"
MARKETS = ("shops", EBAY, MERCARI)  # as they are named
HOME = "us"  # where prices are asked where it is not known where the person is
_PLACES = {SHOPS: "Google Shopping", EBAY: "eBay"}
_OWN_EBAYS = ("at", "ca", "ch", "de", "es", "fr", "ie", "it", "nl", "pl")
_EBAYS = {
    **{country: f"ebay.{country}" for country in _OWN_EBAYS},
    "us": "ebay.com",
    "uk": "ebay.co.uk",
    "gb": "ebay.co.uk",
    "au": "ebay.com.au",
}
# eBay's numbers for the states that people name.
_CONDITIONS = {NEW: "1000", USED: "3000", REFURBISHED: "2000|2010|2020|2030|2500"}
_NOTHING = "No service tells more of it."


class Asked(NamedTuple):
    """What is looked for in one place."""

    query: str
    engine: str
    params: Mapping[str, str]
    country: str

    @property
    def place(self) -> str:
        """Where it is asked, as people call it, at the beginning of a sentence."""
        return _PLACES.get(self.engine, "Mercari's index")

    def read(self, answer: object) -> Offers:
        """Return the offers in the *answer*."""
        currency = home_currency(self.country)
        return READERS[self.engine](answer, self.country, currency.code if currency else "")


class Gone(SearchFailed):
    """What a service had is not there any more."""


Answer = tuple[Asked, "Page"] | JarvisError  # a page, with what it was asked by; or why there is none


def searches(queries: Sequence[str], limits: Limits, country: str, market: str = "") -> list[Asked]:
    """Return where *queries* are looked for: in the *market* named, else in shops, used ones on eBay too.

    The services are told of the limit, but it counts only once it was looked at here. country: the person's,
    as hosts end there. Raises Refused where eBay is named and is not in their country.
    """
    country = country or HOME
    if market == MERCARI:
        asked = {"gl": "jp", "hl": "ja"}
        return [Asked(query, WEB, {"q": f"site:{SITE}/item {query}", **asked}, "jp") for query in queries]
    if market == EBAY and country not in _EBAYS:
        raise Refused(f"eBay has no site of its own in {country.upper()}.", hint="Ask for it without eBay.")
    limit, wanted = _limit(limits.most, country), []
    for query in queries:
        if market != EBAY:
            shops = {"q": query, "gl": country, **({"max_price": limit} if limit else {})}
            wanted.append(Asked(query, SHOPS, shops, country))
        if market == EBAY or (not market and _is_used(limits) and country in _EBAYS):
            wanted.append(Asked(query, EBAY, _on_ebay(query, limits, limit, country), country))
    return wanted


def without_ebay(limits: Limits, country: str, market: str) -> str:
    """Return that eBay was not asked, though used things were looked for; empty: it was, or need not be."""
    country = country or HOME
    is_missing = not market and _is_used(limits) and country not in _EBAYS
    return f"Shops alone: eBay has no site of its own in {country.upper()}." if is_missing else ""


async def looked_up(rows: Sequence[Row], country: str, engines: Engines) -> list[Answer]:
    """Return what is known of each of *rows* now, by what its service finds it again by.

    Where the token of a row is refused, as old ones are, the list that it was in is fetched for a new one,
    once, as far as searches are left. Raises JarvisErrors where nothing could be asked.
    """
    country = country or HOME
    wanted = [found_again_by(row, country) for row in rows]
    found = await _asked(wanted, engines)
    if old := [at for at, each in enumerate(found) if _is_refused(wanted[at], each)]:
        newer = await _by_new_tokens([rows[at] for at in old], country, engines)
        again = await _asked(newer, engines, may_fail=True)
        for at, each in zip(old, again, strict=True):
            found[at] = each if isinstance(each, tuple) else found[at]
    return [
        each if isinstance(each, JarvisError) or _has_product(each[1]) else Gone("It is not there any more.")
        for each in found
    ]


def found_again_by(row: Row, country: str) -> Asked | None:
    """Return what tells more of *row*; None where nothing does. country: of two letters."""
    query = row.private.get(QUERY, "")
    if token := row.private.get(TOKEN):
        return Asked(query, PRODUCT, {TOKEN: token, "more_stores": "true"}, country)
    url, item = ebay_page(row.url)
    if not item:
        return None
    domain = url.split("/")[2].removeprefix("www.")
    return Asked(query, ITEM, {NUMBER: item, "ebay_domain": domain}, country)


def _is_used(limits: Limits) -> bool:
    return bool({USED, REFURBISHED} & {*limits.states})


def _on_ebay(query: str, limits: Limits, limit: str, country: str) -> dict[str, str]:
    conditions = "|".join(_CONDITIONS[state] for state in limits.states if state in _CONDITIONS)
    return {
        "_nkw": query,
        "ebay_domain": _EBAYS[country],
        "buying_format": "BIN",
        **({"LH_ItemCondition": conditions} if conditions else {}),
        **({"_udhi": limit} if limit else {}),
    }


def _limit(most: Money | None, country: str) -> str:
    """Return the limit as the services are told it: a number in the currency of *country*, else nothing."""
    currency = home_currency(country)
    return f"{most.amount:f}" if most and currency and most.currency == currency.code else ""


async def _asked(wanted: Sequence[Asked | None], engines: Engines, *, may_fail: bool = False) -> list[Answer]:
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


def _answer(asked: Asked, page: Page | JarvisError) -> Answer:
    return page if isinstance(page, JarvisError) else (asked, page)


def _is_refused(wanted: Asked | None, answer: Answer) -> bool:
    """Return whether a token was refused. SerpAPI may say so by an error, or by a page with nothing on it."""
    if not wanted or wanted.engine != PRODUCT or not wanted.query:
        return False
    return isinstance(answer, SearchFailed) or (isinstance(answer, tuple) and not _has_product(answer[1]))


def _has_product(page: Page) -> bool:
    return bool(page.get("product_results"))


async def _by_new_tokens(rows: Sequence[Row], country: str, engines: Engines) -> list[Asked | None]:
    """Return what tells more of each of *rows* by a new token, from the list of what it was found by."""
    queries = dict.fromkeys(row.private[QUERY] for row in rows)
    lists = {query: Asked(query, SHOPS, {"q": query, "gl": country}, country) for query in queries}
    answers = dict(zip(lists, await _asked([*lists.values()], engines, may_fail=True), strict=True))
    return [_with_new_token(row, answers[row.private[QUERY]], country) for row in rows]


def _with_new_token(row: Row, answer: Answer, country: str) -> Asked | None:
    if isinstance(answer, JarvisError):
        return None
    asked, page = answer
    offers = asked.read(page).offers
    number, title = row.private.get(NUMBER), title_of(row)
    same = next((each for each in offers if number and each.private.get(NUMBER) == number), None)
    same = same or next((each for each in offers if each.title == title), None)
    if not same or same.private.get(TOKEN) in (None, row.private.get(TOKEN)):
        return None
    return found_again_by(row._replace(private={**row.private, **same.private}), country)
