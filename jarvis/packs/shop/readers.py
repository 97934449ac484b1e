"""Reads the offers in the answers of SerpAPI's engines, by a table of the keys that each engine uses.

It reads no ad, and no address that leads on to somewhere else.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from ...core import urls
from ...core.money import Money, price_in, price_of
from ...core.tables import Cell, Row
from ...core.text import one_line
from ...search.extract import is_google, leads_on
from ..entries import (
    MERCHANT,
    UNREADABLE,
    at,
    entries_at,
    notes_of,
    page_at,
    rating_at,
    reason_against,
    token_at,
    words_at,
)
from .offers import DELIVERY, NEW, REFURBISHED, USED, Offer, Offers, offer_in

SHOPS, EBAY, WEB = "google_shopping", "ebay", "google"  # SerpAPI's names of them
PRODUCT, ITEM = "google_immersive_product", "ebay_product"  # and of what tells more of one thing there
TOKEN, PRODUCT_ID = "page_token", "product_id"  # by which they find it again: an offer's private values
SERVICE = "service"  # an offer's address is the service's page about it, else MERCHANT
MERCARI_HOST = "jp.mercari.com"
ON_EBAY, ON_MERCARI = "eBay", "Mercari"  # as stores
NOTES = "notes"  # the key of other notes: on delivery, returns, stock

# Why something was left out, besides the reasons of entries.py.
AUCTION = "auctions"
BROKEN = "for parts only"
NO_PRICE = "without a price"
NO_SINGLE_PRICE = "without a single price"  # a range, a price from, a price a month
MAY_BE_SOLD, SOLD = "may be sold", "sold"  # on Mercari
OTHER_PAGE = "other pages"

# What eBay and Google write of a condition, in English. The first match counts: “Open box” and
# “New with defects” are not new, “Very Good - Refurbished” is refurbished, not used.
_CONDITIONS = (
    (BROKEN, r"\bfor parts\b|\bparts only\b|\bnot working\b"),
    (REFURBISHED, r"refurbished|renewed|remanufactured|reconditioned"),
    (USED, r"\bused\b|pre-?owned|second[- ]?hand|open[- ]?box|like new|defects|imperfections"),
    (USED, r"^(?:very good|good|acceptable)(?: ·.*)?$"),  # of books and records
    (NEW, r"^(?:brand )?new\b"),
)
# Shops that don't mark an entry as second-hand say so in its title, and these words mean nothing else there.
_IN_TITLE = ((REFURBISHED, r"\b(?:refurbished|renewed)\b"), (USED, r"\b(?:pre-?owned|second[- ]hand)\b"))

# How a service that is asked in English writes what delivery costs. “Free on £50+” and “free for members”
# are not free, and free returns are no delivery: so all of a text has to be one of these, with a day at most.
_WAY = r"(?:delivery|shipping|postage)"
_DAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|[0-9]{1,2})"
_WHEN = rf"(?: (?:by|between) {_DAY}(?:[ ,–-]+{_DAY})*)?"
_FREE = rf"free(?: {_WAY}{_WHEN})?"
_PAID = rf"\+? ?(\S.*?)(?: {_WAY}{_WHEN})?"
_LONGEST = 120  # characters of a text about it

_ON_GOOGLE = ("/shopping/product/", "/search")  # of Google's paths, those that show a product
_SHORT = 2  # words: “Pre-owned”, “Seller refurbished”, but not “New customers save 10%”
# eBay under each country's domain; rover.ebay.com and its like lead on.
_EBAY = re.compile(r"(?:www\.)?ebay\.(?:com|[a-z]{2}|com?\.[a-z]{2}|com\.[a-z]{2})\Z")
_EBAY_ITEM = re.compile(r"/itm/(?:[^/]+/)?([0-9]{9,19})/?\Z")
_BIDDING = ("bids", "time_left")  # what only an auction has

_MERCARI_ITEM = re.compile(r"/item/m[0-9]{6,14}/?\Z")
_NAME = r"(?:メルカリ|mercari)"
_SUFFIX = re.compile(rf"\s*(?:[-–—|·]|\bby)\s*{_NAME}\s*\Z", re.IGNORECASE)
_IS_SOLD = re.compile(r"売り?切れ|在庫切れ|在庫なし|sold ?out|out of stock", re.IGNORECASE)

Entry = Mapping[str, object]


class EngineForm(NamedTuple):
    """The places of offers in an engine's answer, and the keys of an entry's values.

    Next to a written amount is the number that the service itself read there.
    """

    entries: tuple[str, ...]
    page: Callable[[Entry], Row]  # its row, with its page and by what its service finds it again
    store: str = ""  # who sells it, or "" for eBay
    usual: str = ""  # the state of what says none
    price: tuple[str, ...] = ("price",)
    delivery: tuple[str, ...] = ("delivery",)
    notes: tuple[str, ...] = ()


def read_offers(engine: str, answer: object, country: str, code: str = "") -> Offers:
    """Return the offers in the *answer* of that *engine*, or for WEB the index entries of Mercari.

    country: of the search, two letters. code: the currency in the request, if it had one.
    """
    form = _ENGINES.get(engine)
    read = partial(_offer, form=form, code=code) if form else _on_mercari
    entries = _entries(answer, form.entries if form else ("organic_results",))
    made = [read(each, country) if isinstance(each, dict) else UNREADABLE for each in entries]
    offers = tuple(each for each in made if isinstance(each, Offer))
    left_out = Counter(each for each in made if isinstance(each, str))
    return Offers(offers, dict(left_out))


def ebay_page(raw: object) -> tuple[str, str]:
    """Return the address of eBay's page of an item, without what tracks, and the item's number."""
    address = urls.found(raw)
    item = _EBAY_ITEM.search(urlsplit(address.url).path) if address and _EBAY.match(address.host) else None
    return (f"https://{address.host}/itm/{item[1]}", item[1]) if address and item else ("", "")


def _entries(answer: object, keys: tuple[str, ...]) -> list[object]:
    """Return all entries, also those in categories, and one outside a list. A product's get its title."""
    groups = (at(each, *keys) for each in (answer, *entries_at(answer, "categorized_shopping_results")))
    lists = (group if isinstance(group, list) else [group] for group in groups if group)
    title = at(answer, "product_results", "title")
    return [{"title": title, **e} if isinstance(e, dict) else e for entries in lists for e in entries]


