"""One of a few words that its field lists."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.text import one_line
from ...core.types import Facts
from .unusable import Unusable
from .wording import stands_in


def parse(wire: str, words: str, facts: Facts, choices: Sequence[str] = ()) -> str:
    """Return the one of *choices* that *wire* is. Raises Unusable."""
    said = one_line(wire).casefold()
    for choice in choices:
        if choice.casefold() == said:
            return choice
    raise Unusable(f"`{one_line(wire, 60)}` is not one of: {', '.join(choices)}")


def is_said(value: str, words: str, facts: Facts) -> bool:
    return stands_in(value, words)
