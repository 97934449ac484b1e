"""Things for sale: found, compared, added up, kept."""

from ...actions.base import Want
from ...config.settings import Setting, is_number, reader
from ...core.money import CURRENCIES
from ...core.urls import country_in
from ..pack import Pack

KEEP = Want("keep", "save something that was found in a list of their own, such as a wishlist")
UNKEEP = Want("unkeep", "take something off a list of their own")

_COUNTRY = reader("isn't a known country", lambda value: bool(country_in(str(value))), country_in)
_CURRENCY = reader("isn't a known currency", lambda value: str(value).upper() in CURRENCIES, str.upper)
_PERCENT = reader(
    "must be a percentage from 0 to 100",
    lambda value: is_number(value, 0) and value <= 100,
    str,
)

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
    settings=(
        # As hosts end there: uk.
        Setting("country", _COUNTRY, hint='Two letters: country = "de"'),
        # The code of the one that $ and the like mean, by default the country's.
        Setting("currency", _CURRENCY, hint=f"There are: {', '.join(CURRENCIES)}."),
        # What shops add to their prices.
        Setting("tax_rate", _PERCENT, hint="For 8.875 %: tax_rate = 8.875"),
    ),
)
