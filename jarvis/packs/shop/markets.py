"""Where things are for sale, what each place is asked, and what reads its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...core.errors import Refused
from ...core.money import Money, home_currency
from ...search.offers.engines import READERS
from ...search.offers.mercari import SITE
from ...search.offers.offer import NEW, REFURBISHED, USED, Offers

SHOPS, EBAY = "google_shopping", "ebay"  # SerpAPI's names of them
PRODUCT, ITEM = "google_immersive_product", "ebay_product"  # and of what tells more of one thing there
WEB = "google"
MERCARI = "mercari"
MARKETS = ("shops", EBAY, MERCARI)  # as they are named
HOME = "us"  # where prices are asked where it is not known where the person is
_PLACES = {SHOPS: "Google Shopping", EBAY: "eBay"}
_EBAYS = {
    "us": "ebay.com",
    "uk": "ebay.co.uk",
    "gb": "ebay.co.uk",
    **{
        country: f"ebay.{country}" for country in ("at", "ca", "ch", "de", "es", "fr", "ie", "it", "nl", "pl")
    },
    "au": "ebay.com.au",
}
# eBay's numbers for the states that people name.
_CONDITIONS = {NEW: "1000", USED: "3000", REFURBISHED: "2000|2010|2020|2030|2500"}


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


def asked(
    queries: Sequence[str], states: Sequence[str], most: Money | None, country: str, market: str = ""
) -> list[Asked]:
    """Return where *queries* are looked for: in the *market* named, else in shops, used ones on eBay too.

    The services are told of the limit, but it counts only once it was looked at here. country: the person's,
    as hosts end there. Raises Refused where eBay is named and is not in their country.
    """
    country = country or HOME
    if market == MERCARI:
        return [Asked(query, WEB, _on_mercari(query), "jp") for query in queries]
    if market == EBAY and country not in _EBAYS:
        raise Refused(f"eBay has no site of its own in {country.upper()}.", hint="Ask for it without eBay.")
    limit, wanted = _limit(most, country), []
    for query in queries:
        if market != EBAY:
            shops = {"q": query, "gl": country, **({"max_price": limit} if limit else {})}
            wanted.append(Asked(query, SHOPS, shops, country))
        if market == EBAY or (not market and _is_used(states) and country in _EBAYS):
            wanted.append(Asked(query, EBAY, _on_ebay(query, states, limit, country), country))
    return wanted


def not_asked(states: Sequence[str], country: str, market: str) -> str:
    """Return which market was not asked, though used things were looked for; empty: none."""
    country = country or HOME
    is_missing = not market and _is_used(states) and country not in _EBAYS
    return f"Shops alone: eBay has no site of its own in {country.upper()}." if is_missing else ""


def _is_used(states: Sequence[str]) -> bool:
    return bool({USED, REFURBISHED} & {*states})


def _on_ebay(query: str, states: Sequence[str], limit: str, country: str) -> dict[str, str]:
    conditions = "|".join(_CONDITIONS[state] for state in states if state in _CONDITIONS)
    return {
        "_nkw": query,
        "ebay_domain": _EBAYS[country],
        "buying_format": "BIN",
        **({"LH_ItemCondition": conditions} if conditions else {}),
        **({"_udhi": limit} if limit else {}),
    }


def _on_mercari(query: str) -> dict[str, str]:
    return {"q": f"site:{SITE}/item {query}", "gl": "jp", "hl": "ja"}


def _limit(most: Money | None, country: str) -> str:
    """Return the limit as the services are told it: a number in the currency of *country*, else nothing."""
    currency = home_currency(country)
    return f"{most.amount:f}" if most and currency and most.currency == currency.code else ""
