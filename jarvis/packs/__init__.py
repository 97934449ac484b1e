"""The packs: every folder beside this file whose package has a PACK is one.

Listing them imports none of their actions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..actions.base import Action
from ..config.keys import KEYS
from ..config.settings import Budgets, Settings
from ..core.text import one_line
from .pack import Pack


class PackState(NamedTuple):
    """A pack, and whether it is there for the person."""

    pack: Pack
    is_on: bool
    missing: str = ""  # what it needs and is not there, in words; empty: nothing
    cure: str = ""  # what to type to have that

    @property
    def is_ready(self) -> bool:
        return self.is_on and not self.missing


def known() -> dict[str, Pack]:
    """Return every pack, by its name. This is the one place that says where packs come from."""
    names = {name for folder in __path__ for name in os.listdir(folder) if _is_package(f"{folder}/{name}")}
    return {name: __import__(f"{__name__}.{name}", fromlist=["PACK"]).PACK for name in sorted(names)}


def states(settings: Settings) -> list[PackState]:
    """Return every pack as the settings have it."""
    return [_state(pack, settings) for pack in known().values()]


def ready(settings: Settings) -> list[Pack]:
    """Return the packs that are on and have what they need, in the order of the settings."""
    found = {state.pack.name: state.pack for state in states(settings) if state.is_ready}
    return [found[name] for name in names_on(settings) if name in found]


def names_on(settings: Settings) -> tuple[str, ...]:
    """Return the names that are on, known or not, in the order of the settings."""
    if settings.packs is not None:
        return settings.packs
    return tuple(pack.name for pack in known().values() if pack.is_on)


def warnings(settings: Settings) -> tuple[str, ...]:
    """Return the settings' own warnings, and a line on each name in them that no pack has."""
    there = known()
    strange = [name for name in settings.packs or () if name not in there]
    return (*settings.warnings, *(_not_there(name, list(there)) for name in strange))


def actions_of(pack: Pack) -> dict[str, Action]:
    """Return the actions of *pack* by their names. Loads them."""
    package = f"{__name__}.{pack.name}"
    return {name: __import__(f"{package}.{name}", fromlist=["ACTION"]).ACTION for name in pack.actions}


def budgets_with(packs: Iterable[Pack], own: Budgets) -> Budgets:
    """Return what a turn may use up where *packs* are open: of each the most that one of them may.

    own: the settings'. What the person changed there stays as they have it.
    """
    usual = Budgets()
    most: dict[str, float] = {}
    for pack in packs:
        for name, value in pack.budgets.items():
            if getattr(own, name) == getattr(usual, name):
                most[name] = max(value, most.get(name, getattr(usual, name)))
    return own._replace(**most)  # type: ignore[arg-type]


def _is_package(folder: str) -> bool:
    return os.path.isfile(f"{folder}/__init__.py")


def _state(pack: Pack, settings: Settings) -> PackState:
    is_on = pack.name in names_on(settings)
    for name in pack.needs:
        secret = settings.key(KEYS[name])
        if not secret and not secret.origin:  # the keyring's is not asked for here
            return PackState(pack, is_on, f"a {KEYS[name].service} key", f"jarvis keys set {name}")
    return PackState(pack, is_on)


def _not_there(name: str, there: Sequence[str]) -> str:
    import difflib  # few names are misspelt

    near = difflib.get_close_matches(name, there, n=1)
    meant = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(there)}."
    return f"config.toml turns on a pack that is not there: {one_line(name, 40)}{meant}"
