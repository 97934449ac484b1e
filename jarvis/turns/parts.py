"""What every turn of a session shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..actions.base import Action, Services
from ..agent.meter import Meter
from ..agent.patience import Patience
from ..config.market import Market
from ..config.settings import Budgets
from ..core.types import Turn
from ..launcher.aliases import Alias
from ..packs.open_actions import OpenActions
from ..policy.approval import Memory
from ..policy.rules_file import Policy
from ..store.history import History
from .limiter import Limiter

Pick = Callable[[str, str, str], object]  # name, kind, target: which of several they meant


class SessionParts(NamedTuple):
    """Made once, and handed to each turn."""

    graph: Any
    saver: Any
    history: History
    services: Services  # what actions in the brain work with
    open_actions: OpenActions
    budgets: Budgets
    limiter: Limiter
    meter: Callable[[Turn, str], Meter]  # of a turn, by the model of that name
    model: Callable[[str, Callable[[], float]], Patience]  # by its name, for the seconds that are left
    policy: Callable[[], Policy]  # as it is now
    memory: Memory
    allowed: Callable[[str], frozenset[tuple[str, str, str]]]  # what they said yes to for a thread
    aliases: Callable[[], Mapping[str, Alias]]
    pick: Pick
    holds_key: Callable[[str], bool]
    market: Market  # where the person buys

    @property
    def actions(self) -> Mapping[str, Action]:
        """Every action that was ever offered."""
        return self.open_actions.every
