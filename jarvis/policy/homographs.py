"""Names of hosts whose letters only look like those that a person thinks they read."""

from __future__ import annotations

import unicodedata

# Cyrillic and Greek letters that look like Latin ones in most typefaces.
_ALIKE = frozenset("авеёкмнорстухіїјѕԁԛԝһӏьѵɡɑαβγικνοпρτυχωϲ")


def imitates(read: str) -> bool:
    """Whether a part of *read*, a host as it is read, mixes scripts, is all of letters that look Latin, or
    has a sign that looks like another.
    """
    return any(_is_odd(label) for label in read.casefold().split(".") if not label.isascii())


def _is_odd(label: str) -> bool:
    if any(unicodedata.category(sign).startswith("P") for sign in label if not sign.isascii()):
        return True  # a dash that looks like a hyphen, a quote
    letters = [letter for letter in label if letter.isalpha()]
    scripts = {unicodedata.name(letter, "?").split()[0] for letter in letters}
    if scripts <= {"LATIN"}:
        return False
    # Japanese is written in several at once.
    mixed = len(scripts - {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}) > 1
    return mixed or "LATIN" in scripts or _ALIKE.issuperset(letters)
