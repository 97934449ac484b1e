"""A day or a month that is ahead, and that agrees with what the person said.

Words of languages that we don't read contradict no date. Where one has to be said, its number does it there.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta

from ...core.stdlib import NamedTuple
from ...core.text import one_line
from ...core.types import Facts
from ...language.named_dates import MONTHS, WEEKDAYS, is_soon, lengths_in, months_in, names_day, weekdays_in
from .unusable import Unusable
from .wording import numbers_in

_AHEAD = 330  # days: nobody sells what is later
_LONGEST = 60  # days of a stay


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
    """Return whether *words* name a month, a weekday or a day, which were held against the value before."""
    lower = words.casefold()
    if [*months_in(lower), *weekdays_in(lower)] or is_soon(lower):
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
    months, weekdays, numbers = {*months_in(words)}, {*weekdays_in(words)}, numbers_in(words)
    starts = [days.first] if days.is_month else list(_starts(days.first, words))
    if months and not any(start.month in months for start in starts):
        return " or ".join(MONTHS[month - 1].title() for month in sorted(months))
    if days.is_month or not (weekdays or names_day(words)):
        return ""
    if any(start.weekday() in weekdays or start.day in numbers for start in starts):
        return ""
    return " or ".join(WEEKDAYS[weekday].title() for weekday in sorted(weekdays)) or "another day"


def _starts(day: date, words: str) -> Iterator[date]:
    """Yield *day*, and those of which it is the end: “three days from Friday” end on Sunday or Monday."""
    lengths = {length for length in lengths_in(words) if length <= _LONGEST}
    for shift in {0, *(length - 1 for length in lengths), *lengths}:
        yield day - timedelta(shift)
