"""Reads words that are nothing but an address, or the full name of an alias, a known site or an app.

Whoever types no more than that wants it opened. Where it may be a file's name as well, they are asked.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..actions import catalogue
from ..actions.open_file import path_here, path_of
from ..actions.open_website import address_in, may_be_file
from ..core.types import ADDRESS, FILE
from ..core.urls import unwrapped
from ..language.orders import bare_name
from .meant import Meaning, Meant, by_kind

if TYPE_CHECKING:
    from .names import Names


def bare(text: str, names: Names | None) -> Meant | None:
    """Return what to open where *text* names that and says no more; None for any other words."""
    name = bare_name(text)
    url = address_in(text) if not text.split()[1:] and unwrapped(text) == text else ""
    path = path_of(text)
    lies = bool(path) and os.path.lexists(path)
    if url:
        found = [Meaning(ADDRESS, text, url)]
        if lies:
            found = [Meaning(FILE, text, path), *found]
        return _meant(tuple(found), is_unsure=not lies and may_be_file(text))
    if name and names:
        here = path_here(text)
        meanings = names.of(name, Meaning(FILE, name, here) if here else None)
        if meanings:
            return _meant(meanings)
    return _meant((Meaning(FILE, text, path),), is_unsure=True) if lies else None


def _meant(meanings: tuple[Meaning, ...], *, is_unsure: bool = False) -> Meant:
    first = meanings[0]
    action, field = by_kind(first.kind, catalogue())
    alone = len(meanings) == 1 and first.kind in (ADDRESS, FILE)
    return Meant(action, {field: first.target}, () if alone else meanings, is_unsure)
