"""Which lines of the list last shown do the words point at?"""

from __future__ import annotations

import re

from ..phrases import LAST, ORDINALS
from .counting import MOST, NUMBERS

ALL = tuple(range(1, MOST + 1))
_ORDINAL = "|".join(word for word in ORDINALS if word[0].isdigit() or word.endswith(("st", "nd", "rd", "th")))
_ENTRY = (
    r"(?:ones?|results?|hits?|links?|sites?|web ?sites?|pages?|entry|entries|items?|of (?:them|those|these)|"
    r"in the list)"
)
_HERE = rf"(?: {_ENTRY}\b|(?=\W*(?:\Z|please\b|too\b|now\b|instead\b)))"
_LINE = re.compile(
    rf"(?i)\b(?:the )?(?P<back>{_ORDINAL})(?:[ -]to[ -]|[ -])last{_HERE}"
    rf"|\b(?:the )?(?P<nth>{_ORDINAL}|last){_HERE}"
    rf"|\b(?P<top>top) {_ENTRY}\b"
    rf"|\b(?:the )?(?P<side>first|top|last) (?P<many>{'|'.join(NUMBERS)}|[2-6]){_HERE}"
    r"|(?:#|\b(?:numbers?|no\.?|results?|line|links?|item|entry|option|source|nr\.?) ?#?)"
    rf"(?P<n>[1-9]\d?|one|{'|'.join(NUMBERS)})\b"
    r"|\A\W*(?P<bare>[1-9]\d?)\b(?=\W*(?:\Z|please\W*\Z))"
    r"|\A\W*(?P<all>(?:them|those|these) all|(?:each(?: one)?|every one) of (?:them|those|these)|"
    rf"all(?: of (?:them|those|these)| (?:the )?{_ENTRY})?|"
    rf"every(?:thing|thing in the list| {_ENTRY}))(?=\W*(?:\Z|please\b|too\b|now\b))"
)
# What follows is ruled out, or says why: “the second one, not the first one”.
_BUT = re.compile(
    r"(?i)\b(?:not|except|but|without|instead of|rather than|other than|because|since|as|while)\b"
)
_POLITE = re.compile(r"(?i)(?:please|pls|now|thanks|instead|too|then|\W)*")


def lines_in(thing: str) -> tuple[int, ...]:
    """The numbers of the lines, from 1; from the end, -1 is the last one."""
    if excepted := _BUT.search(thing):
        thing = thing[: excepted.start()]
        if _LINE.match(thing.strip()) and "all" in thing.lower():
            return ()  # “all but the first one”: those are asked about
    found = (line for match in _LINE.finditer(thing) for line in _lines(match))
    return tuple(dict.fromkeys(found))


def is_a_line(thing: str) -> bool:
    """Whether *thing* is nothing but a line of the list: “the second one please”, “#2”.

    Not a bare “2” or “all”, which may answer something else.
    """
    line = _LINE.match(thing.strip())
    if line is None or line["bare"] or line["all"]:
        return False
    return bool(_POLITE.fullmatch(thing.strip(), line.end()))


def _lines(match: re.Match[str]) -> tuple[int, ...]:
    if match["all"]:
        return ALL
    if back := match["back"]:
        return (-ORDINALS[back.lower()],)
    if many := match["many"]:
        count = NUMBERS.get(many.lower()) or int(many)
        return tuple(range(-count, 0) if match["side"].lower() == "last" else range(1, count + 1))
    if number := match["n"] or match["bare"]:
        return (int(number) if number.isdigit() else ORDINALS[number.lower()],)
    return (
        1 if match["top"] else LAST if match["nth"].lower() == "last" else ORDINALS[match["nth"].lower()],
    )
