"""Tell whether one name is short for another: “vs code”, “libre writer”, “calc”."""

from __future__ import annotations

from collections.abc import Sequence

# These point at something, or say what kind of thing it is: “open one” does not mean OneDrive.
_NO_NAMES = frozenset(
    "it that this them these those one ones some any all both there here something anything everything "
    "page pages site sites website websites web link links url tab tabs map maps doc docs video videos "
    "result results list post article file files first second third last next other same best top "
    "rest game games tool tools".split()
)


def is_short_for(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether *short* is made of words of *long*, beginnings of them and initials, in order."""
    if _NO_NAMES.issuperset(short):
        return False
    at = 0
    for word in short:
        found = next((n for n in range(at, len(long)) if _fits(word, long[n])), None)
        if found is not None:
            at = found + 1
            continue
        initials = "".join(part[0] for part in long[at : at + len(word)])
        if len(word) < 2 or initials != word:
            return False
        at += len(word)
    return bool(short)


def _fits(word: str, name: str) -> bool:
    # Beginnings are short, as in “calc” and “libre”: a longer word is said in full.
    return name == word or (2 < len(word) < 6 and name.startswith(word))
