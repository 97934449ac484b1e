"""Reads what Google's index has of Mercari in Japan, in an answer of the engine `google`.

Mercari itself is not asked: its terms forbid other ways in than its own pages. So a price is as old as the
index, and what is listed may be sold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import urlsplit

from ...core import urls
from ...core.money import Money, price_in
from .offer import MERCHANT, Offer, Offers, gathered, reason_against
from .values import at, entries_at, notes_of, words_at

STORE = "Mercari"
SITE = "jp.mercari.com"
MAY_BE_SOLD = "may be sold"
SOLD = "sold"
OTHER_PAGE = "other pages"
_SNIPPET = 400  # characters

_ITEM = re.compile(r"/item/m[0-9]{6,14}/?\Z")
_NAME = r"(?:メルカリ|mercari)"
_SUFFIX = re.compile(rf"\s*(?:[-–—|·]|\bby)\s*{_NAME}\s*\Z", re.IGNORECASE)
_IS_SOLD = re.compile(r"売り?切れ|在庫切れ|在庫なし|sold ?out|out of stock", re.IGNORECASE)
# An amount in yen. Behind a list price or delivery, and before a lower end or a discount, it is no price.
_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+"
_AMOUNT = re.compile(
    r"(定価|送料)?\s?"
    rf"(¥\s?(?:{_NUMBER})(?![0-9,.])|(?<![0-9,.])(?:{_NUMBER})\s?(?:円|yen\b|jpy\b))"
    r"\s?(から|以上|以下|引き?|off\b|[~〜])?",
    re.IGNORECASE,
)


def mercari_offers(answer: object, country: str, asked: str = "") -> Offers:
    """Return what the index has for sale in *answer*: in yen, and so for sure in *country*, which is jp."""
    entries = entries_at(answer, "organic_results")
    other = words_at(answer, "search_information", "spelling_fix").removeprefix(f"site:{SITE}/item")
    return gathered(entries, lambda entry: _read(entry, country), other.strip())


def _read(entry: dict[str, object], country: str) -> Offer | str:
    page = urls.found(entry.get("link"))
    if not page or page.host != SITE or not _ITEM.search(urlsplit(page.url).path):
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
    return Offer(title, price, state=MAY_BE_SOLD, store=STORE, url=page.url, link=MERCHANT)


def _amounts(texts: Iterable[str], country: str) -> set[Money]:
    """Return the different amounts in *texts* that may be a price."""
    found = [parts for text in texts for parts in _AMOUNT.findall(_folded(text))]
    read = (price_in(amount, country) for before, amount, after in found if not before and not after)
    return {amount for amount in read if amount}


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
