"""What numbers and texts stand in a person's own words.

Of number words it knows the English ones: models write these even where the person speaks another language.
In the person's words that makes a number rather unsaid than said, and what is unsaid is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ...core.text import one_line

_DIGITS = 40  # of a number; what is longer is none
_MARKS = ((".", ","), (",", "."))  # the decimal mark, and what may stand between thousands
_TIMES = {"k": 1_000, "thousand": 1_000, "million": 1_000_000}
# A number as it is written, and what multiplies it: 1.299,00, -5, 2k
_NUMBER = rf"(?:(?<!\S)[-−])?\d[\d.,'’]*+(?:[ \u00a0\u202f]\d{{3}}(?!\d))*+(?:\s?(?:{'|'.join(_TIMES)})\b)?"
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SPELT = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
}


def numbers_in(words: str) -> set[Decimal]:
    """Return every number that *words* may be said to hold; of 1.299 both that it may be."""
    lower = words.casefold()
    written = {number for each in re.finditer(_NUMBER, lower) for number in readings(each[0])}
    return written | set(_spelt_in(lower))


def readings(text: str) -> list[Decimal]:
    """Return what the number *text* may be, as English writes it first; none where it is no number."""
    bare = text.strip().replace("−", "-").casefold()
    times = next((word for word in _TIMES if bare.endswith(word)), "")
    number = bare.removesuffix(times).strip().rstrip(".,'’")
    found = [_read(number, mark, between) for mark, between in _MARKS]
    times_it = _TIMES.get(times, 1)
    return list(dict.fromkeys(value * times_it for value in found if value is not None))


def spelt(text: str) -> Decimal | None:
    """Return the number that *text* is in English words: two, twenty-five, two hundred and fifty."""
    parts = re.findall(r"[^\W\d]+", text.casefold())
    numbers = list(_spelt_in(text.casefold()))
    known = all(part in _SPELT or part in ("hundred", "thousand", "and", "a") for part in parts)
    return numbers[0] if known and len(numbers) == 1 and not re.search(r"\d", text) else None


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


def _spelt_in(words: str) -> Iterator[Decimal]:
    """Yield each number that is spelt out in *words*, in lower case."""
    total = part = 0
    is_open = False
    for word in [*re.findall(r"\w+", words), ""]:
        if word in _SPELT:
            if is_open and not _goes_on(part, _SPELT[word]):
                yield Decimal(total + part)
                total = part = 0
            part, is_open = part + _SPELT[word], True
        elif word == "hundred" and (is_open or not part):
            part, is_open = 100 * (part or 1), True
        elif word == "thousand":
            total, part, is_open = total + 1_000 * (part or 1), 0, True
        elif is_open and word != "and":
            yield Decimal(total + part)
            total, part, is_open = 0, 0, False


def _goes_on(part: int, value: int) -> bool:
    """Return whether *value* belongs to the number so far: twenty five, hundred twelve; not one two."""
    return part % 100 == 0 or (part % 10 == 0 and part % 100 >= 20 and 0 < value < 10)
