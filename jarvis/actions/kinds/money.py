"""An amount of money, in a currency that is sure."""

from __future__ import annotations

import re

from ...core.currencies import CURRENCIES, is_sign
from ...core.money import Money, amount_in
from ...core.text import one_line
from ...core.types import Facts
from ...language.spelt_numbers import spelt_in
from .unusable import Unusable
from .wording import NUMBER, readings

_BESIDE = r"([^\s\d.,]{0,12})"  # no sign is longer
_AMOUNT = rf"{_BESIDE}[ \u00a0]?(?<![\d.,])({NUMBER})[ \u00a0]?{_BESIDE}"


def parse(wire: str, words: str, facts: Facts) -> Money:
    """Return the amount that *wire* is: 150 USD, $150, €1.299,00. Raises Unusable."""
    amount = amount_in(wire, _country(facts))
    if amount is None or amount.amount <= 0:
        raise Unusable(
            f"`{one_line(wire, 60)}` is no amount of money: write it with its currency, as 150 USD"
        )
    return amount


def is_said(value: Money, words: str, facts: Facts) -> bool:
    """Return whether the amount stands in *words*, with no sign beside it that means another currency."""
    if value.amount in spelt_in(words.casefold()):
        return True
    return any(
        value.amount in readings(number) and _may_be(value, before, after)
        for before, number, after in re.findall(_AMOUNT, words, re.IGNORECASE)
    )


def _may_be(value: Money, *beside: str) -> bool:
    """Return whether the words *beside* a number leave it an amount in the currency of *value*."""
    # Short words are words of some language sooner than signs: French “le 150” is not in Egyptian pounds.
    signs = [word.lower() for word in beside if is_sign(word) and (len(word) > 2 or not word.isalpha())]
    return all(CURRENCIES[value.currency].has(sign) for sign in signs)


def _country(facts: Facts) -> str:
    """Return a country where one pays in the currency that prices are asked in: it says what $ means."""
    currency = CURRENCIES.get(facts.currency.upper())
    if currency is None or facts.country.lower() in currency.countries:
        return facts.country
    return next(iter(currency.countries), "")
