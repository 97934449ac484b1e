"""What the turn comes to: its status, from the steps; its reply and sources. No model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime

from ..actions.base import Action
from ..summary import judge
from ..turn import Address, Plan
from .citations import Citations
from .foreign import Foreign
from .state import Context, State, addresses_in, plan_in, steps_in

_UNCITED = 3  # how many of the results are named as sources where the reply names none


class Reception:
    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    # A plain function would be run on a thread.
    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        reply, sources = self._reply(plan_in(state), addresses_in(state), state.get("found", []))
        foreign = Foreign(addresses_in(state), state["goal"], runtime.context.transcript)
        judgement = judge(steps_in(state), self._actions, state["goal"])
        return {
            "reply": foreign.defanged(reply),
            "sources": [
                {**address._asdict(), "title": foreign.defanged(address.title)} for address in sources
            ],
            "status": judgement.status,
            "exit_status": judgement.exit_status,
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
