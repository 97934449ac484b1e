"""Reads the values in a service's entry. Each may be missing, null or something else: nothing raises."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from ...core.money import Money, price_in
from ...core.tables import Rating
from ...core.text import one_line

_TITLE = 200  # characters
_NOTE = 120
_NOTES = 8
_TOKEN = 4096
_RATERS = 10**9
_STARS = 5

# How a service that is asked in English writes what delivery costs. “Free on £50+” and “free for members”
# are not free, and free returns are no delivery: so all of a text has to be one of these, with a day at most.
_DAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|[0-9]{1,2})"
_WHEN = rf"(?:by|on|between) {_DAY}(?:(?: ?[-–,] ?| (?:and )?){_DAY})*"
_KIND = r"(?:[0-9]-day |standard |express |economy |international |local )*"
_WAY = r"(?:delivery|shipping|postage)"
_FREE = rf"free|free {_KIND}{_WAY}(?: {_WHEN})?|get it {_WHEN} \(free\)"
_PAID = rf"\+? ?(\S.*?) ?(?:{_KIND}{_WAY})?"


def at(entry: object, *keys: str) -> object:
    """Return what stands in *entry* under these keys, one within the other; None where nothing does."""
    for key in keys:
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def entries_at(answer: object, *keys: str) -> list[object]:
    """Return the list in *answer* under these keys; none for anything else."""
    value = at(answer, *keys)
    return value if isinstance(value, list) else []


def words_at(entry: object, *keys: str, limit: int = _TITLE) -> str:
    """Return the words in *entry* under these keys, on one line; empty where there are none."""
    value = at(entry, *keys)
    return one_line(value, limit) if isinstance(value, str) else ""


def token_at(entry: object, *keys: str) -> str:
    """Return what the service itself goes by, unchanged; empty for what can't be such a token."""
    value = at(entry, *keys)
    is_token = isinstance(value, str) and value.isascii() and value.isprintable() and len(value) <= _TOKEN
    return value if is_token and isinstance(value, str) else ""


def tokens(**named: str) -> dict[str, str]:
    """Return those tokens that there are."""
    return {name: token for name, token in named.items() if token}


def rating_at(entry: object) -> Rating | None:
    """Return the rating in *entry*, of at most five stars."""
    value, raters = at(entry, "rating"), at(entry, "reviews")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _STARS:
        return None
    is_count = isinstance(raters, int) and not isinstance(raters, bool) and 0 < raters < _RATERS
    return Rating(Decimal(str(value)), raters if is_count and isinstance(raters, int) else None)


def delivery_cost(said: object, country: str, price: Money, extracted: object = None) -> Money | None:
    """Return what delivery costs by what is *said* of it, 0 for free; None where that is not plain."""
    words = one_line(said, _NOTE) if isinstance(said, str) else ""
    if re.fullmatch(_FREE, words, re.IGNORECASE):
        return None if extracted else Money(Decimal(0), price.currency)
    paid = re.fullmatch(_PAID, words, re.IGNORECASE)
    return price_in(paid[1], country, extracted, asked=price.currency) if paid else None


def notes_of(*said: object) -> tuple[str, ...]:
    """Return the texts in what is *said*, each once, and those in lists of it."""
    lines = (one_line(text, _NOTE) for text in _texts(said))
    return tuple(dict.fromkeys(filter(None, lines)))[:_NOTES]


def _texts(said: Iterable[object]) -> Iterator[str]:
    for each in said:
        if isinstance(each, list):
            yield from (text for text in each if isinstance(text, str))
        elif isinstance(each, str):
            yield each
