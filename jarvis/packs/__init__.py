"""The packs: every folder beside this file whose package has a PACK is one.

Listing them imports none of their actions. One that is broken is told of, and left out.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..actions.base import Action
from ..config.keys import KEYS
from ..config.settings import Budgets, Settings
from ..core.text import one_line
from .pack import Pack
from .soundness import BrokenPack, fault_in_action, fault_in_pack, fault_of, why_left_out


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
    """Return every pack that is sound, by its name."""
    return {name: pack for name, pack in _looked_at().items() if isinstance(pack, Pack)}


def broken() -> dict[str, str]:
    """Return why each of the others is left out, by the name of its folder."""
    return {name: why_left_out(name, why) for name, why in _looked_at().items() if isinstance(why, str)}


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
    """Return the settings' own warnings, and a line on each name in them that no pack has, or a broken one.

    Where they don't say which are on, a broken one may be.
    """
    there, left_out = known(), broken()
    named = left_out if settings.packs is None else settings.packs
    strange = [name for name in named if name not in there]
    return (*settings.warnings, *(left_out.get(name) or _not_there(name, list(there)) for name in strange))


def actions_of(pack: Pack, taken: Collection[str] = ()) -> dict[str, Action]:
    """Return the actions of *pack* by their names. Loads them. Raises BrokenPack.

    taken: the names that others have.
    """
    actions: dict[str, Action] = {}
    for name in pack.actions:
        try:
            action = __import__(f"{__name__}.{pack.name}.{name}", fromlist=["ACTION"]).ACTION
        except (Exception, SystemExit) as error:  # it may be anybody's code, and is to stop nothing
            raise BrokenPack(why_left_out(pack.name, fault_of(error))) from error
        if fault := fault_in_action(action, name, {*taken, *actions}):
            raise BrokenPack(why_left_out(pack.name, fault))
        actions[name] = action
    return actions


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


def _looked_at() -> dict[str, Pack | str]:
    """Return each pack, or what is wrong with it. This is the one place that says where packs come from."""
    names = {name for folder in __path__ for name in os.listdir(folder) if _is_package(f"{folder}/{name}")}
    return {name: _look_at(name) for name in sorted(names)}


def _is_package(folder: str) -> bool:
    return os.path.isfile(f"{folder}/__init__.py")


def _look_at(name: str) -> Pack | str:
    try:
        pack = __import__(f"{__name__}.{name}", fromlist=["PACK"]).PACK
    except (Exception, SystemExit) as error:  # noqa: BLE001 (anybody's code: it is to stop nothing)
        return fault_of(error)
    return fault_in_pack(pack, name) or pack


def _state(pack: Pack, settings: Settings) -> PackState:
    is_on = pack.name in names_on(settings)
    for name in pack.needs:
        secret = getattr(settings, f"{name}_key")
        if not secret and not secret.origin:  # the keyring's is not asked for here
            return PackState(pack, is_on, f"a {KEYS[name].service} key", f"jarvis keys set {name}")
    return PackState(pack, is_on)


def _not_there(name: str, there: Sequence[str]) -> str:
    import difflib  # few names are misspelt

    near = difflib.get_close_matches(name, there, n=1)
    meant = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(there)}."
    return f"config.toml turns on a pack that is not there: {one_line(name, 40)}{meant}"
