"""How many: a whole number from 1."""

from __future__ import annotations

from decimal import Decimal

from ...core.text import one_line
from ...core.types import Facts
from . import number
from .unusable import Unusable

_MOST = 1_000_000


def parse(wire: str, words: str, facts: Facts) -> int:
    """Return how many *wire* says: 2, two. Raises Unusable."""
    value = number.parse(wire, words, facts)
    if value != int(value) or not 1 <= value <= _MOST:
        raise Unusable(f"`{one_line(wire, 60)}` is no count: write a whole number from 1 to {_MOST:,}")
    return int(value)


def is_said(value: int, words: str, facts: Facts) -> bool:
    return number.is_said(Decimal(value), words, facts)
