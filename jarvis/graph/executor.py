"""Guard, then search here, or hand the action to the person's desktop by an interrupt."""

from __future__ import annotations

from collections.abc import Mapping

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from .. import guard
from ..actions.base import Action, BrainAction, Search, failed
from ..errors import JarvisError, Refused
from ..store.history import offer
from ..turn import Address, Effect, Outcome, Request
from .state import Context, State, addresses_in, facts_of, plan_in, step_record


class Executor:
    def __init__(self, search: Search, actions: Mapping[str, Action]) -> None:
        self._search = search
        self._actions = actions

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        plan, n = plan_in(state), len(state.get("steps", [])) + 1
        action = self._actions[plan.action]
        outcome = await self._outcome(action, n, state, runtime.context)
        update: State = {"steps": [*state.get("steps", []), step_record(n, plan, outcome)]}
        if outcome.found:
            minted = runtime.context.keep_found(n, outcome.found, addresses_in(state))
            update["found"] = [address.id for address in minted]
            update["addresses"] = [address._asdict() for address in _offered(state, minted)]
        return update

    async def _outcome(self, action: Action, n: int, state: State, context: Context) -> Outcome:
        facts = facts_of(state, context)
        try:
            effect = action.resolve(plan_in(state).arguments, facts)
        except Refused as error:
            return _refused(action.not_done(""), error.message)
        verdict = guard.check(effect, facts)
        if verdict.verdict != guard.ALLOW:
            return _refused(action.not_done(effect.target), verdict.reason)
        if isinstance(action, BrainAction):
            return await self._looked_up(action, effect, state["goal"])
        # The node runs again from its top when the outcome comes back: nothing above has an effect.
        return Outcome(**interrupt(Request(n, action.name, effect.kind, effect.target)._asdict()))

    async def _looked_up(self, action: BrainAction, effect: Effect, goal: str) -> Outcome:
        try:
            return await action.perform(self._search, effect.target, goal)
        except JarvisError as error:
            return failed(action.not_done(effect.target), error)


def _refused(said: str, reason: str) -> Outcome:
    return Outcome("refused", f"{said.strip()}: {reason}", code="refused", exit_status=Refused.exit_status)


def _offered(state: State, minted: tuple[Address, ...]) -> list[Address]:
    """What was typed, then what was just found, then the rest, as far as there is room."""
    known = addresses_in(state)
    typed = [address for address in known if address.source == "typed"]
    return offer([*typed, *minted, *known])
