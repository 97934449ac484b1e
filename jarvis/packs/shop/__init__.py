"""Things for sale: found, compared, added up, kept."""

from ...actions import Want
from ...core.money import CURRENCIES
from ...core.urls import COUNTRIES
from ..pack import Pack, PackSetting

KEEP = Want("keep", "save something that was found in a list of their own, such as a wishlist")
UNKEEP = Want("unkeep", "take something off a list of their own")


def _country(value: object) -> str:
    code = value.lower() if isinstance(value, str) else ""
    code = {"gb": "uk"}.get(code, code)
    return code if code in COUNTRIES else ""


def _currency(value: object) -> str:
    return value.upper() if isinstance(value, str) and value.upper() in CURRENCIES else ""


def _rate(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number and 0 <= value <= 100 else ""  # type: ignore[operator]


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
    is_on=True,
    wants=(KEEP, UNKEEP),
    settings=(
        # As hosts end there: uk.
        PackSetting("country", _country, "is none that is known", 'Two letters: country = "de"'),
        # The code of the one that $ and the like mean; unset: that of the country.
        PackSetting("currency", _currency, "is none that is known", f"There are: {', '.join(CURRENCIES)}."),
        # What shops add to their prices.
        PackSetting(
            "tax_rate", _rate, "must be a number of percent, from 0 to 100", "For 8.875 %: tax_rate = 8.875"
        ),
    ),
)
