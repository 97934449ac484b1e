"""Reads the offers in the answers of SerpAPI's engines.

country: where was asked, of two letters. asked: the code of the currency, if one was asked for.
No ad is read, and no address that leads on to somewhere else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

from ...core import urls
from ...core.money import CURRENCIES, Money, old_price_in, price_in, price_of
from ...search.extract import is_google
from ..entries import (
    MERCHANT,
    at,
    entries_at,
    is_ad,
    leads_on,
    notes_of,
    page_at,
    rating_at,
    token_at,
    words_at,
)
from .offers import (
    AUCTION,
    NEW,
    NO_SINGLE_PRICE,
    Offer,
    Offers,
    condition_in,
    condition_in_title,
    delivery_cost,
    gathered,
    link_of,
    reason_against,
    reduced,
)

SHOPS, EBAY, WEB = "google_shopping", "ebay", "google"  # SerpAPI's names of them
PRODUCT, ITEM = "google_immersive_product", "ebay_product"  # and of what tells more of one thing there
TOKEN, NUMBER = "page_token", "product_id"  # by which they find it again: an offer's private values
SITE = "jp.mercari.com"
ON_EBAY, ON_MERCARI = "eBay", "Mercari"  # as stores
MAY_BE_SOLD, SOLD = "may be sold", "sold"  # on Mercari
OTHER_PAGE = "other pages"  # why something was left out there

_ON_GOOGLE = ("/shopping/product/", "/search")  # of Google's paths, those that show a product
_SHORT = 2  # words: “Pre-owned”, “Seller refurbished”, but not “New customers save 10%”
# eBay under each country's domain; rover.ebay.com and its like lead on.
_EBAY = re.compile(r"(?:www\.)?ebay\.(?:com|[a-z]{2}|com?\.[a-z]{2}|com\.[a-z]{2})\Z")
_EBAY_ITEM = re.compile(r"/itm/(?:[^/]+/)?([0-9]{9,19})/?\Z")
_BIDDING = ("bids", "time_left", "is_auction")  # what an auction alone has

_SNIPPET = 400  # characters
_MERCARI_ITEM = re.compile(r"/item/m[0-9]{6,14}/?\Z")
_NAME = r"(?:メルカリ|mercari)"
_SUFFIX = re.compile(rf"\s*(?:[-–—|·]|\bby)\s*{_NAME}\s*\Z", re.IGNORECASE)
_IS_SOLD = re.compile(r"売り?切れ|在庫切れ|在庫なし|sold ?out|out of stock", re.IGNORECASE)
# An amount in yen. Behind a list price or delivery, and before a lower end or a discount, it is no price.
_YEN = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+"
_AMOUNT = re.compile(
    r"(定価|送料)?\s?"
    rf"(¥\s?(?:{_YEN})(?![0-9,.])|(?<![0-9,.])(?:{_YEN})\s?(?:円|yen\b|jpy\b))"
    r"\s?(から|以上|以下|引き?|off\b|[~〜])?",
    re.IGNORECASE,
)

Entry = Mapping[str, object]


def shopping_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what Google has for sale in *answer*.

    Since 2025 an entry has only Google's own page of the product, and a token by which the engine PRODUCT
    tells the stores.
    """
    entries = entries_at(answer, "shopping_results")
    for category in entries_at(answer, "categorized_shopping_results"):
        entries = [*entries, *entries_at(category, "shopping_results")]
    searched_as = words_at(answer, "search_information", "spelling_fix")
    return gathered(entries, lambda entry: _of_google(entry, country, asked), searched_as)


def store_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what the stores in *answer* ask for its one product; there may be none."""
    product = words_at(answer, "product_results", "title")
    stores = entries_at(answer, "product_results", "stores")
    return gathered(stores, lambda store: _of_store(store, product, country, asked))


def ebay_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what is for sale on the eBay of *country*. What is bid in an auction is no price."""
    searched_as = words_at(answer, "search_information", "showing_results_for") or words_at(
        answer, "search_information", "spelling_fix"
    )
    entries = entries_at(answer, "organic_results")
    return gathered(entries, lambda entry: _of_ebay(entry, country, asked), searched_as)


def ebay_offer(answer: object, country: str, asked: str = "") -> Offers:
    """Return what *answer* offers: one thing on eBay, or none with the reason."""
    product = at(answer, "product_results")
    return gathered([product] if product else [], lambda entry: _of_item(entry, country, asked))


