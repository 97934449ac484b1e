"""One of a few words that its field lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...core.text import one_line
from ...core.types import Facts
from .unusable import Unusable
from .wording import stands_in

_UNSPACED = "\u2e80"  # from here on are the scripts of Chinese and Japanese


def parse(wire: str, words: str, facts: Facts, choices: Sequence[str] = ()) -> str:
    """Return the one of *choices* that *wire* is. Raises Unusable."""
    said = one_line(wire).casefold()
    for choice in choices:
        if choice.casefold() == said:
            return choice
    raise Unusable(f"`{one_line(wire, 60)}` is not one of: {', '.join(choices)}")


def is_said(value: str, words: str, facts: Facts, said_as: Mapping[str, str] | None = None) -> bool:
    """Return whether it stands in *words*, or a word that begins as one of those in *said_as* for it."""
    beginnings = (said_as or {}).get(value, "").split()
    return stands_in(value, words) or any(_begins_a_word(each, words.casefold()) for each in beginnings)


def _begins_a_word(text: str, words: str) -> bool:
    """Return whether a word of *words* begins with *text*; where words have no spaces between, any part."""
    return bool(re.search(("" if text[0] >= _UNSPACED else r"\b") + re.escape(text), words))
