"""Lists the engines of SerpAPI whose answers hold offers, each with what reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .ebay import ebay_offers
from .ebay_product import ebay_offer
from .google_shopping import shopping_offers
from .immersive_product import store_offers
from .mercari import mercari_offers
from .offer import Offers

# What is given: an answer, the country it was asked for, and the code of the currency, if one was asked for.
READERS: Mapping[str, Callable[[object, str, str], Offers]] = {
    "google_shopping": shopping_offers,
    "google_immersive_product": store_offers,
    "ebay": ebay_offers,
    "ebay_product": ebay_offer,
    "google": mercari_offers,  # the web, which is searched for what is on Mercari's pages
}