def _offer(entry: Entry, country: str, form: EngineForm, code: str) -> Offer | str:
    """Return the offer in *entry*, or the reason to leave it out."""
    price, state = _amount(entry, form.price, country, code), _state(entry, form.usual)
    reason = _reason_against(entry, price, at(entry, *form.price), state)
    if reason or not price:
        return reason
    delivery = _delivery(entry, form.delivery, country, price.currency)
    way = at(entry, *form.delivery, "raw") or at(entry, *form.delivery)
    cells: dict[str, Cell] = {
        "product": words_at(entry, "title"),
        "price": price,
        "state": state or None,
        "store": (words_at(entry, form.store) or None) if form.store else ON_EBAY,
        "rating": rating_at(entry),
        DELIVERY: delivery,
        NOTES: ", ".join(notes_of(None if delivery else way, *map(entry.get, form.notes))) or None,
    }
    return offer_in(form.page(entry)._replace(cells=cells)) or NO_PRICE


def _reason_against(entry: Entry, price: Money | None, value: object, state: str = "") -> str:
    """Return the reason to leave *entry* out, or "" for an offer. value: the text or number of its price."""
    if reason := reason_against(entry):
        return reason
    is_bid_for = any(entry.get(mark) is not None for mark in _BIDDING)  # 0 bids are a mark as well
    if is_bid_for or "auction" in words_at(entry, "buying_format").lower():
        return AUCTION
    if at(entry, "variations", "combinations"):  # each has its price
        return NO_SINGLE_PRICE
    if not price:
        return NO_SINGLE_PRICE if value else NO_PRICE
    return BROKEN if state == BROKEN else ""


# Amounts


def _amount(
    entry: Entry,
    keys: tuple[str, ...],
    country: str,
    code: str,
    read: Callable[..., Money | None] = price_in,
) -> Money | None:
    """Return the amount under *keys*: by its number and code, or as *read* reads what is written there."""
    value, key = at(entry, *keys), keys[-1]
    if isinstance(value, Mapping) and isinstance(currency := value.get("currency"), str):
        return price_of(value.get("amount"), currency)
    if isinstance(value, Mapping):
        return read(value.get("raw"), country, value.get("extracted"), default=code)
    number = entry.get(f"extracted_{key}", entry.get(f"{key}_extracted"))
    return read(value, country, number, default=code)


def _delivery(entry: Entry, keys: tuple[str, ...], country: str, currency: str) -> Money | None:
    """Return the price of delivery, 0 if free, or None if it is unclear or in another *currency*."""
    ways = at(entry, *keys)
    if isinstance(ways, list):  # of several the first, a buyer's by default
        entry, keys = (ways[0] if ways and isinstance(ways[0], dict) else {}), ("price",)
        if entry.get("free") is True:
            return Money(Decimal(0), currency)
    cost = _amount(entry, keys, country, currency, _delivery_cost)
    return cost if cost and cost.currency == currency else None


