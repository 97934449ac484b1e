"""Which lines of the list last shown do the words point at?"""

from __future__ import annotations

import re

from .clauses import LONGEST
from .phrases import LAST, ORDINALS

_ORDINAL = "|".join(word for word in ORDINALS if word[0].isdigit() or word.endswith(("st", "nd", "rd", "th")))
_ENTRY = r"(?:one|results?|links?|sites?|web ?sites?|pages?|entry|item|of (?:them|those|these)|in the list)"
_LINE = re.compile(
    rf"(?i)\b(?:the )?(?P<nth>{_ORDINAL}|last)(?: {_ENTRY}\b|(?=\W*(?:\Z|,|and\b|please\b)))"
    r"|(?:#|\b(?:number|no\.|result|line|link|item|entry|nr\.?) ?#?)(?P<n>[1-9]\d?)\b"
    r"|\A\W*(?:please )?(?:open|go to|visit|launch) #?(?P<bare>[1-9]\d?)(?: please)?\W*\Z"
)


def lines_in(words: str) -> tuple[int, ...]:
    found = [_line(match) for match in _LINE.finditer(words[:LONGEST])]
    return tuple(dict.fromkeys(found))


def _line(match: re.Match[str]) -> int:
    if number := match["n"] or match["bare"]:
        return int(number)
    nth = match["nth"].lower()
    return LAST if nth == "last" else ORDINALS[nth]
