"""Tells offers that are probably not what was wanted: an accessory, another model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from .priced import Priced

_LONGEST = 500  # characters of a title that are looked at
_FEWEST = 5  # prices, below which a list has no usual one
_LONGEST_SUFFIX = 3  # letters of what belongs to a model's word before it
_RUN = r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+"  # of digits or letters
_BETWEEN = r"[\s\-‐-―.]{0,2}"  # may stand between two of them: 128 GB, WH-1000


def words_missing(query: str, title: str) -> list[str]:
    """Return the words for a model in *query* that *title* has not: S24 FE, 128GB."""
    text = _folded(title[:_LONGEST])
    return [word for word in _model_words(query) if not re.search(_pattern(word), text)]


def is_far_below(offer: Priced, offers: Sequence[Priced]) -> bool:
    """Return whether *offer* costs less than 40 % of what is usual (the median) in the list it stands in."""
    prices = sorted(
        each.price.amount
        for each in offers
        if each.query == offer.query and each.price.currency == offer.price.currency
    )
    if len(prices) < _FEWEST:
        return False
    # Of an even number the usual price is the mean of the two in the middle: here twice that is compared.
    twice = prices[(len(prices) - 1) // 2] + prices[len(prices) // 2]
    return offer.price.amount * 5 < twice


def plausible(want: Sequence[Priced]) -> list[Priced]:
    """Return those of *want* that are probably what was wanted; all of it where that is said of none."""
    told = [
        each for each in want if not is_far_below(each, want) and not words_missing(each.query, each.title)
    ]
    return told or list(want)


def _model_words(query: str) -> list[str]:
    """Return the words of *query* with a digit in them, each with the capitals behind it: S24 FE."""
    named: list[str] = []
    is_open = False
    for word in (each.strip("\"'“”″.,;:()") for each in query.split()):
        if re.search(r"[0-9]", _folded(word)):
            named, is_open = [*named, word], True
        elif is_open and word.isalpha() and word.isupper() and len(word) <= _LONGEST_SUFFIX:
            named[-1] += f" {word}"
        else:
            is_open = False
    return named


def _pattern(word: str) -> str:
    """Return what *word* looks like in a title, however its parts are joined there."""
    runs = re.findall(_RUN, _folded(word))
    # A number may have its unit behind it, which the query says in another way: 27 inch, 27in.
    behind = r"(?![0-9])" if len(runs) == 1 else r"(?![a-z0-9])"
    return rf"(?<![a-z0-9])(?<![0-9][.,]){_BETWEEN.join(map(re.escape, runs))}{behind}(?![.,][0-9])"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
