"""A number, as exact as it is written."""

from __future__ import annotations

from decimal import Decimal

from ...core.text import one_line
from ...core.types import Facts
from ...language.spelt_numbers import spelt
from .unusable import Unusable
from .wording import numbers_in, readings

_MOST = 10**15


def parse(wire: str, words: str, facts: Facts) -> Decimal:
    """Return the number that *wire* is: 2, two, 1,5, 1,299. Raises Unusable."""
    value = next(iter(readings(wire)), spelt(wire))
    if value is None or abs(value) >= _MOST:
        raise Unusable(f"`{one_line(wire, 60)}` is no number: write it in digits, as 2 or 1.5")
    return value


def is_said(value: Decimal, words: str, facts: Facts) -> bool:
    return value in numbers_in(words)
