"""What happened, in words: from the outcomes, then the reply, then its sources. No model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..actions.base import Action
from ..turn import Address, Plan, Step
from .citations import Citations
from .state import State, addresses_in, plan_in, steps_in

_UNCITED = 3  # how many of the results are named as sources where the reply names none


class Verdict(NamedTuple):
    """How a turn ended, as its steps tell it."""

    status: str  # done | failed | refused
    exit_status: int
    step: Step | None = None  # the step that decided it


class Reception:
    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    async def __call__(self, state: State) -> State:  # a plain function would be run on a thread
        steps, plan = steps_in(state), plan_in(state)
        reply, sources = self._reply(plan, addresses_in(state), state.get("found", []))
        verdict = judge(steps, self._actions, state["goal"])
        return {
            "reply": reply,
            "sources": [address._asdict() for address in sources],
            "status": verdict.status,
            "exit_status": verdict.exit_status,
        }

    def _reply(
        self, plan: Plan, addresses: Sequence[Address], found: Sequence[str]
    ) -> tuple[str, list[Address]]:
        if not self._actions[plan.action].ends_turn:
            return "", []
        citations = Citations(addresses)
        reply = citations.rewritten(plan.text)
        if citations.cited:
            return reply, citations.cited
        by_id = {address.id: address for address in addresses}
        return reply, [by_id[id_] for id_ in found[:_UNCITED] if id_ in by_id]


def judge(steps: Sequence[Step], actions: Mapping[str, Action], goal: str) -> Verdict:
    """The turn's status: failed where a step did and no later one made it good, whatever was replied."""
    for i, step in enumerate(steps):
        if step.state == "done" or step.code == "dry_run":
            continue
        if any(_makes_good(later, step, actions, goal) for later in steps[i + 1 :]):
            continue
        status = "refused" if step.state in ("refused", "declined") else "failed"
        return Verdict(status, step.exit_status or 1, step)
    return Verdict("done", 0)


def _makes_good(later: Step, step: Step, actions: Mapping[str, Action], goal: str) -> bool:
    """Whether *later* brought what *step* should have brought.

    Another way to the same end counts; a second thing that was asked for besides does not.
    """
    if later.state != "done":
        return False
    if actions[step.action].effect == "reads":
        return True
    if actions[later.action].effect == "reads":
        return False
    return later.arguments == step.arguments or not (_named(step, goal) and _named(later, goal))


def _named(step: Step, goal: str) -> bool:
    """Whether the person's own words name what *step* acts on."""
    values = [str(value) for value in step.arguments.values()]
    return any(
        value.casefold() in goal.casefold() or (value[:1] == "u" and value[1:].isdigit()) for value in values
    )
