"""Words, on one line."""

from __future__ import annotations

from ...core.text import one_line
from ...core.types import Facts
from .unusable import Unusable
from .wording import stands_in

_LONGEST = 500  # characters


def parse(wire: str, words: str, facts: Facts) -> str:
    """Return *wire*, on one line. Raises Unusable where nothing is left of it."""
    value = one_line(wire, _LONGEST)
    if not value:
        raise Unusable("it has no words")
    return value


def is_said(value: str, words: str, facts: Facts) -> bool:
    return stands_in(value, words)
