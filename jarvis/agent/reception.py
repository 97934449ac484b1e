"""What the turn comes to: its status, from the steps. No model call."""

from __future__ import annotations

from collections.abc import Mapping

from ..actions.base import Action
from .result import judge
from .state import State, steps_in


class Reception:
    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    # A plain function would be run on a thread.
    async def __call__(self, state: State) -> State:
        judgement = judge(steps_in(state), self._actions, state.get("intent") or ())
        return {"status": judgement.status, "exit_status": judgement.exit_status}
