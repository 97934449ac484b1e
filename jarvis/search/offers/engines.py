"""Lists the engines of SerpAPI whose answers hold offers, each with what reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import ebay, ebay_product, google_shopping, immersive_product
from .offer import Offers

# What is given: an answer, the country it was asked for, and the code of the currency, if one was asked for.
READERS: Mapping[str, Callable[[object, str, str], Offers]] = {
    "google_shopping": google_shopping.offers_in,
    "google_immersive_product": immersive_product.offers_in,
    "ebay": ebay.offers_in,
    "ebay_product": ebay_product.offers_in,
}