def mercari_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what Google's index has of Mercari in Japan, in yen, in an answer of the engine WEB.

    Mercari itself is not asked: its terms forbid other ways in than its own pages. So a price is as old as
    the index, and what is listed may be sold.
    """
    entries = entries_at(answer, "organic_results")
    other = words_at(answer, "search_information", "spelling_fix").removeprefix(f"site:{SITE}/item")
    return gathered(entries, lambda entry: _of_mercari(entry, country), other.strip())


READERS: Mapping[str, Callable[[object, str, str], Offers]] = {
    SHOPS: shopping_offers,
    PRODUCT: store_offers,
    EBAY: ebay_offers,
    ITEM: ebay_offer,
    WEB: mercari_offers,
}


def ebay_page(raw: object) -> tuple[str, str]:
    """Return the address of eBay's page of an item, without what tracks, and the item's number."""
    address = urls.found(raw)
    item = _EBAY_ITEM.search(urlsplit(address.url).path) if address and _EBAY.match(address.host) else None
    return (f"https://{address.host}/itm/{item[1]}", item[1]) if address and item else ("", "")


def _of_google(entry: Entry, country: str, asked: str) -> Offer | str:
    title, price = words_at(entry, "title"), _price_at(entry, country, asked)
    state = _state_on_google(entry, title)
    reason = reason_against(title, price, entry.get("price"), state, is_ad=is_ad(entry))
    if reason or not price:
        return reason
    merchant, service = page_at(entry), _page_on_google(entry.get("product_link"))
    return Offer(
        title,
        price,
        _old_price_at(entry, "old_price", country, price),
        state,
        words_at(entry, "source"),
        rating_at(entry),
        delivery_cost(entry.get("delivery"), country, price),
        notes_of(entry.get("delivery")),
        merchant or service,
        link_of(merchant, service),
        _tokens(page_token=_token(entry), product_id=token_at(entry, "product_id")),
    )


def _of_store(entry: Entry, product: str, country: str, asked: str) -> Offer | str:
    title, price = words_at(entry, "title") or product, _price_at(entry, country, asked)
    details = notes_of(entry.get("tag"), entry.get("details_and_offers"))
    # A short detail tells, or the title; here it is not sure that the rest is new.
    told = (condition_in(each) for each in details if len(each.split()) <= _SHORT)
    state = next(filter(None, told), "") or condition_in_title(title)
    reason = reason_against(title, price, entry.get("price"), state, is_ad=is_ad(entry))
    if reason or not price:
        return reason
    return Offer(
        title,
        price,
        _old_price_at(entry, "original_price", country, price),
        state,
        words_at(entry, "name"),
        rating_at(entry),
        delivery_cost(entry.get("shipping"), country, price, entry.get("shipping_extracted")),
        notes_of(entry.get("shipping"), [*details]),
        page_at(entry),
        link_of(page_at(entry)),
    )


def _of_ebay(entry: Entry, country: str, asked: str) -> Offer | str:
    """Return the offer in an entry of a list: its prices are objects, a range where it has variants."""
    title, said, shipping = words_at(entry, "title"), entry.get("price"), entry.get("shipping")
    price = price_in(at(said, "raw"), country, at(said, "extracted"), asked=asked)
    state, is_paid = condition_in(words_at(entry, "condition")), bool(entry.get("sponsored"))
    if not is_paid and _is_auction(entry):
        return AUCTION
    reason = reason_against(title, price, said, state, is_ad=is_paid)
    if reason or not price:
        return reason
    old, (url, item) = entry.get("old_price"), ebay_page(entry.get("link"))
    way = at(shipping, "raw") if isinstance(shipping, dict) else shipping
    return Offer(
        title,
        price,
        reduced(old_price_in(at(old, "raw"), country, at(old, "extracted"), asked=price.currency), price),
        state,
        ON_EBAY,
        rating_at(entry),
        delivery_cost(way, country, price, at(shipping, "extracted")),
        notes_of(way, entry.get("returns"), entry.get("condition")),
        url,
        link_of(url),
        _tokens(product_id=item),
    )


def _of_item(entry: Entry, country: str, asked: str) -> Offer | str:
    """Return the offer on an item's own page: its prices are bare numbers with the code of a currency."""
    title, said = words_at(entry, "title"), at(entry, "buy", "buy_it_now", "price")
    price, state = _coded_price(said, country, asked), condition_in(words_at(entry, "condition"))
    if not said and at(entry, "buy", "bid"):
        return AUCTION
    if at(entry, "variations", "combinations"):  # each has its price
        return NO_SINGLE_PRICE
    reason = reason_against(title, price, said, state, is_ad=False)
    if reason or not price:
        return reason
    pages = [page for key in ("product_link", "link") if (page := ebay_page(entry.get(key)))[0]]
    url, item = pages[0] if pages else ("", "")
    return Offer(
        title,
        price,
        state=state,
        store=ON_EBAY,
        delivery=_first_way(entries_at(entry, "shipping", "options"), price.currency),
        notes=notes_of(words_at(entry, "condition"), words_at(entry, "short_description")),
        url=url,
        link=link_of(url),
        private=_tokens(product_id=item),
    )


