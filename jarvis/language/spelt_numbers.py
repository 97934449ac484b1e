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
_SPELT = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_TIMES = {"hundred": 100, "thousand": 1_000}
_BELOW = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_SMALL[1:10])}))?|{'|'.join(_SMALL)})"
_NUMBER = rf"\b(?:(?:{_BELOW} )?(?:{'|'.join(_TIMES)})(?:(?: and)? {_BELOW})?|{_BELOW})\b"


def spelt(text: str) -> Decimal | None:
    """Return the number that *text* is in English words: two, twenty-five, two hundred and fifty."""
    number = text.casefold().strip().removeprefix("a ")
    return next(spelt_in(number)) if re.fullmatch(_NUMBER, number) else None


def spelt_in(words: str) -> Iterator[Decimal]:
    """Yield each number that is spelt out in *words*, in lower case."""
    for number in re.findall(_NUMBER, words):
        total = 0
        for word in re.findall(r"[a-z]+", number):
            total = (total or 1) * _TIMES[word] if word in _TIMES else total + _SPELT.get(word, 0)
        yield Decimal(total)
