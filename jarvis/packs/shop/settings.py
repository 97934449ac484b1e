"""The settings of this pack: where the person buys, and what shops there add to their prices."""

from __future__ import annotations

from ...core.money import CURRENCIES
from ...core.urls import COUNTRIES
from ..pack import PackSetting


def _country(value: object) -> str:
    code = value.lower() if isinstance(value, str) else ""
    code = {"gb": "uk"}.get(code, code)
    return code if code in COUNTRIES else ""


def _currency(value: object) -> str:
    return value.upper() if isinstance(value, str) and value.upper() in CURRENCIES else ""


def _rate(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number and 0 <= value <= 100 else ""  # type: ignore[operator]


SETTINGS = (
    # As hosts end there: uk.
    PackSetting("country", _country, "is none that is known", 'Two letters: country = "de"'),
    # The code of the one that $ and the like mean; unset: that of the country.
    PackSetting("currency", _currency, "is none that is known", f"There are: {', '.join(CURRENCIES)}."),
    PackSetting(
        "tax_rate", _rate, "must be a number of percent, from 0 to 100", "For 8.875 %: tax_rate = 8.875"
    ),
)
