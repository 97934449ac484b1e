"""Decides which packs are open in a turn: whose actions the model is offered beside the core's."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from .pack import Pack

MOST = 2  # packs in a turn: of more actions a weak model chooses worse, and the schema has little room


def opened(words: str, tables: Sequence[str], packs: Sequence[Pack]) -> tuple[str, ...]:
    """Return the names of the packs that *words* open, two at most, the likeliest first.

    Those named by the first word come before those with most words in them, and these before those whose
    tables were shown last. tables: the kinds of those. packs: those that are ready.
    """
    said = _words(words)
    if named := [pack.name for pack in packs if said[:1] == [pack.name]]:
        return tuple(named)
    hits = {pack.name: len(_listed(" ".join(pack.words.values())) & {*said}) for pack in packs}
    likely = sorted((name for name in hits if hits[name]), key=lambda name: -hits[name])
    shown = [pack.name for pack in packs if set(pack.tables) & set(tables)]
    return tuple((likely or shown)[:MOST])


@cache
def _listed(words: str) -> frozenset[str]:
    """Return the words of a pack, which each turn looks for."""
    return frozenset(_words(words))


def _words(text: str) -> list[str]:
    """Return the words in *text*, in small letters, and each sign of a currency as one."""
    return "".join(map(_apart, unicodedata.normalize("NFC", text.casefold()))).split()


def _apart(sign: str) -> str:
    if sign.isalnum() or unicodedata.category(sign)[0] == "M":  # a vowel's mark is a part of its word
        return sign
    return f" {sign} " if unicodedata.category(sign) == "Sc" else " "
