"""Reads which months, weekdays and days are named in words, which are in lower case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .spelt_numbers import spelt

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
# Left out are those that are words of their own: mar, sun, sat, wed, mon.
_SHORT = {"jan": 1, "feb": 2, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10}
_SHORT |= {"nov": 11, "dec": 12}
_SHORT_DAYS = {"tue": 1, "tues": 1, "thu": 3, "thurs": 3, "fri": 4}
_NAMED = {**{name: at for at, name in enumerate(MONTHS, 1)}, **_SHORT}
_NAMED_DAYS = {**{name: at for at, name in enumerate(WEEKDAYS)}, **_SHORT_DAYS}
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
# “May I”, “march on”: these two are months only beside a number or such a word.
_BESIDE = rf"(?:in|of|on|by|mid|early|late|until|till|from|to|through|this|next|end of|{_DAY})[ -]"
_SOON = r"\b(?:today|tonight|tomorrow|weekend)\b"


def months_in(words: str) -> Iterator[int]:
    """Yield the number of each month that *words* name, from 1."""
    for name, month in _NAMED.items():
        sure = rf"{_BESIDE}{name}\b|\b{name},? \d" if name in ("may", "march") else rf"\b{name}\b"
        if re.search(sure, words):
            yield month
    for written in re.finditer(r"\b20\d\d-(0[1-9]|1[0-2])\b", words):
        yield int(written[1])


def weekdays_in(words: str) -> Iterator[int]:
    """Yield the number of each weekday that *words* name, from 0 for Monday."""
    for name, weekday in _NAMED_DAYS.items():
        if re.search(rf"\b{name}s?\b", words):
            yield weekday


def names_day(words: str) -> bool:
    """Return whether *words* name a day of a month: 13 May, May 13th, 2027-05-13."""
    names = "|".join(_NAMED)
    beside = rf"\b{_DAY}(?: of)? (?:{names})\b|\b(?:{names}),? {_DAY}(?!\d)|\b20\d\d-\d\d-\d\d\b"
    return bool(re.search(beside, words))


def lengths_in(words: str) -> Iterator[int]:
    """Yield how many days each length of time in *words* has: 3 days, two weeks, a weekend."""
    for number, unit in re.findall(r"\b(\d{1,2}|[a-z]+)[ -](day|night|week)s?\b", words):
        length = int(number) if number.isdigit() else int(spelt(number) or 1)
        yield length * (7 if unit == "week" else 1) + (unit == "night")
    if "weekend" in words:
        yield from (2, 3)


def is_soon(words: str) -> bool:
    """Return whether *words* name a day by how near it is."""
    return bool(re.search(_SOON, words))
