"""Find the action that plain words ask for, without a model. It is cheap, since every request comes here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..actions import catalogue
from ..actions.base import HandsAction
from ..actions.open_file import path_here, path_in, path_of
from ..actions.open_website import address_in, may_be_file
from ..core.text import MARK
from ..core.types import ADDRESS, FILE, Options
from ..core.urls import unwrapped
from ..language import command_grammar
from .meant import Meaning, Meant, by_kind

if TYPE_CHECKING:
    from .names import Names


# Longer words are left to the loop.
_LONGEST = 2200
_MOST = 6  # things that one line asks for


def understood(text: str, names: Names | None = None) -> Meant | None:
    """Return what *text* plainly asks for; None if that isn't plain. names: those known on this machine."""
    if len(text) > _LONGEST or not text.isprintable() or MARK in text:
        return None
    return bare(text, names) or _one(text, names) or _several(text, names)


def _one(text: str, names: Names | None) -> Meant | None:
    """Return the one thing that *text* asks for after its verb; None if it is another, or not plain."""
    actions = catalogue()
    for action in actions.values():
        if isinstance(action, HandsAction) and (arguments := action.plain(text)) is not None:
            return Meant(action, arguments)
    meanings = names.meanings(text) if names else ()
    if meanings:
        action, field = by_kind(meanings[0].kind, actions)
        return Meant(action, {field: meanings[0].target}, meanings)
    # What means nothing else may be what lies here.
    if names and (path := path_in(text, path_here)):
        action, field = by_kind(FILE, actions)
        return Meant(action, {field: path})
    return None


def _several(text: str, names: Names | None) -> Meant | None:
    """Return what `open A, B and C` asks for, where each is plain by itself and means one thing."""
    listed = command_grammar.listed(text)
    if not 1 < len(listed) <= _MOST:
        return None
    found = {}
    for each in listed:
        meant = _one(each, names)
        if meant is None or len(meant.meanings) > 1:
            return None
        found[meant.action.name, meant.named] = meant
    first, *others = found.values()
    return first._replace(others=tuple(others))


def meant_by(text: str, options: Options, environment: Mapping[str, str]) -> Meant | None:
    """Return what *text* plainly asks for, or None. Raises SettingsError if the known names can't be read."""
    if (meant := understood(text)) or not command_grammar.may_hold_name(text):
        return meant
    # Only needed for words that may hold a name.
    from ..config.settings import read_settings
    from .names import Names

    folders = read_settings(environment, env_file=options.env_file).folders
    return understood(text, Names(environment, folders.aliases, folders.cache))


def is_name(text: str) -> bool:
    """Return whether *text* asks to open something by a name, whatever the name means here."""
    return command_grammar.called(command_grammar.said(text)) is not None


# Words that are nothing but an address, or the full name of an alias, a known site or an app.


def bare(text: str, names: Names | None) -> Meant | None:
    """Return what to open where *text* names that and says no more; None for any other words."""
    name = command_grammar.bare_name(text)
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
