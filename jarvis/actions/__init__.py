"""Which actions there are, and the desktop that performs those of the person's session.

Each module beside this one is an action, but for base.py, which says what that is, and fields.py.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import cache

from ..core.types import EFFECTS
from ..desktop import own_platform
from ..desktop.desktop import Desktop
from .base import Action, DesktopAction

_NO_ACTIONS = {"__init__", "base", "fields"}
_SLOW = {"arrange"}  # tables are slow to import, and most plain commands have none


@cache
def catalogue() -> Mapping[str, Action]:
    """Return the actions that plain commands know by their names, harmless ones first."""
    return _actions_but(_SLOW)


def plannable() -> dict[str, Action]:
    """Return the actions that the model may plan, by their names."""
    return {name: action for name, action in _actions_but(()).items() if action.is_planned}


def _actions_but(left_out: Collection[str]) -> dict[str, Action]:
    # Listed by hand: pkgutil and importlib would cost a plain command more than it saves here.
    stems = {entry[:-3] for entry in os.listdir(os.path.dirname(__file__)) if entry.endswith(".py")}
    names = stems.difference(_NO_ACTIONS, left_out)
    modules = [__import__(f"{__name__}.{name}", fromlist=["ACTION"]) for name in names]
    actions: list[Action] = [module.ACTION for module in modules]
    # What is done with an address stands behind what finds one.
    order = sorted(actions, key=lambda a: (EFFECTS.index(a.effect), a.argument == "address", a.name))
    return {action.name: action for action in order}


def desktop_actions() -> dict[str, DesktopAction]:
    """Return the actions that the desktop performs, by their names."""
    return {name: action for name, action in catalogue().items() if isinstance(action, DesktopAction)}


def desktop_for(environment: Mapping[str, str], *, dry_run: bool = False, cache: str = "") -> Desktop:
    """Return what acts in this session. cache: a folder of ours."""
    # What they start gets the person's own environment, of which a session strikes some.
    own = own_platform(dict(environment), cache=cache)
    return Desktop(own, desktop_actions(), dry_run=dry_run)
