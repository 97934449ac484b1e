"""The graph's executor: asks the guard, then searches, or hands the action to the desktop by an interrupt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..actions.base import ENGINES, SEARCH, Action, BrainAction, Services, failed
from ..core.errors import ActionFailed, JarvisError
from ..core.types import OFFER, REPEATED, Address, Effect, Facts, Outcome, Plan, Request, Step
from ..packs.use import USE
from ..policy import guard
from ..store.addresses import offer
from .bugs import as_failure
from .offers import facts_of, with_table
from .state import Context, State, addresses_in, plan_in, steps_in


class Executor:
    def __init__(self, services: Services, actions: Mapping[str, Action]) -> None:
        self._services = services
        self._actions = actions

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        context, records = runtime.context, state.get("steps", [])
        plan, addresses, steps = plan_in(state), addresses_in(state), steps_in(state)
        outcome = await self._outcome(plan, lambda: facts_of(state, context, steps), steps, context)
        step = Step(len(steps) + 1, plan, outcome)
        update: State = {"steps": [*records, step.as_record()]}
        if outcome.table:
            sums_up = self._actions[plan.action].sums_up
            update |= with_table(state, outcome.table, context.offers, sums_up=sums_up)
        if plan.action == USE and outcome.is_good:
            update["packs"] = [*state.get("packs", []), outcome.value]
        is_looked_for = outcome.state == "done" and SEARCH in self._actions[plan.action].needed
        if outcome.found or is_looked_for:  # also if nothing was found: it is the last search then
            minted = await context.keep_found(step, addresses)
            offered = {address.url: address for address in _offered(addresses, minted)}
            # One that was typed keeps its id.
            ids = [offered[address.url].id for address in minted if address.url in offered]
            update["lookups"] = [*state.get("lookups", []), [outcome.value, ids]]
            update["found"] = ids
            if self._actions[plan.action].needs_table:
                update["standing"] = [id_ for id_ in context.shown if id_.startswith(OFFER)]
            update["addresses"] = [address._asdict() for address in offered.values()]
        elif added := context.reading.added:
            update["addresses"] = [address._asdict() for address in offer([*added, *addresses])]
        return update

    async def _outcome(
        self, plan: Plan, facts: Callable[[], Facts], steps: Sequence[Step], context: Context
    ) -> Outcome:
        action, n = self._actions[plan.action], len(steps) + 1
        if any(_is_same(step, plan) for step in steps):
            return Outcome("refused", "This was done already for these words.", code=REPEATED)
        request = context.requests.get(n) or self._authorised(n, plan, facts(), context)
        if isinstance(request, Outcome):
            return request
        # The node runs again from its top when the outcome comes back: nothing above has an effect, and
        # what they answered meanwhile, which the reading knows by then, changes nothing of the question.
        context.requests[n] = request
        if not isinstance(action, BrainAction) or action.is_noted_first:
            return Outcome(**interrupt(n))
        if request.ask and (said := Outcome(**interrupt(n))).state != "approved":
            return said
        outcome = await self._looked_up(action, request.effect, context)
        return outcome._replace(rule=request.rule, part=request.part)

    def _authorised(self, n: int, plan: Plan, facts: Facts, context: Context) -> Request | Outcome:
        action = self._actions[plan.action]
        try:
            with as_failure(action):
                return guard.authorise(n, action, plan.arguments, facts, context.policy)
        except ActionFailed as error:
            return failed(action.not_done(""), error)

    async def _looked_up(self, action: BrainAction, effect: Effect, context: Context) -> Outcome:
        before = context.meter.credits
        try:
            with as_failure(action):
                outcome = await action.perform(effect, **self._given(action, context))
                if not isinstance(outcome, Outcome):
                    raise TypeError(f"{action.name} has no outcome")
        except JarvisError as error:
            outcome = failed(action.not_done(effect.target), error)
        return outcome._replace(credits=context.meter.credits - before)

    def _given(self, action: BrainAction, context: Context) -> dict[str, Any]:
        """Return the services that *action* works with. What asks the search service is counted."""
        services = self._services.of(action)
        if SEARCH in services:
            # The planner looks at what was found, and may have the words read by themselves then.
            services[SEARCH] = context.meter.around(services[SEARCH], 1 if context.reading.intent else 2)
        if ENGINES in services:
            services[ENGINES] = context.meter.engines(services[ENGINES])
        return services


def _offered(known: Sequence[Address], minted: tuple[Address, ...]) -> list[Address]:
    """Return what was typed, then what was just found, then the rest, as far as there is room."""
    typed = [address for address in known if address.source != "found"]
    return offer([*typed, *minted, *known])


def _is_same(step: Step, plan: Plan) -> bool:
    """Return whether *step* did what *plan* wants, however it was written."""
    wanted, done = (
        {name: str(value).casefold() for name, value in each.arguments.items()} for each in (plan, step.plan)
    )
    same = wanted == done or [*wanted.values()] == [step.outcome.value.casefold()]
    return step.is_good and step.plan.action == plan.action and same
