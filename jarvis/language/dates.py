"""Reads which days a person's words name, and whether a date that the model wrote can be one of them.

What is understood is a weekday, a day of a month, a month, a year, in six languages; sentences are not. So no
date is worked out from words here: it is held against them.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import NamedTuple, TypeAlias

Sign: TypeAlias = tuple[str, Sequence[int]]  # a word as the letter of what it is, with its numbers
DAY = len("2027-05-13")  # a month is shorter


with open(os.path.join(os.path.dirname(__file__), "dates.txt"), encoding="utf-8") as _file:
    _ROWS = [row.split() for row in _file if row[0] != "#"]
# A word that is another one besides has a small letter.
_WORDS: dict[str, Sign] = {
    word.rstrip("?"): (row[0].lower() if word.endswith("?") else row[0], [*map(int, row[1].split(","))])
    for row in _ROWS
    for word in row[2:]
}
# A date in numbers, with its month behind #: 3/5 is both, since nobody can tell which it is.
_SPELT = {
    r"\b(20\d\d)-(\d\d)-(\d\d)\b": r"\3 #\2 \1",
    r"\b(\d{1,2})\.(\d{1,2})\.(?:(20\d\d)\b)?": r"\1 #\2 \3",
    r"([^\W\d_]+,? )?\b(\d{1,2})/(\d{1,2})\b(?:/(20\d\d)\b)?": r"\1\2 #\3 \4; \1\3 #\2 \4;",
}
_SIGN = (
    r"(?P<M>#\d+)|(?P<Y>20[1-4]\d)(?!\d)|(?P<O>\d{1,2}(?:st|nd|rd|th|er|º))|(?P<D>\d{1,2})(?!\d)|\d+|[-–;]|"
    r"(?P<C>,)|week-end|[^\W\d_]+-feira|fi[nm] de semana|fine settimana|[^\W\d_]+(?:'[^\W\d_]+)?"
)
# How a date is written, as a letter for each of its words.
_WRITTEN = (
    "X?I?T?(?:B(?:[DO]T[DO][Mm]|[Mm][DO]T[DO](?![Mm])|[Mm]T[Mm](?![DO]))|"  # between 10 and 14 May
    "[Ww]?C?(?:[DO](?=T[Ww]?[DO][Mm])|(?:[DO][Mm]|[Mm][DO])(?:C?Y)?(?:C?[Ww](?![DOMm]))?)|"  # Friday, May 14
    "(?<=[Mm][DO])T[Ww]?[DO](?![Mm])|W[DO]|(?<=[ITX])O|[Mm]Y|M|(?<=[IFV])m|(?<=IT)m|(?<=I)Y|W|(?<![Ww])N|"
    "(?<=[IF])V|VV|(?<=I[.D])V)"  # in two weeks
)


_KINDS = ("Ww", "DO", "Mm", "Y", "N")  # of signs, in the order of what is named


class Named(NamedTuple):
    """Days that words name, by what each can be; empty: that is not said."""

    weekdays: Sequence[int] = ()  # from Monday, 0, on
    days: Sequence[int] = ()
    months: Sequence[int] = ()
    years: Sequence[int] = ()
    away: Sequence[int] = ()  # in days from today on

    def is_met(self, own: Sequence[int | None]) -> bool:
        """Return whether a day that is *own*, in the order above, is one of them; None: that can be any."""
        return all(not said or has is None or has in said for said, has in zip(self, own, strict=True))


def read_date(text: str, today: date) -> date | None:
    """Return the day that *text* is, as 2027-05-13; the first one left of a month, as 2027-05; else None."""
    with suppress(ValueError):
        day = date.fromisoformat(f"{text}-01"[:DAY])
        return today if len(text) < DAY and str(today).startswith(text) else day
    return None


def can_be(text: str, words: str, today: date, reach: range) -> bool | None:
    """Return whether the day or month *text* is one that *words* name, as far as they do; None: they do not.

    reach: how many days it may be away where they say no more than a weekday, or “next week”.
    """
    wanted, unwanted = _named(words.casefold(), reach)
    if not (wanted or unwanted) or (day := read_date(text, today)) is None:
        return None
    within = (None, 0) if len(text) < DAY else (day.weekday(), day.day)  # no day is that of a month
    own = (*within, day.month, day.year, (day - today).days)
    is_wanted = any(each.is_met(own) for each in _completed(wanted, reach))
    return is_wanted and not any(each.is_met(own) for each in unwanted)


def _completed(named: Sequence[Named], reach: range) -> Iterator[Named]:
    """Yield *named*: what has no month has that of another one, “on a Friday in May”; and so with years."""
    months, years = ([number for each in named for number in each[at]] for at in (2, 3))
    exact = [each for each in named if each.weekdays or each.days or each.away]
    # A month by itself is meant besides where each of the days has its own.
    whole = [each for each in named if each.months and all(day.months or day.away for day in exact)]
    for each in [*exact, *whole] or named:
        full = each._replace(months=each.months or months, years=each.years or years)
        yield each if each.away else full if any(full[1:4]) else full._replace(away=reach)


def _named(words: str, reach: range) -> tuple[list[Named], list[Named]]:
    """Return the days that *words*, in small letters, name, and those that they do not want."""
    for written, spelt in _SPELT.items():
        words = re.sub(written, spelt, words)
    signs = [sign for sign in map(_sign, re.finditer(_SIGN, words)) if sign[0] != "P"]
    named: tuple[list[Named], list[Named]] = [], []
    for match in re.finditer(_WRITTEN, "".join(letter for letter, _ in signs)):
        found = signs[slice(*match.span())]
        numbers = [[n for letter, ns in found if letter in kind for n in ns] for kind in _KINDS]
        if "B" in match[0]:
            numbers = [[*range(min(each), max(each) + 1)] if each else each for each in numbers]
        if {*numbers[-1]} <= {*reach}:  # German “hier” is no yesterday
            named["X" in match[0]].append(Named(*numbers))
    return named


def _sign(match: re.Match[str]) -> Sign:
    own = (match.lastgroup or ".", [*map(int, re.findall(r"\d+", match[0]))])
    return _WORDS.get(match[0].replace(" ", "-"), own)
