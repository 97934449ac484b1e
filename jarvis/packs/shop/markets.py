"""Where things are for sale, what each place is asked, and what reads its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.currencies import home_currency
from ...core.money import Money
from ...core.stdlib import NamedTuple
from ...search.offers.engines import READERS
from ...search.offers.offer import REFURBISHED, USED, Offers

SHOPS, EBAY = "google_shopping", "ebay"  # SerpAPI's names of them
PRODUCT, ITEM = "google_immersive_product", "ebay_product"  # and of what tells more of one thing there
HOME = "us"  # where prices are asked where it is not known where the person is
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
_CONDITIONS = {USED: "3000", REFURBISHED: "2000|2010|2020|2030|2500"}


class Asked(NamedTuple):
    """What is looked for in one place."""

    query: str
    engine: str
    params: Mapping[str, str]
    country: str

    def read(self, answer: object) -> Offers:
        """Return the offers in the *answer*."""
        currency = home_currency(self.country)
        return READERS[self.engine](answer, self.country, currency.code if currency else "")


def asked(queries: Sequence[str], states: Sequence[str], most: Money | None, country: str) -> list[Asked]:
    """Return where *queries* are looked for: in shops, and what may be used on eBay too.

    The services are told of the limit, but it counts only once it was looked at here. country: the person's,
    as hosts end there.
    """
    country = country or HOME
    is_used = bool(set(states) & set(_CONDITIONS))
    limit = _limit(most, country)
    wanted = []
    for query in queries:
        shops = {"q": query, "gl": country, **({"max_price": limit} if limit else {})}
        wanted.append(Asked(query, SHOPS, shops, country))
        if is_used and country in _EBAYS:
            wanted.append(Asked(query, EBAY, _on_ebay(query, states, limit, country), country))
    return wanted


def _on_ebay(query: str, states: Sequence[str], limit: str, country: str) -> dict[str, str]:
    conditions = "|".join(_CONDITIONS[state] for state in states if state in _CONDITIONS)
    params = {"_nkw": query, "ebay_domain": _EBAYS[country], "buying_format": "BIN"}
    return {**params, "LH_ItemCondition": conditions, **({"_udhi": limit} if limit else {})}


def _limit(most: Money | None, country: str) -> str:
    """Return the limit as the services are told it: a number in the currency of *country*, else nothing."""
    currency = home_currency(country)
    return f"{most.amount:f}" if most and currency and most.currency == currency.code else ""
