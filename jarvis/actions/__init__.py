"""The catalogue: every module beside this one that has an ACTION is an action."""

from __future__ import annotations

import os

from ..core.types import EFFECTS
from .base import Action


def catalogue() -> dict[str, Action]:
    """Every action by its name, harmless ones first."""
    # Listed by hand: pkgutil and importlib would cost a plain command more than it saves here.
    stems = sorted(entry[:-3] for entry in os.listdir(os.path.dirname(__file__)) if entry.endswith(".py"))
    modules = [__import__(f"{__name__}.{stem}", fromlist=["ACTION"]) for stem in stems if stem != "__init__"]
    actions: list[Action] = [module.ACTION for module in modules if hasattr(module, "ACTION")]
    return {a.name: a for a in sorted(actions, key=lambda a: (EFFECTS.index(a.effect), a.name))}
