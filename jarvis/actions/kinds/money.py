"""An amount of money, in a currency that is sure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ...core.money import CURRENCIES, Money, amount_in, home_currency, is_sign
from ...core.tables import Price, currencies
from ...core.text import one_line
from ...core.types import Facts
from ...language.spelt_numbers import spelt_in
from .unusable import Unusable
from .wording import NUMBER, readings

# A number, with what stands before and behind it, and whether a space is between; no sign is longer.
_BESIDE = r"[^\s\d.,]{0,12}"
_AMOUNT = rf"({_BESIDE})([ \u00a0]?)(?<![\d.,])({NUMBER})(?=([ \u00a0]?)({_BESIDE}))"
_WORD = r"[\u2e80-\uffff]|[^\s\d.,:;!?()]+"  # of Chinese and Japanese each character
_HOME = "us"  # where prices are asked where it is not known where they are
_AROUND = "()[]{}!?;:…*_«»"  # an amount, and no part of it
_QUOTES = tuple("'\"“„‘")  # that open
_MEASURES = tuple("'\"”’″′%°")  # that make something else of a number: 24", 100%


def parse(wire: str, words: str, facts: Facts) -> Money:
    """Return the amount that *wire* is: 150 USD, $150, €1.299,00. Raises Unusable."""
    amount = amount_in(wire, facts.country, facts.currency)
    if amount is None or amount.amount <= 0:
        raise Unusable(
            f"`{one_line(wire, 60)}` is no amount of money: write it with its currency, as 150 USD"
        )
    return amount


def is_said(value: Money, words: str, facts: Facts) -> bool:
    """Return whether the amount stands in *words*, with no sign beside it that means another currency.

    A number that is a part of something else is none: 1080p, RTX-4070, 24".
    Without a sign it is one of where they are, or of a list at hand, unless they name another anywhere.
    """
    if not _is_meant(value.currency, words, facts):
        return False
    if value.amount in spelt_in(words.casefold()):
        return True
    return any(
        value.amount in readings(each.number) and each.may_be(value) and not each.is_glued
        for each in map(_number, re.finditer(_AMOUNT, words, re.IGNORECASE))
    )


def _is_meant(currency: str, words: str, facts: Facts) -> bool:
    """Return whether an amount in *words* may be in this *currency*."""
    home = home_currency(facts.country or _HOME)
    known = {facts.currency.upper(), home.code if home else "", *_listed(facts)}
    return currency in known or any(map(CURRENCIES[currency].has, re.findall(_WORD, words.lower())))


def _listed(facts: Facts) -> list[str]:
    """Return the currencies in the tables at hand."""
    cells = [cell for table in facts.tables for row in table.rows for cell in row.cells.values()]
    return currencies(cell for cell in cells if isinstance(cell, Money | Price))


def without_numbers(words: str, texts: Iterable[str]) -> str:
    """Return *words* without the bare numbers that stand in *texts* too, each as often as it stands there.

    So the 24 is gone of “a 24 inch monitor under 150” where it is looked for as a 24 inch monitor.
    """
    found = (readings(number)[:1] for text in texts for number in re.findall(NUMBER, text))
    counts = Counter(number for numbers in found for number in numbers)

    def left(match: re.Match[str]) -> str:
        found = _number(match)
        read = next(iter(readings(found.number)), None)
        if read is None or not counts[read] or found.has_sign:
            return match[0]
        counts[read] -= 1
        return match[1]

    return re.sub(_AMOUNT, left, words, flags=re.IGNORECASE)


class _Number(NamedTuple):
    """A number as it stands in a person's words."""

    number: str
    before: str
    after: str
    has_gap_before: bool
    has_gap_after: bool

    @property
    def has_sign(self) -> bool:
        return is_sign(self.before) or is_sign(self.after)

    @property
    def is_glued(self) -> bool:
        """Whether it is a part of the word, or of the measure, that it is written with."""
        before = "" if self.has_gap_before or self.has_sign else self.before
        after = "" if self.has_gap_after or self.has_sign else self.after
        # Letters that have capitals: other scripts put no spaces between words.
        letters = before.rstrip("-")[-1:] + after.lstrip("-")[:1]
        is_measure = after.startswith(_MEASURES) and not before.endswith(_QUOTES)
        return letters.lower() != letters.upper() or before.endswith("#") or is_measure

    def may_be(self, value: Money) -> bool:
        """Return whether the words beside it leave it an amount in the currency of *value*."""
        signs = [word.lower() for word in (self.before, self.after) if is_sign(word) and not _is_short(word)]
        return all(CURRENCIES[value.currency].has(sign) for sign in signs)


def _is_short(word: str) -> bool:
    """Return whether *word* is one of a language sooner than a sign: French “le 150” is no Egyptian pound."""
    return len(word) <= 2 and word.isalpha() and word.lower() != word.upper()


def _number(match: re.Match[str]) -> _Number:
    before, gap, number, gap_after, after = match.groups()
    before, after = before.strip(_AROUND), after.strip(_AROUND)
    # Scripts without capitals go on without a space: 4000円以下.
    if is_sign(after[:1]) and after[:1].lower() == after[:1].upper():
        after = after[:1]
    return _Number(number, before, after, bool(gap), bool(gap_after))
