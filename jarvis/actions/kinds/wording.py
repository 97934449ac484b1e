"""Finds numbers and texts in a person's own words."""

from __future__ import annotations

import re
from decimal import Decimal

from ...core.text import one_line
from ...language.spelt_numbers import spelt_in

_DIGITS = 40  # of a number; what is longer is none
_MARKS = ((".", ","), (",", "."))  # the decimal mark, and what may stand between thousands
_TIMES = {"k": 1_000, "thousand": 1_000, "million": 1_000_000}
# A number as it is written, and what multiplies it: 1.299,00, -5, 2k
# Of groups of digits nine at most: before 3.11.5 Python matches a `(…)*+` wrongly where it has to go back.
NUMBER = (
    rf"(?:(?<!\S)[-−])?\d[\d.,'’]*+(?:[ \u00a0\u202f]\d{{3}}(?!\d)){{0,9}}(?:\s?(?:{'|'.join(_TIMES)})\b)?"
)


def numbers_in(words: str) -> set[Decimal]:
    """Return every number that *words* may be said to hold; of 1.299 both that it may be."""
    lower = words.casefold()
    written = {number for each in re.finditer(NUMBER, lower) for number in readings(each[0])}
    return written | set(spelt_in(lower))


def readings(text: str) -> list[Decimal]:
    """Return what the number *text* may be, as English writes it first; none where it is no number."""
    bare = text.strip().replace("−", "-").casefold()
    times = next((word for word in _TIMES if bare.endswith(word)), "")
    number = bare.removesuffix(times).strip().rstrip(".,'’")
    found = [_read(number, mark, between) for mark, between in _MARKS]
    times_it = _TIMES.get(times, 1)
    return list(dict.fromkeys(value * times_it for value in found if value is not None))


def stands_in(text: str, words: str) -> bool:
    """Return whether *text* stands in *words*, as whole words, however it is spaced and capitalised."""
    looked_for, among = one_line(text).casefold(), one_line(words).casefold()
    return bool(looked_for) and bool(re.search(rf"(?<!\w){re.escape(looked_for)}(?!\w)", among))


def _read(number: str, mark: str, between: str) -> Decimal | None:
    """Return *number*, read with this decimal *mark*. Thousands stand in groups, lakhs in groups of two."""
    apart = rf"[{between}'’ \u00a0\u202f]"
    grouped = rf"\d{{1,3}}(?:{apart}\d{{2,3}})*{apart}\d{{3}}"
    parts = re.fullmatch(rf"(-?)(\d+|{grouped})(?:\{mark}(\d+))?", number) if len(number) <= _DIGITS else None
    if not parts:
        return None
    sign, whole, part = parts.groups()
    return Decimal(f"{sign}{re.sub(r'[^0-9]', '', _in_ascii(whole))}{f'.{_in_ascii(part)}' if part else ''}")


def _in_ascii(digits: str) -> str:
    """Return *digits* of any script as ours."""
    return "".join(str(int(each)) if each.isdecimal() else each for each in digits)
