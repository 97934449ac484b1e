"""What a turn has behind it that goes on in another brain: its steps, and the state that was kept of it.

Of words, intents and typed addresses nothing is believed that a database says: the client has the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..actions.base import Action
from ..agent.state import State, addresses_in, steps_in
from ..core.types import Address, Performed, Plan, Step
from ..store.database import Database
from ..store.left_turns import LeftTurn, steps_of


class Progress(NamedTuple):
    """How far a turn has come."""

    steps: tuple[Step, ...]  # that happened
    kept: Mapping[str, Any]  # its state, as it was kept when the model was asked last; empty: it was not
    intent: tuple[str, ...] | None  # as it is written down, for whoever tells of it alone

    def state(self, first: State, own: Sequence[Address]) -> State:
        """Return what the graph goes on with. first: as the turn began. own: the addresses in words."""
        kept: Any = {name: self.kept[name] for name in State.__annotations__ if name in self.kept}
        told = None if self.intent is None else [*self.intent]
        state: State = {**first, "intent": told, **kept}
        known = {address.id: address for address in own if address.source != "found"}
        addresses = [
            known.get(each.id, each)
            for each in addresses_in(state)
            if each.id in known or each.source == "found"
        ]
        return {
            **state,
            "goal": first["goal"],
            "material": first["material"],
            "addresses": [address._asdict() for address in addresses],
            "steps": [step.as_record() for step in self.steps],
        }

    def is_met(self, actions: Mapping[str, Action]) -> bool:
        """Return whether nothing is left but to tell of it."""
        last = self.steps[-1] if self.steps else None
        return last is not None and last.is_good and last.plan.finish and actions[last.plan.action].answers


async def read_progress(
    database: Database, left: LeftTurn, kept: Mapping[str, Any], did: Sequence[Performed]
) -> Progress:
    """Return how far the turn *left* has come. kept: its state. did: what the hands know of it."""
    before = steps_in(State(steps=kept.get("steps", [])))
    written = {step.n: step for step in await steps_of(database, left.id)}
    performed = {each.n: _step(each, written.get(each.n)) for each in did}
    last = max([len(before), *performed])
    later = [performed.get(n) or written.get(n) for n in range(len(before) + 1, last + 1)]
    return Progress((*before, *filter(None, later)), kept, left.intent)


def _step(did: Performed, written: Step | None) -> Step:
    """Return what the hands *did* as a step. written: as history has it."""
    plan = written.plan if written else Plan(did.action, {})
    rule = written.outcome.rule if written else ""
    return Step(did.n, plan._replace(finish=did.ends), did.outcome._replace(rule=rule))