def _of_mercari(entry: Entry, country: str) -> Offer | str:
    page = urls.found(entry.get("link"))
    if not page or page.host != SITE or not _MERCARI_ITEM.search(urlsplit(page.url).path):
        return OTHER_PAGE
    title = _SUFFIX.sub("", words_at(entry, "title"))
    marked = notes_of(*(at(entry, "rich_snippet", part, "extensions") for part in ("top", "bottom")))
    written = (title, words_at(entry, "snippet", limit=_SNIPPET))
    if any(_IS_SOLD.search(_folded(text)) for text in (*marked, *written)):
        return SOLD
    # What the page itself marks as its price counts before what a seller writes.
    amounts = _amounts(marked, country) or _amounts(written, country)
    price = next(iter(amounts)) if len(amounts) == 1 else None
    reason = reason_against(title, price, amounts, "", is_ad=False)
    if reason or not price:
        return reason
    return Offer(title, price, state=MAY_BE_SOLD, store=ON_MERCARI, url=page.url, link=MERCHANT)


def _price_at(entry: Entry, country: str, asked: str) -> Money | None:
    return price_in(entry.get("price"), country, entry.get("extracted_price"), asked=asked)


def _old_price_at(entry: Entry, key: str, country: str, price: Money) -> Money | None:
    """Return the price under *key*, from before the *price* now, where that is lower."""
    extracted = entry.get(f"extracted_{key}")
    return reduced(old_price_in(entry.get(key), country, extracted, asked=price.currency), price)


def _tokens(**named: str) -> dict[str, str]:
    """Return those tokens that there are."""
    return {name: token for name, token in named.items() if token}


def _state_on_google(entry: Entry, title: str) -> str:
    """Return the state that is marked or told; without either it is new, for Google has the rest marked."""
    marked = entry.get("second_hand_condition")
    if marked is not None:
        return condition_in(marked) if isinstance(marked, str) else ""
    return condition_in_title(title) or NEW


def _token(entry: Entry) -> str:
    """Return the token for the product's stores, which may stand in an address of SerpAPI's alone."""
    link = token_at(entry, "serpapi_immersive_product_api")
    inside = dict(parse_qsl(urlsplit(link).query)) if link.startswith("https://serpapi.com/") else {}
    return token_at(entry, "immersive_product_page_token") or token_at(inside, TOKEN)


def _page_on_google(raw: object) -> str:
    """Return the address of Google's page about a product; empty for anything else, an ad's above all."""
    address = urls.found(raw)
    if not address or not is_google(address.host) or leads_on(address.url):
        return ""
    return address.url if urlsplit(address.url).path.startswith(_ON_GOOGLE) else ""


def _is_auction(entry: Entry) -> bool:
    marks = [entry.get(mark) for mark in _BIDDING]  # none of a new auction's bids is a mark as well
    bidding = any(mark is not False and mark not in (None, "") for mark in marks)
    return bidding or "auction" in words_at(entry, "buying_format").lower()


def _coded_price(said: object, country: str, asked: str) -> Money | None:
    """Return the price, by its number and code, or as it is written."""
    currency = at(said, "currency")
    if isinstance(currency, str):
        return price_of(at(said, "amount"), currency)
    return price_in(at(said, "raw"), country, at(said, "extracted"), asked=asked)


def _first_way(options: list[object], currency: str) -> Money | None:
    """Return what the first way to deliver costs, which is the one that a buyer gets by default."""
    first = options[0] if options else None
    if at(first, "free") is True:
        return Money(Decimal(0), currency) if currency in CURRENCIES else None
    code = at(first, "price", "currency")
    cost = price_of(at(first, "price", "amount"), code) if isinstance(code, str) else None
    return cost if cost and cost.currency == currency else None


def _amounts(texts: Iterable[str], country: str) -> set[Money]:
    """Return the different amounts in *texts* that may be a price."""
    found = [parts for text in texts for parts in _AMOUNT.findall(_folded(text))]
    read = (price_in(amount, country) for before, amount, after in found if not before and not after)
    return {amount for amount in read if amount}


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
