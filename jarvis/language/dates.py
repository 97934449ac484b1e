"""Reads which days a person's words name, and whether a date that the model wrote can be one of them.

What is understood is a weekday, a day of a month, a month, a year, in six languages; sentences are not. So no
date is worked out from words here: it is held against them.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple


def _read_names() -> Iterator[dict[str, int]]:
    """Yield what stands in dates.txt, by its kinds in their order: words, with their numbers."""
    with open(os.path.join(os.path.dirname(__file__), "dates.txt"), encoding="utf-8") as file:
        rows = [row.split() for row in file if row[0] != "#"]
    for kind in dict.fromkeys(row[0] for row in rows):
        yield {name: int(row[1]) for row in rows if row[0] == kind for name in row[2:]}


_MONTH, _WEEKDAY, _NEAR, _SHORT, _PASSED, _TO, _IN = _read_names()
_KINDS = {"M": _MONTH, "W": _WEEKDAY, "N": _NEAR, "T": _TO, "I": _IN}
_DAY = len("2027-05-13")
# What names a time, and nothing that a date could be held against.
_VAGUE = re.compile(
    r"\b(?:(?:next|this|coming|nächste\w*|diese\w*|prochaine?|próxim[oa]|prossim[oa]|la) (?:week|month|year|"
    r"summer|winter|spring|autumn|holidays?|woche|monat|jahr|semaine|mois|semana|mes|settimana|mese)\w*|weekends?|"
    r"(?:at|over|for|this|next) (?:easter|christmas|new year)\w*|wochenende|weihnachten|noël|navidad|natale|"
    r"soon|in \S+ (?:days?|weeks?|months?)|in (?:the )?(?:summer|winter|spring|autumn))\b"
)
_WORD = r"(\d{1,2})(st|nd|rd|th|er|º)?(?!\d)|(20[2-4]\d)(?!\d)|[^\W\d_]+(?:'[^\W\d_]+)?|[-–]|\d+"
_IN_NUMBERS = r"\b(?:(20\d\d)-(\d\d)-(\d\d)\b|(\d{1,2})(?:/(\d{1,2})\b|\.(\d{1,2})\.)(?:/?(20\d\d)\b)?)"
# How a date is written, as a letter for each of its words: _kind says which.
_WRITTEN = re.compile(
    "[Ww]?[DO](?:T[Ww]?[DO])?[Mm]Y?[Ww]?|[Ww]?[Mm][DO](?:T[Ww]?[DO])?Y?|[Ww][DO]|O|MY?|IT?[Mm]Y?|mY|W|IY|(?<![Ww])N"
)


class Named(NamedTuple):
    """A day that words name, as far as they do; None: that is not said."""

    weekday: int | None = None  # from Monday, 0, on
    day: int | None = None
    month: int | None = None
    year: int | None = None

    def is_met(self, day: date, *, is_month: bool) -> bool:
        """Return whether *day* can be this one. is_month: whether any day of its month is meant."""
        own = (day.weekday(), day.day, day.month, day.year)
        pairs = [*zip(self, own, strict=True)][2 if is_month else 0 :]
        return not (is_month and self.day) and all(said in (None, has) for said, has in pairs)


def read_date(text: str, today: date) -> date | None:
    """Return the day that *text* is, as 2027-05-13; the first one left of a month, as 2027-05; else None."""
    with suppress(ValueError):
        day = date.fromisoformat(f"{text}-01"[:_DAY])
        return today if len(text) < _DAY and str(today).startswith(text) else day
    return None


def can_be(text: str, words: str, today: date) -> bool | None:
    """Return whether the day or month *text* is one that *words* name, as far as they do.

    Where they name a time by no more than “next week”, it can be any. None: they say nothing on when.
    """
    day, named = read_date(text, today), _completed([*_named(words.casefold(), today)])
    if day is None or not named:
        return True if day and _VAGUE.search(words.casefold()) else None
    return any(each.is_met(day, is_month=len(text) < _DAY) for each in named)


def _completed(named: Sequence[Named]) -> list[Named]:
    """Return *named*: what has no month has that of another one, “on a Friday in May”; and so with years."""
    months, years = ({each[at] for each in named} - {None} or {None} for at in (2, 3))
    days = [each for each in named if each.day or each.weekday is not None]
    # A month by itself is meant besides where each of the days has its own.
    whole = [each for each in named if each not in days and all(day.month for day in days)]
    return [
        each._replace(month=each.month or month, year=each.year or year)
        for each in (*days, *(each for each in whole if each.month or not days))
        for month in months
        for year in years
    ]


def _named(words: str, today: date) -> Iterator[Named]:
    """Yield the days that *words*, in small letters, name: of 3/5 both, since nobody can tell which it is."""
    for is_month_first in (False, True):
        spelt = re.sub(
            _IN_NUMBERS, partial(_spelt, is_month_first=is_month_first), words.replace("-feira", "")
        )
        tokens = [each for each in re.finditer(_WORD, spelt) if each[0] not in _PASSED]
        for match in _WRITTEN.finditer("".join(map(_kind, tokens))):
            yield from _days(tokens[slice(*match.span())], today)


def _spelt(match: re.Match[str], *, is_month_first: bool) -> str:
    """Return a date in numbers with its month as a word."""
    year, month, day, *two, then = match.group(1, 2, 3, 4, 5, 6, 7)
    first, second = day or two[0], month or two[1] or two[2]
    if is_month_first and not year:
        first, second = second, first
    name = next((name for name, number in _MONTH.items() if number == int(second)), ".")
    return f" {first} {name} {year or then or ''} "


def _kind(match: re.Match[str]) -> str:
    if match[1]:
        return "." if not 0 < int(match[1]) <= 31 else "O" if match[2] else "D"
    kind = next((kind for kind, known in _KINDS.items() if match[0] in known), "Y" if match[3] else ".")
    return kind.lower() if match[0] in _SHORT else kind


def _days(tokens: Sequence[re.Match[str]], today: date) -> Iterator[Named]:
    """Yield the days in one date as it is written: two where it goes from one to the other."""
    words = [token[0] for token in tokens]
    if words[0] in _NEAR:
        near = today + timedelta(_NEAR[words[0]])
        yield Named(None, near.day, near.month, near.year)
        return
    month = next((_MONTH[word] for word in words if word in _MONTH), None)
    year = next((int(token[3]) for token in tokens if token[3]), None)
    weekdays = {at: _WEEKDAY[word] for at, word in enumerate(words) if word in _WEEKDAY}
    days = {at: int(token[1]) for at, token in enumerate(tokens) if token[1]}
    for at, day in days.items():  # its weekday stands before it, or behind it all
        last = weekdays.get(len(words) - 1) if len(days) == 1 else None
        yield Named(weekdays.get(at - 1, last), day, month, year)
    if not days:
        yield Named(next(iter(weekdays.values()), None), None, month, year)