def _delivery_cost(text: object, country: str, extracted: object = None, *, default: str) -> Money | None:
    """Return the price of delivery in *text*, 0 if free, or None if it is unclear.

    The other arguments are those of `price_in`.
    """
    words = one_line(text, _LONGEST) if isinstance(text, str) else ""
    if re.fullmatch(_FREE, words, re.IGNORECASE):
        return None if extracted else Money(Decimal(0), default)
    paid = re.fullmatch(_PAID, words, re.IGNORECASE)
    return price_in(paid[1], country, extracted, default=default) if paid else None


# States


def _first(text: str, patterns: tuple[tuple[str, str], ...]) -> str:
    return next((state for state, pattern in patterns if re.search(pattern, text, re.IGNORECASE)), "")


def _state(entry: Entry, usual: str) -> str:
    """Return the state by a mark, a short detail, or the title, or BROKEN.

    usual: the state of an entry without a mark.
    """
    for mark in ("condition", "second_hand_condition"):
        if entry.get(mark) is not None:
            return _first(words_at(entry, mark), _CONDITIONS)
    details = notes_of(entry.get("tag"), entry.get("details_and_offers"))
    states = (_first(each, _CONDITIONS) for each in details if len(each.split()) <= _SHORT)
    return next(filter(None, states), "") or _first(words_at(entry, "title"), _IN_TITLE) or usual


# Pages


def _of_shop(entry: Entry) -> Row:
    """Return the shop's page, or else Google's own, the only one of most entries since 2025."""
    found = {TOKEN: token_at(entry, "immersive_product_page_token"), PRODUCT_ID: token_at(entry, PRODUCT_ID)}
    private = {name: token for name, token in found.items() if token}
    merchant, service = page_at(entry), _page_on_google(entry.get("product_link"))
    link = MERCHANT if merchant else SERVICE if service else ""
    return Row("", {}, merchant or service, link, private)


def _of_ebay(entry: Entry) -> Row:
    url, item = ebay_page(entry.get("product_link") or entry.get("link"))
    return Row("", {}, url, MERCHANT, {PRODUCT_ID: item}) if url else Row("", {})


def _page_on_google(raw: object) -> str:
    """Return the address of Google's page about a product, or "" for anything else, such as an ad's."""
    address = urls.found(raw)
    if not address or not is_google(address.host) or leads_on(address.url):
        return ""
    return address.url if urlsplit(address.url).path.startswith(_ON_GOOGLE) else ""


_ENGINES: Mapping[str, EngineForm] = {
    # Google has marked what is not new.
    SHOPS: EngineForm(("shopping_results",), _of_shop, "source", NEW),
    PRODUCT: EngineForm(
        ("product_results", "stores"),
        _of_shop,
        "name",
        delivery=("shipping",),
        notes=("tag", "details_and_offers"),
    ),
    EBAY: EngineForm(  # its prices are objects, a range where it has variants
        ("organic_results",),
        _of_ebay,
        delivery=("shipping",),
        notes=("returns", "condition"),
    ),
    ITEM: EngineForm(  # its prices are bare numbers with the code of a currency
        ("product_results",),
        _of_ebay,
        price=("buy", "buy_it_now", "price"),
        delivery=("shipping", "options"),
        notes=("condition", "short_description"),
    ),
}


# Mercari in Japan is not asked itself: its terms forbid other ways in than its own pages. So a price is as
# old as Google's index, and what is listed may be sold.


def _on_mercari(entry: Entry, country: str) -> Offer | str:
    page = urls.found(entry.get("link"))
    if not page or page.host != MERCARI_HOST or not _MERCARI_ITEM.search(urlsplit(page.url).path):
        return OTHER_PAGE
    title = _SUFFIX.sub("", words_at(entry, "title"))
    # A price is what the page itself marks as such, not what a seller writes.
    marked = notes_of(*(at(entry, "rich_snippet", part, "extensions") for part in ("top", "bottom")))
    if any(_IS_SOLD.search(text) for text in (*marked, title, words_at(entry, "snippet"))):
        return SOLD
    amounts = {amount for text in marked if (amount := price_in(text, country))}
    price = next(iter(amounts)) if len(amounts) == 1 else None
    reason = _reason_against({**entry, "title": title}, price, amounts)
    if reason or not price:
        return reason
    cells: dict[str, Cell] = {"product": title, "price": price, "state": MAY_BE_SOLD, "store": ON_MERCARI}
    return offer_in(Row("", cells, page.url, MERCHANT)) or NO_PRICE
