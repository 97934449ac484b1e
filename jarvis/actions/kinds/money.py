"""An amount of money, in a currency that is sure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...core.currencies import CURRENCIES, home_currency, is_sign
from ...core.money import Money, amount_in
from ...core.tables import Price, currencies
from ...core.text import one_line
from ...core.types import Facts
from ...language.spelt_numbers import spelt_in
from .unusable import Unusable
from .wording import NUMBER, readings

_BESIDE = r"([^\s\d.,]{0,12})"  # no sign is longer
_WORD = r"[\u2e80-\uffff]|[^\s\d.,:;!?()]+"  # of Chinese and Japanese each character
_HOME = "us"  # where prices are asked where it is not known where they are
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
    """Return whether the amount stands in *words*, with no sign beside it that means another currency.

    Without a sign it is one of where they are, or of a list at hand, unless they name another anywhere.
    """
    if not _is_meant(value.currency, words, facts):
        return False
    if value.amount in spelt_in(words.casefold()):
        return True
    return any(
        value.amount in readings(number) and all(map(CURRENCIES[value.currency].has, _signs((before, after))))
        for before, number, after in re.findall(_AMOUNT, words, re.IGNORECASE)
    )


def _is_meant(currency: str, words: str, facts: Facts) -> bool:
    """Return whether an amount in *words* may be in this *currency*."""
    home = home_currency(facts.country or _HOME)
    known = {facts.currency.upper(), home.code if home else "", *_listed(facts)}
    return currency in known or any(map(CURRENCIES[currency].has, re.findall(_WORD, words.lower())))


def _listed(facts: Facts) -> list[str]:
    """Return the currencies in the tables at hand."""
    cells = [
        cell
        for table in (*facts.tables, facts.table)
        if table
        for row in table.rows
        for cell in row.cells.values()
    ]
    return currencies(cell for cell in cells if isinstance(cell, Money | Price))


def _signs(words: Iterable[str]) -> list[str]:
    """Return the signs of currencies among *words*."""
    # Short words are words of some language sooner than signs: French “le 150” is not in Egyptian pounds.
    return [word.lower() for word in words if is_sign(word) and (len(word) > 2 or not word.isalpha())]


def _country(facts: Facts) -> str:
    """Return a country where one pays in the currency that prices are asked in: it says what $ means."""
    currency = CURRENCIES.get(facts.currency.upper())
    if currency is None or facts.country.lower() in currency.countries:
        return facts.country
    return next(iter(currency.countries), "")
