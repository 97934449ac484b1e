"""What is open to the model: the actions for these words that are not spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..actions.base import Action, BrainAction
from ..config.settings import Budgets
from ..core.types import Step
from .reading import Reading


class Offered(NamedTuple):
    """What is open to the model in a turn."""

    actions: Mapping[str, Action]
    budgets: Budgets
    system: str  # the part of the prompt that is the same for every call

    def allowed(
        self,
        reading: Reading,
        steps: Sequence[Step],
        addresses: Sequence[object],
        tables: Sequence[object] = (),
    ) -> list[str]:
        """Return the actions open now, without those that are not asked for or are spent.

        addresses, tables: what there is for an action to work on.
        """
        has_steps = len(steps) < self.budgets.steps + more(reading)
        every = self.actions.values()
        filled = [a for a in every if (addresses or not a.needs_address) and (tables or not a.needs_table)]
        return [a.name for a in filled if a.ends_turn or (has_steps and self._has_room(a, reading, steps))]

    def _has_room(self, action: Action, reading: Reading, steps: Sequence[Step]) -> bool:
        """Return whether *action* is asked for and not spent, whatever came of others."""
        if not reading.allows(action, steps):
            return False
        own = [step for step in steps if step.plan.action == action.name]
        amiss = sum(not step.is_good for step in own)
        if isinstance(action, BrainAction):
            sites = len(reading.intent.sites) if reading.intent else 0
            # What asks nobody costs nothing.
            has_searches = not action.searches or len(own) < max(self.budgets.searches, sites)
            return has_searches and amiss < action.attempts
        return amiss < action.attempts + more(reading)


def more(reading: Reading) -> int:
    """Return how many steps and calls more it takes: two for each thing beyond the first."""
    return 2 * max(0, reading.intent.targets - 1) if reading.intent else 0
