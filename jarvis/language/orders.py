"""Reads whole lines of plain commands: one that is nothing but a name, one that lists several things."""

from __future__ import annotations

from ..core.text import MARK
from .command_grammar import STOPS, Said, are_several, letters, said
from .lexicon import GOES, OF_LISTS, OPENS, SHOWS

_MOST_WORDS = 3  # of a name that stands alone: what is longer is more often a sentence
_LONGEST_OF_LIST = 100  # characters of what is asked of a list
_AND = " and "


def bare_name(text: str) -> str:
    """Return the name that *text* may be, in lower case without signs, where it says no more than that."""
    words, typed = text.split(), text.strip()
    if not words or len(words) > _MOST_WORDS or "?" in text:
        return ""
    if not (typed[0].isalnum() and (typed[-1].isalnum() or typed[-1] in "+#.!")):
        return ""
    meant = said(text)
    if meant.verb or list(meant.words) != words or are_several(meant.words):
        return ""
    return " ".join(letters(meant.text).split())


def may_hold_name(text: str) -> bool:
    """Return whether *text* may ask for something by its name."""
    return bool(said(text).verb or bare_name(text))


def of_list(text: str) -> str:
    """Return what *text* asks of the list last shown, without polite words; empty: nothing.

    Cheap, since every request comes here.
    """
    if len(text) > _LONGEST_OF_LIST or not text.isprintable() or MARK in text:
        return ""
    known = text.lower().replace("-", " ").split()
    if OF_LISTS.isdisjoint([word.strip(STOPS) for word in known]):
        return ""
    from .follow_ups import change_in  # most words have none of these

    meant = said(text)
    lead = {"": "", SHOWS: "show ", OPENS: "open ", GOES: "open "}.get(meant.verb)
    asked = "" if meant.doubts or lead is None else lead + " ".join(meant.words)
    return asked if change_in(asked) else ""


def listed(text: str) -> list[str]:
    """Return `open A, B and C` as orders, one for each; empty where it lists nothing so.

    “Launch A and B” may be about one thing with both names, and “open A, B” about what is in A.
    """
    meant = said(text)
    first, link, last = " ".join(meant.words).replace(f",{_AND}", _AND).rpartition(_AND)
    if meant.verb != OPENS or meant.doubts or not link:
        return []
    lead = " ".join(text.split()[: -len(meant.words) - len(meant.after)])
    return [f"{lead} {thing}" for thing in (*first.replace(_AND, ", ").split(", "), last)]


def objects(text: str, meant: Said) -> tuple[str, ...]:
    """Return what *text* says after its verb, as it was typed: a file's name may have any sign and space.

    The whole of it first, then without polite words, then without the stop at its end, and without quotes.
    """
    behind = len(meant.words) + len(meant.after)
    before = len(text.split()) - behind
    whole = text.split(None, before)[before].rstrip() if behind else ""
    bare = " ".join(meant.words)
    if whole.split()[: len(meant.words)] != list(meant.words):  # “bring … up”
        whole = bare
    quoted = bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"`" else ""
    return tuple(filter(None, dict.fromkeys((whole, bare, bare.rstrip(STOPS), quoted))))
