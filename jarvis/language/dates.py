"""Reads the days in the user's words, and checks whether a date from the model can be one of them.

It knows weekdays, days of a month, months, and years in six languages, but no sentences. So it derives no
date from words. It only compares.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import TypeAlias

from ..core.text import fold_case

Sign: TypeAlias = tuple[str, Sequence[int]]  # a word as the letter of what it is, with its numbers
Named: TypeAlias = Mapping[str, Sequence[int]]  # what a day can be, by W, D, M, Y, and N: days from today on
DAY = len("2027-05-13")  # a month is shorter

with open(os.path.join(os.path.dirname(__file__), "dates.txt"), encoding="utf-8") as _file:
    _ROWS = [row.split() for row in _file if row[0] != "#"]
# A word that is another one besides has a small letter.
_WORDS: dict[str, Sign] = {
    fold_case(word.rstrip("?")): (kind.lower() if "?" in word else kind, [*map(int, numbers.split(","))])
    for kind, numbers, *words in _ROWS
    for word in words
}
# Dates and times, for whoever looks for other numbers. In capitals a short month may be a ticker.
_MONTHS = [word.rstrip("?") for kind, _, *words in _ROWS if kind == "M" for word in words]
_MONTH = "|".join(each if each[3:] else f"(?-i:[{each[0].upper()}{each[0]}]{each[1:]})" for each in _MONTHS)
_DAY = r"\b(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|er|[ºª.])?"
_YEAR = r"(?:[-/., ]*(?:de |del )?(?:\b(?:19|20)|')\d\d\b)"
_COUNTED = r"\b(?! ?(?:[$€£]|(?:shares?|units?|stocks?|dollars?|euros?|pounds?|bucks|usd|eur|gbp)\b))"
_DATES = (
    r"\b(?:19|20)\d\d[-/]\d\d?(?:[-/]\d\d?)?(?!\d)(?:T[\d:.]+)?|\b\d\d?([-/.])\d\d?\1(?:\d\d){1,2}\b"
    rf"|{_DAY}(?:[-/. ]| of | de | di )*(?:(?:{'|'.join(_MONTHS)}){_YEAR}|(?:{_MONTH})\b)"
    rf"|\b(?:{_MONTH})(?:[-. ]|the )*(?:{_DAY}{_COUNTED}{_YEAR}?|{_YEAR})"
    rf"|\b\d\d?(?:[/:]\d\d?|st|nd|rd|th)\b|\b(?:in|since|seit|en){_YEAR}"
)
# A date in numbers, with its month behind #: 3/5 is both, since nobody can tell which it is.
_SPELT = {
    r"\b(20\d\d)-(\d\d)-(\d\d)\b": r"\3 #\2 \1",
    r"\b(\d{1,2})\.(\d{1,2})\.(?:(20\d\d)\b)?": r"\1 #\2 \3",
    r"([^\W\d_]+,? )?\b(\d{1,2})/(\d{1,2})\b(?:/(20\d\d)\b)?": r"\1\2 #\3 \4; \1\3 #\2 \4;",
}
_SIGN = (
    r"(?P<M>#\d+)|(?P<Y>20[1-4]\d)(?!\d)|(?P<d>\d{1,2}(?:st|nd|rd|th|er|o)\b)|(?P<D>\d{1,2})(?!\d)|\d+|[-–;]|"
    r"(?P<C>,)|[^\W\d_]+-(?:end|feira)|fi[mn]e? (?:de )?(?:semana|settimana)|[^\W\d_]+(?:['’][^\W\d_]+)?"
)
# How days are written, by a letter for each word, “Fri, 14 to Mon 17 May”; and what one says, or it is none.
_RUN = "(?:(?:(?<![Mm])C|(?<=[Dd])T(?=[Ww]?[Dd])|(?<=[Mm])T(?=[Mm]))?[WwDdMmY])+"
_VAGUE = "(?:(?<=[IFV])|(?<=I)[.D])V(?![Mm])"  # next week, in two weeks
_WRITTEN = f"(?P<no>X?)G?[IFV]?T?(?:{_VAGUE}|(?P<between>B?)(?P<days>{_RUN}|(?<!W)N))"
_SAYS = "[WMN]|[Dd][wm]|[wm][Dd]|mY|[IFXV]T?[dmY]|V$"


def read_date(text: str, today: date) -> date | None:
    """Return *text* as a day (2027-05-13). For a month (2027-05), return its first day left. Else None."""
    with suppress(ValueError):
        day = date.fromisoformat(f"{text}-01"[:DAY])
        return today if len(text) < DAY and str(today).startswith(text) else day
    return None


def can_be(text: str, words: str, today: date, reach: range) -> bool | None:
    """Return whether the day or month *text* fits those in *words*, or None if they have none.

    reach: in days, if the words have only a weekday or “next week”.
    """
    if (day := read_date(text, today)) is None:
        return None
    own = {"M": day.month, "Y": day.year, "N": (day - today).days}
    own |= {"W": day.weekday(), "D": day.day} if len(text) == DAY else {"D": 0}  # no day is that of a month
    wanted, unwanted = _days_in(fold_case(words), reach)
    if any(_is_met(each, {"W": -1, **own}) for each in unwanted):
        return False
    return any(_is_met(each, own) for each in _completed(wanted, reach)) if wanted else None


def without_dates(words: str) -> str:
    """Return *words* without the dates and times in them, whose digits count nothing."""
    return re.sub(_DATES, ";", words, flags=re.IGNORECASE)


def _is_met(partial_date: Named, own: Mapping[str, int]) -> bool:
    return all(not numbers or own.get(what, numbers[0]) in numbers for what, numbers in partial_date.items())


def _completed(partial_dates: Sequence[Named], reach: range) -> Iterator[Named]:
    """Fill in missing months and years of *partial_dates* from the others: “on a Friday in May”."""
    months, years = ([number for each in partial_dates for number in each[what]] for what in "MY")
    days = [each for each in partial_dates if each["W"] or each["D"] or each["N"]]
    # A month by itself is meant besides where each of the days has its own.
    whole = [each for each in partial_dates if each["M"] and all(day["M"] or day["N"] for day in days)]
    for each in [*days, *whole] or partial_dates:
        full = {**each, "M": each["M"] or months, "Y": each["Y"] or years}
        is_bare = not (full["D"] or full["M"] or full["Y"])
        yield each if each["N"] else {**full, "N": reach} if is_bare else full


def _days_in(words: str, reach: range) -> tuple[list[Named], list[Named]]:
    """Return the days that *words* name, and those that they do not want."""
    for written, spelt in _SPELT.items():
        words = re.sub(written, spelt, words)
    signs = [sign for sign in map(_sign, re.finditer(_SIGN, words)) if sign[0] != "P"]
    dated: tuple[list[Named], list[Named]] = [], []
    for match in re.finditer(_WRITTEN, "".join(letter for letter, _ in signs)):
        days = signs[slice(*match.span("days"))]
        found = {kind: [n for letter, ns in days if letter.upper() == kind for n in ns] for kind in "WDMYN"}
        if match["between"]:
            found = {kind: ns and [*range(ns[0], ns[-1]), *ns] for kind, ns in found.items()}
        if re.search(_SAYS, match[0]) and {*found["N"]} <= {*reach}:  # German “hier” is no yesterday
            dated[bool(match["no"])].append(found)
    return dated


def _sign(match: re.Match[str]) -> Sign:
    own = (match.lastgroup or ".", [*map(int, re.findall(r"\d+", match[0]))])
    return _WORDS.get(match[0].replace(" ", "-"), own)
