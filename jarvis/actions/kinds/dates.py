"""A day or a month that is ahead, and that agrees with what the person said.

Months and weekdays are known by their English names alone. Words of other languages contradict no date; where
one has to be said, the day of the month does it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from ...core.stdlib import NamedTuple
from ...core.text import one_line
from ...core.types import Facts
from .unusable import Unusable
from .wording import numbers_in

_AHEAD = 330  # days: nobody sells what is later
_LONGEST = 60  # days of a stay
_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
# Left out are those that are words of their own: mar, sun, sat, wed, mon.
_SHORT = {"jan": 1, "feb": 2, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10}
_SHORT |= {"nov": 11, "dec": 12}
_SHORT_DAYS = {"tue": 1, "tues": 1, "thu": 3, "thurs": 3, "fri": 4}
_NAMED = {**{name: at for at, name in enumerate(_MONTHS, 1)}, **_SHORT}
_NAMED_DAYS = {**{name: at for at, name in enumerate(_WEEKDAYS)}, **_SHORT_DAYS}
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
# “May I”, “march on”: these two are months only beside a number or such a word.
_BESIDE = rf"(?:in|of|on|by|mid|early|late|until|till|from|to|through|this|next|end of|{_DAY})[ -]"
_SOON = r"\b(?:today|tonight|tomorrow|weekend)\b"


class Days(NamedTuple):
    """A day, or all of a month."""

    first: date
    last: date

    @property
    def is_month(self) -> bool:
        return self.first != self.last


def parse(wire: str, words: str, facts: Facts) -> Days:
    """Return the day or month that *wire* is: 2027-05-13, 2027-05. Raises Unusable."""
    if facts.today is None:
        raise ValueError("facts.today is not known")
    days, text = _read(wire), one_line(wire, 60)
    if days.last < facts.today:
        raise Unusable(f"`{text}` is past: today is {facts.today}")
    if (days.first - facts.today).days > _AHEAD:
        raise Unusable(f"`{text}` is too far ahead: at most {_AHEAD} days, until {_latest(facts.today)}")
    if said := _contradicted(days, words.casefold()):
        raise Unusable(f"`{text}` does not agree with the words, which say {said}")
    return days


def is_said(value: Days, words: str, facts: Facts) -> bool:
    """Return whether *words* name a month, a weekday or a day that it is; what contradicts it was refused."""
    lower = words.casefold()
    if any(_months(lower)) or any(_weekdays(lower)) or re.search(_SOON, lower):
        return True
    named = value.first.month if value.is_month else value.first.day
    return named in numbers_in(lower)


def _read(wire: str) -> Days:
    text = one_line(wire, 60)
    parts = re.fullmatch(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?", text)
    if not parts:
        raise Unusable(f"`{text}` is no date: write a day as 2027-05-13, a month as 2027-05")
    year, month, day = int(parts[1]), int(parts[2]), int(parts[3] or 1)
    try:
        first = date(year, month, day)
    except ValueError:
        raise Unusable(f"there is no {text}") from None
    return Days(first, first if parts[3] else first.replace(day=calendar.monthrange(year, month)[1]))


def _latest(today: date) -> date:
    return today + timedelta(_AHEAD)


def _contradicted(days: Days, words: str) -> str:
    """Return what *words*, in lower case, say that *days* are not; empty: nothing."""
    months, weekdays = set(_months(words)), set(_weekdays(words))
    if months and not _any_start(days, words, lambda day: day.month in months):
        return " or ".join(_MONTHS[month - 1].title() for month in sorted(months))
    if days.is_month:
        return ""
    if weekdays and not _any_start(days, words, lambda day: day.weekday() in weekdays):
        return " or ".join(_WEEKDAYS[weekday].title() for weekday in sorted(weekdays))
    numbers = numbers_in(words)
    if _names_day(words) and not _any_start(days, words, lambda day: day.day in numbers):
        return "another day of the month"
    return ""


def _any_start(days: Days, words: str, agrees: Callable[[date], bool]) -> bool:
    """Return whether the day agrees, or else that from which it is the end of a stay that *words* name.

    “Three days from Friday” end on a Sunday or a Monday.
    """
    lengths = {int(number) for number in numbers_in(words) if 0 < number <= _LONGEST}
    shifts = {0} | {shift for n in lengths for shift in (n - 1, n, n + 1, 7 * n)}
    if "weekend" in words:
        shifts |= {1, 2, 3}
    return any(agrees(days.first - timedelta(shift)) for shift in shifts if shift < days.first.toordinal())


def _months(words: str) -> Iterator[int]:
    for name, month in _NAMED.items():
        sure = rf"{_BESIDE}{name}\b|\b{name},? \d" if name in ("may", "march") else rf"\b{name}\b"
        if re.search(sure, words):
            yield month
    for written in re.finditer(r"\b20\d\d-(0[1-9]|1[0-2])\b", words):
        yield int(written[1])


def _weekdays(words: str) -> Iterator[int]:
    for name, weekday in _NAMED_DAYS.items():
        if re.search(rf"\b{name}s?\b", words):
            yield weekday


def _names_day(words: str) -> bool:
    """Return whether *words* name a day of a month: 13 May, May 13th, 2027-05-13."""
    names = "|".join(_NAMED)
    beside = rf"\b{_DAY}(?: of)? (?:{names})\b|\b(?:{names}),? {_DAY}(?!\d)|\b20\d\d-\d\d-\d\d\b"
    return bool(re.search(beside, words))
