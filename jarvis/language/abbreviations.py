"""Whether one name is short for another: “vs code”, “libre writer”, “calc”. Not every word can be short."""

from __future__ import annotations

from collections.abc import Sequence

# They point at something, or say what kind of thing it is: “open one” means no OneDrive.
_NO_NAMES = frozenset(
    "it that this them these those one ones some any all both there here something anything everything "
    "page pages site sites website websites web link links url tab tabs map maps doc docs video videos "
    "result results list post article file files first second third last next other same best top "
    "rest game games tool tools".split()
)


def is_short_for(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether every word of *short* is one of *long*, the beginning of one or their initials, in order."""
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
    # “calc”, “libre”: whoever says a longer word has said the whole of it.
    return name == word or (2 < len(word) < 6 and name.startswith(word))
