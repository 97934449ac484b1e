"""Reads numbers that are spelt out: two, twenty-five, two hundred and fifty.

Models write English ones even where the person speaks another language. That more of a person's words than
was meant is read as a number does no harm: what counts as unsaid is told, what counts as said is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SPELT = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
}


def spelt(text: str) -> Decimal | None:
    """Return the number that *text* is in English words: two, twenty-five, two hundred and fifty."""
    parts = re.findall(r"[^\W\d]+", text.casefold())
    numbers = list(spelt_in(text.casefold()))
    known = all(part in _SPELT or part in ("hundred", "thousand", "and", "a") for part in parts)
    return numbers[0] if known and len(numbers) == 1 and not re.search(r"\d", text) else None


def spelt_in(words: str) -> Iterator[Decimal]:
    """Yield each number that is spelt out in *words*, in lower case."""
    total = part = 0
    is_open = False
    for word in [*re.findall(r"\w+", words), ""]:
        if word in _SPELT:
            if is_open and not _goes_on(part, _SPELT[word]):
                yield Decimal(total + part)
                total = part = 0
            part, is_open = part + _SPELT[word], True
        elif word == "hundred" and part < 100:
            part, is_open = 100 * (part or 1), True
        elif word == "thousand":
            total, part, is_open = total + 1_000 * (part or 1), 0, True
        elif is_open and word != "and":
            yield Decimal(total + part)
            total, part, is_open = 0, 0, False


def _goes_on(part: int, value: int) -> bool:
    """Return whether *value* belongs to the number so far: twenty five, hundred twelve; not one two."""
    return part % 100 == 0 or (part % 10 == 0 and part % 100 >= 20 and 0 < value < 10)
