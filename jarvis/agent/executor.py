"""Guard, then search here, or hand the action to the person's desktop by an interrupt."""

from __future__ import annotations

from collections.abc import Mapping

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..actions.base import Action, BrainAction, Search, Services, failed
from ..core.errors import JarvisError
from ..core.types import REPEATED, Address, Effect, Outcome, Plan, Step
from ..policy import guard
from ..store.addresses import offer
from .state import Context, State, addresses_in, facts_of, plan_in, steps_in


class Executor:
    def __init__(self, search: Search, actions: Mapping[str, Action]) -> None:
        self._services = Services(search=search)
        self._actions = actions

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        plan, context, steps = plan_in(state), runtime.context, state.get("steps", [])
        n = len(steps) + 1
        outcome = await self._outcome(plan, n, state, context)
        update: State = {"steps": [*steps, Step(n, plan, outcome).as_record()]}
        if isinstance(self._actions[plan.action], BrainAction) and outcome.state == "done":
            minted = await context.keep_found(n, outcome.found, addresses_in(state))
            offered = {address.url: address for address in _offered(state, minted)}
            # One that was typed keeps its id.
            ids = [offered[address.url].id for address in minted if address.url in offered]
            update["searches"] = [*state.get("searches", []), ids]
            update["found"] = ids
            update["addresses"] = [address._asdict() for address in offered.values()]
        elif added := context.reading.added:
            known = [*added, *addresses_in(state)]
            update["addresses"] = [address._asdict() for address in offer(known)]
        return update

    async def _outcome(self, plan: Plan, n: int, state: State, context: Context) -> Outcome:
        action = self._actions[plan.action]
        if any(_is_same(step, plan) for step in steps_in(state)):
            return Outcome("refused", "This was done already for these words.", code=REPEATED)
        request = context.requests.get(n) or guard.authorise(
            n, action, plan.arguments, facts_of(state, context), context.policy
        )
        if isinstance(request, Outcome):
            return request
        # The node runs again from its top when the outcome comes back: nothing above has an effect, and
        # what they answered meanwhile, which the reading knows by then, changes nothing of the question.
        context.requests[n] = request
        if not isinstance(action, BrainAction):
            return Outcome(**interrupt(n))
        if request.ask and (said := Outcome(**interrupt(n))).state != "approved":
            return said
        outcome = await self._looked_up(action, request.effect, context)
        return outcome._replace(rule=request.rule)

    async def _looked_up(self, action: BrainAction, effect: Effect, context: Context) -> Outcome:
        services = self._services.of(action)
        if "search" in services:
            services["search"] = context.meter.around(services["search"])
        try:
            return await action.perform(effect, **services)
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
    done = [str(value).casefold() for value in step.plan.arguments.values()]
    same = wanted == done or wanted == [step.outcome.value.casefold()]
    return step.is_good and step.action == plan.action and same
