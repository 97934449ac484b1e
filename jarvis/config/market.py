"""Where the person buys: what [packs.shop] in config.toml says of prices."""

from __future__ import annotations

from typing import NamedTuple

from ..core.currencies import CURRENCIES
from ..core.errors import SettingsError
from ..core.urls import COUNTRIES
from .settings import Settings


class Market(NamedTuple):
    country: str = ""  # as hosts end there: uk; empty: not told
    currency: str = ""  # the code of the one that $ and the like mean; empty: that of the country
    tax_rate: str = ""  # what shops add to their prices, in percent, as a decimal number; empty: not told


NOWHERE = Market()


def market_of(settings: Settings) -> Market:
    """Return where the person buys; where they do not say, in the country of their locale.

    Raises SettingsError.
    """
    said = settings.shop
    return Market(
        _country(said["country"]) if "country" in said else settings.country,
        _currency(said["currency"]) if "currency" in said else "",
        _rate(said["tax_rate"]) if "tax_rate" in said else "",
    )


def _country(value: object) -> str:
    code = value.lower() if isinstance(value, str) else ""
    if code in COUNTRIES or code == "gb":
        return "uk" if code == "gb" else code
    raise SettingsError(
        "country in config.toml's [packs.shop] is none that is known.",
        hint='Two letters: country = "de"',
    )


def _currency(value: object) -> str:
    if isinstance(value, str) and value.upper() in CURRENCIES:
        return value.upper()
    raise SettingsError(
        "currency in config.toml's [packs.shop] is none that is known.",
        hint=f"There are: {', '.join(CURRENCIES)}.",
    )


def _rate(value: object) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 100:
        return str(value)
    raise SettingsError(
        "tax_rate in config.toml's [packs.shop] must be a number of percent, from 0 to 100.",
        hint="For 8.875 %: tax_rate = 8.875",
    )
