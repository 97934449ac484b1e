"""Reads which days a person's words name, and whether a date that the model wrote can be one of them.

What is understood is a weekday, a day of a month, a month, a year, in six languages; sentences are not. So no
date is worked out from words here: it is held against them.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import NamedTuple


def _named_in_file() -> dict[str, dict[str, int]]:
    """Return the numbers of months and weekdays, and of days from today on, by their names."""
    known: dict[str, dict[str, int]] = {"month": {}, "weekday": {}, "near": {}}
    with open(os.path.join(os.path.dirname(__file__), "dates.txt"), encoding="utf-8") as file:
        for kind, number, *names in (row.split() for row in file if row[0] != "#"):
            known[kind] |= dict.fromkeys(names, int(number))
    return known


_MONTH, _WEEKDAY, _NEAR = _named_in_file().values()
_DAY = len("2027-05-13")
# They are words besides: they count beside a day, and months behind “in”.
_SHORT = frozenset("jan feb mar apr may jun jul aug sept sep oct nov dec mon tue wed thu fri sat sun".split())
_PASSED = frozenset("the of de den der dem le el il o".split())  # may stand within a date
_TO = frozenset("- – to until till through and or bis und au al et y e a".split())
_IN = frozenset("in mid early late next this by before after since im en em".split())
_KINDS = {"M": _MONTH, "W": _WEEKDAY, "N": _NEAR, "T": _TO, "I": _IN}
# What names a time, and nothing that a date could be held against.
_VAGUE = re.compile(
    r"\b(?:next|this|coming|soon|weekends?|christmas|easter|new year\w*|summer|winter|spring|autumn|"
    r"nächste\w*|diese\w*|wochenende|weihnachten|ostern|prochaine?|noël|próxim[oa]|navidad|prossim[oa]|natale|"
    r"in \S+ (?:days?|weeks?|months?))\b"
)
_WORD = r"(\d{1,2})(st|nd|rd|th|er|º)?(?!\d)|(20\d\d)(?!\d)|[^\W\d_]+(?:'[^\W\d_]+)?|[-–]|\d+"
_IN_NUMBERS = r"\b(?:(20\d\d)-(\d\d)-(\d\d)\b|(\d{1,2})[./](\d{1,2})\b\.?(?:[./]?(20\d\d)\b)?)"
# How a date is written, as a letter for each of its words: _kind says which.
_WRITTEN = re.compile(
    "[Ww]?[DO](?:T[Ww]?[DO])?[Mm]Y?[Ww]?|[Ww]?[Mm][DO](?:T[Ww]?[DO])?Y?|[Ww][DO]|O|MY?|I[Mm]Y?|mY|W|IY|N"
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
        return all(said in (None, has) for said, has in pairs)


def read_date(text: str, today: date) -> date | None:
    """Return the day that *text* is, as 2027-05-13; the first one left of a month, as 2027-05; else None."""
    with suppress(ValueError):
        day = date.fromisoformat(f"{text}-01"[:_DAY])
        return today if len(text) < _DAY and str(today).startswith(text) else day
    return None


def can_be(text: str, words: str, before: str, today: date) -> bool:
    """Return whether the day or month *text* is one that *words* name, as far as they do.

    Where they name a time by no more than “next week”, it can be any. before: what was said in the turn
    before, which counts where they say nothing on when.
    """
    day, named = read_date(text, today), _completed([*_named(words.casefold(), today)])
    if day is None or not named:
        is_vague = _VAGUE.search(words.casefold()) is not None
        return day is not None and (is_vague or (bool(before) and can_be(text, before, "", today)))
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
    """Yield the days that *words*, in small letters, name."""
    for year, month, day, first, second, then in re.findall(_IN_NUMBERS, words):
        # Of 3/5 nobody can tell which is the month; 99.50 is an amount.
        pairs = [(day, month)] if year else [(first, second), (second, first)]
        read = [Named(None, int(d), int(m), int(year or then or 0) or None) for d, m in pairs]
        yield from (each for each in read if each[1] in range(1, 32) and each[2] in range(1, 13))
    tokens = [each for each in re.finditer(_WORD, re.sub(_IN_NUMBERS, ".", words)) if each[0] not in _PASSED]
    for match in _WRITTEN.finditer("".join(map(_kind, tokens))):
        yield from _days(tokens[slice(*match.span())], today)


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
