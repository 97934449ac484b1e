"""Things for sale: found, compared, added up, kept."""

from __future__ import annotations

from ...actions.base import Want
from ..pack import Pack
from .settings import SETTINGS

KEEP = Want("keep", "save something that was found in a list of their own, such as a wishlist")
UNKEEP = Want("unkeep", "take something off a list of their own")
PACK = Pack(
    "shop",
    "find things for sale, new or used, with their prices; compare and add them up; reviews; a wishlist",
    words={
        "en": "buy buying cost costs price prices priced cheap cheaper cheapest deal deals discount "
        "discounts affordable used refurbished secondhand sale gift review reviews wishlist "
        "receipt budget product products dollars bucks euros pounds yen ebay mercari walmart "
        "amazon",
        "de": "kaufen preis preise billig billiger günstig günstiger günstigste gebraucht gebrauchte "
        "gebrauchtes angebote wunschliste",
        "es": "comprar precio precios barato barata baratos baratas usado usada oferta ofertas",
        "fr": "acheter prix cher promo soldes reconditionné reconditionnée",
        "it": "comprare prezzo prezzi usato usata offerta offerte",
        "pt": "preço preços usados oferta",
        "signs": "$ € £ ¥ ₹",
    },
    actions=("find_products", "compare_offers", "read_reviews", "keep", "unkeep", "receipt"),
    tables=("product", "comparison", "receipt"),
    needs=("serpapi",),
    budgets={"steps": 6, "credits": 6, "seconds": 90},
    is_on=True,
    wants=(KEEP, UNKEEP),
    settings=SETTINGS,
)
