"""Do two names mean the same? Needed to say whose website an address is."""

from __future__ import annotations

import re
import unicodedata

from .hosts import bare_name, is_owned

_UMLAUTS: dict[int, str] = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"}


def names_match(asked: str, official_name: str) -> bool:
    """Whether what was *asked* for may be what goes by *official_name*, case and accents apart.

    The words of one all stand in the other, or both are the same without spaces.
    """
    return is_part_of(asked, official_name) or is_part_of(official_name, asked)


def is_part_of(short: str, long: str) -> bool:
    """Whether the words of *short* all stand in *long*, or both are the same without spaces."""
    ours, theirs = words(short), words(long)
    return bool(ours) and (set(ours) <= set(theirs) or "".join(ours) == "".join(theirs))


def is_host_of(host: str, asked: str) -> bool:
    """Whether *host* is *asked* and nothing around it: acme.co.uk, purse.app, but not acme-help.com.

    Good for an order only: under most endings anyone may have it.
    """
    label, suffix = bare_name(host)
    if len(suffix.rpartition(".")[2]) > 2 and not is_owned(suffix, ""):
        label = ""  # of the newer endings, only where they are part of the name
    return any(spelling in (label, host.replace(".", "")) for spelling in _spellings(asked))


def begins_with(title: str, asked: str) -> bool:
    """Whether *title* is *asked*, perhaps with a branch or a trade after it."""
    ours = words(asked)
    return bool(ours) and words(title)[: len(ours)] == ours


def _spellings(asked: str) -> set[str]:
    """How a host may write *asked*: with or without hyphens, ü as u or ue, & as and."""
    names = (asked, asked.casefold().translate(_UMLAUTS), asked.replace("&", " and "))
    return {sign.join(words(name)) for name in names for sign in ("", "-")} - {""}


def words(name: str) -> list[str]:
    """The words of *name* without case, accents and apostrophes."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(c for c in letters if c not in "'’" and not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", bare)
