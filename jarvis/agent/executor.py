"""Guard, then search here, or hand the action to the person's desktop by an interrupt."""

from __future__ import annotations

from collections.abc import Mapping

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..actions.base import Action, BrainAction, Search, failed
from ..core.errors import JarvisError
from ..core.types import REPEATED, Address, Effect, Outcome, Plan, Step, step_of
from ..policy import guard
from ..store.addresses import offer
from .state import Context, State, addresses_in, facts_of, plan_in, steps_in


class Executor:
    def __init__(self, search: Search, actions: Mapping[str, Action]) -> None:
        self._search = search
        self._actions = actions

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        plan, n = plan_in(state), len(state.get("steps", [])) + 1
        action = self._actions[plan.action]
        outcome = await self._outcome(action, n, state, runtime.context)
        update: State = {"steps": [*state.get("steps", []), step_of(n, plan, outcome)._asdict()]}
        if isinstance(action, BrainAction) and outcome.state == "done":
            minted = await runtime.context.keep_found(n, outcome.found, addresses_in(state))
            offered = {address.url: address for address in _offered(state, minted)}
            # One that was typed keeps its id.
            ids = [offered[address.url].id for address in minted if address.url in offered]
            update["searches"] = [*state.get("searches", []), ids]
            update["found"] = ids
            update["addresses"] = [address._asdict() for address in offered.values()]
        elif added := runtime.context.reading.added:
            known = [*added, *addresses_in(state)]
            update["addresses"] = [address._asdict() for address in offer(known)]
        return update

    async def _outcome(self, action: Action, n: int, state: State, context: Context) -> Outcome:
        plan = plan_in(state)
        if any(_is_same(step, plan) for step in steps_in(state)):
            return Outcome("refused", "This was done already for these words.", code=REPEATED)
        allowed = context.authorised.get(n) or guard.authorise(
            action, plan.arguments, facts_of(state, context), context.policy
        )
        if isinstance(allowed, Outcome):
            return allowed
        effect, request = allowed.effect, allowed.request(n, action.name)
        # The node runs again from its top when the outcome comes back: nothing above has an effect, and
        # what they answered meanwhile, which the reading knows by then, changes nothing of the question.
        context.authorised[n] = allowed
        if not isinstance(action, BrainAction):
            return Outcome(**interrupt(request._asdict()))
        if request.ask and (said := Outcome(**interrupt(request._asdict()))).state != "approved":
            return said
        outcome = await self._looked_up(action, effect, context)
        return outcome._replace(rule=request.rule)

    async def _looked_up(self, action: BrainAction, effect: Effect, context: Context) -> Outcome:
        sites = context.reading.intent.sites if context.reading.intent else ()
        try:
            return await action.perform(context.meter.around(self._search), effect.target, sites)
        except JarvisError as error:
            return failed(action.not_done(effect.target), error)


def _offered(state: State, minted: tuple[Address, ...]) -> list[Address]:
    """What was typed, then what was just found, then the rest, as far as there is room."""
    known = addresses_in(state)
    typed = [address for address in known if address.source != "found"]
    return offer([*typed, *minted, *known])


def _is_same(step: Step, plan: Plan) -> bool:
    """Whether *step* did what *plan* wants, however it was written."""
    wanted = [str(value).casefold() for value in plan.arguments.values()]
    done = [str(value).casefold() for value in step.arguments.values()]
    same = wanted == done or wanted == [step.value.casefold()]
    return step.is_good and step.action == plan.action and same
