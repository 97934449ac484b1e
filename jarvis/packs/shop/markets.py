"""The places where things are for sale, and the queries that search them or look a row up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import JarvisError, LimitReached, Refused, SearchFailed
from ...core.money import Money, home_currency
from ...core.tables import Row
from .offers import ANY, COUNTRY, NEW, QUERY, REFURBISHED, USED, Limits, Offers, title_of
from .readers import EBAY, ITEM, MERCARI_HOST, PRODUCT, PRODUCT_ID, SHOPS, TOKEN, WEB, ebay_page, read_offers

if TYPE_CHECKING:
    from ...search.serpapi import Engines

MERCARI = "mercari"
MARKETS = ("shops", EBAY, MERCARI)  # their names
HOME = "us"  # whose prices count if the user's country is unknown
GONE = "gone"  # the code of the error that nobody has it any more, or that no service tells of it
_PLACES = {SHOPS: "Google Shopping", EBAY: "eBay"}
_EBAYS = {country: f"ebay.{country}" for country in "at ca ch de es fr ie it nl pl".split()}
_EBAYS |= {"us": "ebay.com", "uk": "ebay.co.uk", "au": "ebay.com.au"}
# eBay's numbers for the states that people name.
_CONDITIONS = {NEW: "1000", USED: "3000", REFURBISHED: "2000|2010|2020|2030|2500"}


class MarketQuery(NamedTuple):
    """A search in one place."""

    query: str
    engine: str
    params: Mapping[str, str]
    country: str

    @property
    def place(self) -> str:
        """The place's name, as people write it at the start of a sentence."""
        return _PLACES.get(self.engine, "Mercari's index")


Answer = Offers | JarvisError  # or why there is none


def searches(queries: Sequence[str], limits: Limits, country: str, market: str = "") -> list[MarketQuery]:
    """Return the searches for *queries*: in *market*, or else in shops, with eBay for used things.

    The services get the limit too, but Jarvis applies it to their answers. country: the user's, as hosts end
    there. Raises Refused if the market is eBay and their country has no eBay.
    """
    country = country or HOME
    if market == MERCARI:
        return [_on_mercari(query) for query in queries]
    if market == EBAY and country not in _EBAYS:
        raise Refused(f"eBay has no site of its own in {country.upper()}.", hint="Ask for it without eBay.")
    is_used = bool({USED, REFURBISHED} & {*limits.states})
    asks_ebay = market == EBAY or (not market and is_used and country in _EBAYS)
    places = [*[_in_shops] * (market != EBAY), *[_on_ebay] * asks_ebay]
    return [make(query, limits, country) for query in queries for make in places]


async def answers_to(wanted: Sequence[MarketQuery | None], engines: Engines) -> list[Answer]:
    """Return the answer to each of *wanted*. For None, which no service knows, it is GONE."""
    asking = [each for each in wanted if each]
    try:
        pages = await engines.ask_all([(each.engine, each.params) for each in asking]) if asking else []
    except LimitReached as error:
        pages = [error] * len(asking)
    left = iter(pages)
    unknown = SearchFailed("No service tells more of it.", code=GONE)
    return [_answer(each, next(left)) if each else unknown for each in wanted]


async def looked_up(rows: Sequence[Row], country: str, engines: Engines) -> list[Answer]:
    """Return the current data of each of *rows*, found again by its service.

    If the token of a row is refused, as old ones are, the list that it came from is searched again.
    """
    found = await answers_to([found_again_by(row, country) for row in rows], engines)
    old = [at for at, each in enumerate(found) if _is_refused(rows[at], each)]
    lists = [_in_shops(rows[at].private[QUERY], ANY, country or HOME) for at in old]
    for at, each in zip(old, await answers_to(lists, engines), strict=True):
        found[at] = _listed(rows[at], each)
    gone = SearchFailed("It is not there any more.", code=GONE)
    return [gone if _is_empty(each) else each for each in found]


def found_again_by(row: Row, country: str) -> MarketQuery | None:
    """Return the query that finds more about *row*, or None. country: two letters or empty."""
    country, query = country or HOME, row.private.get(QUERY, "")
    if token := row.private.get(TOKEN):
        return MarketQuery(query, PRODUCT, {TOKEN: token, "more_stores": "true"}, country)
    url, item = ebay_page(row.url)
    domain = url.removeprefix("https://").removeprefix("www.").partition("/")[0]
    return MarketQuery(query, ITEM, {PRODUCT_ID: item, "ebay_domain": domain}, country) if item else None


def _answer(search: MarketQuery, page: Mapping[str, object] | JarvisError) -> Answer:
    """Return the offers on a *page*, each row with its query and country."""
    if isinstance(page, JarvisError):
        return page
    currency = home_currency(search.country)
    found = read_offers(search.engine, page, search.country, currency.code if currency else "")
    values = {QUERY: search.query, COUNTRY: search.country}
    rows = (each.row._replace(private={**each.row.private, **values}) for each in found.offers)
    offers = [each._replace(row=row) for each, row in zip(found.offers, rows, strict=True)]
    return Offers(tuple(offers), found.left_out, page)


def _in_shops(query: str, limits: Limits, country: str) -> MarketQuery:
    params = {"q": query, "gl": country, "max_price": _limit(limits.most, country)}
    return MarketQuery(query, SHOPS, _search_words(params), country)


def _on_ebay(query: str, limits: Limits, country: str) -> MarketQuery:
    """Return the query to eBay for things to buy at once, since a bid isn't a price."""
    params = {
        "_nkw": query,
        "ebay_domain": _EBAYS[country],
        "buying_format": "BIN",
        "LH_ItemCondition": "|".join(_CONDITIONS[state] for state in limits.states if state in _CONDITIONS),
        "_udhi": _limit(limits.most, country),
    }
    return MarketQuery(query, EBAY, _search_words(params), country)


def _on_mercari(query: str) -> MarketQuery:
    return MarketQuery(query, WEB, {"q": f"site:{MERCARI_HOST}/item {query}", "gl": "jp", "hl": "ja"}, "jp")


def _search_words(params: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in params.items() if value}


def _limit(most: Money | None, country: str) -> str:
    """Return the limit for a service: a number in the currency of *country*, or empty."""
    currency = home_currency(country)
    return f"{most.amount:f}" if most and currency and most.currency == currency.code else ""


def _is_refused(row: Row, answer: Answer) -> bool:
    """Return whether a token was refused. SerpAPI may say so by an error, or by a page with nothing on it."""
    has_list = bool(row.private.get(TOKEN) and row.private.get(QUERY))
    return has_list and (isinstance(answer, SearchFailed) or _is_empty(answer))


def _is_empty(answer: Answer) -> bool:
    return isinstance(answer, Offers) and not (answer.offers or answer.page.get("product_results"))


def _listed(row: Row, answer: Answer) -> Answer:
    """Return the offers in *answer*, a list, of the product in *row*, by its number or its title."""
    if isinstance(answer, JarvisError):
        return answer
    marks = {*filter(None, (row.private.get(PRODUCT_ID), title_of(row)))}
    same = (each for each in answer.offers if marks & {each.row.private.get(PRODUCT_ID), each.title})
    return answer._replace(offers=tuple(same))
