"""The graph's executor, and the two nodes that wait: for the person's answer, and for the hands.

The guard is asked, then what is only looked up is done here; what is doubtful is asked about, and what is for
the hands is written down as started and handed out. A node runs again from its top when it is resumed, so
`interrupt` is the first statement of a node of its own: nothing stands above it that could happen twice.
"""

from __future__ import annotations

import inspect
import logging
import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..actions.base import ENGINES, SEARCH, Action, BrainAction, failed
from ..core.errors import ActionFailed, JarvisError
from ..core.types import (
    NOT_ASKED,
    OFFER,
    REPEATED,
    Address,
    Effect,
    Facts,
    Outcome,
    Plan,
    Request,
    Step,
    unknown,
)
from ..core.urls import typed_addresses
from ..packs.use import USE
from ..policy import guard
from ..policy.approval import Approved
from ..policy.questions import hear, refused_as_another
from ..store.addresses import offer
from .planner import facts_of
from .state import Context, SessionParts, State, addresses_in, plan_in, steps_in, with_table

_log = logging.getLogger(__name__)
_CHANGED = "it is not what you were asked about"
ACT, ASK = "act", "ask"  # what an interrupt waits for


class Executor:
    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._actions = parts.actions

    async def execute(self, state: State, runtime: Runtime[Context]) -> State:
        """Decide on the plan; then look up here, or go on to the question or the hands."""
        context, plan, steps = runtime.context, plan_in(state), steps_in(state)
        n = len(steps) + 1
        if any(_is_same(step, plan) for step in steps):
            told = "This was done already for these words."
            return await self._kept(state, context, Step(n, plan, Outcome("refused", told, code=REPEATED)))
        decided = self._authorised(n, plan, self._facts(state, context, steps))
        if state.get("answer"):
            decided, plan = await self._answered(state, context, decided, plan, steps)
        if isinstance(decided, Outcome):
            return await self._kept(state, context, Step(n, plan, decided))
        context.request = decided
        if decided.ask:
            return {"request": {"ask": True}, "answer": None}
        action = self._actions[plan.action]
        if isinstance(action, BrainAction) and not action.is_noted_first:
            outcome = await self._looked_up(action, decided.effect, context)
            outcome = outcome._replace(rule=decided.rule, part=decided.part)
            return await self._kept(state, context, Step(n, plan, outcome))
        return await self._begun(state, context, decided, plan)

    async def question(self, state: State, runtime: Runtime[Context]) -> State:
        """Wait for the person's answer. The executor works out anew what it is about."""
        said = interrupt(ASK)
        return {"answer": said}

    async def desktop(self, state: State, runtime: Runtime[Context]) -> State:
        """Wait for the hands, to which what is written down as started is handed; note what came of it."""
        said = interrupt(ACT)
        context, begun, plan = runtime.context, state["request"] or {}, plan_in(state)
        outcome = Outcome(**said)
        if outcome.state == "approved":
            outcome = await self._kept_here(context, plan, begun)
        outcome = outcome._replace(rule=begun["rule"], part=begun["part"])
        step = Step(begun["n"], plan, outcome)
        await context.journal.finish(step, begun["opened"])
        return _with_step(state, step)

    def _facts(self, state: State, context: Context, steps: Sequence[Step]) -> Facts:
        return facts_of(state, context, self._parts, steps)

    def _authorised(
        self, n: int, plan: Plan, facts: Facts, rules: guard.Rules | None = None
    ) -> Request | Outcome:
        """Return what *plan* may do as step *n*, as of now. rules: in place of the person's."""
        action = self._actions[plan.action]
        try:
            with _as_failure(action):
                return guard.authorise(n, action, plan.arguments, facts, rules or self._parts.policy())
        except ActionFailed as error:
            return failed(action.not_done(""), error)

    async def _answered(
        self, state: State, context: Context, decided: Request | Outcome, plan: Plan, steps: Sequence[Step]
    ) -> tuple[Request | Outcome, Plan]:
        """Return what comes of the person's answer to the question about *plan*, and the plan by then.

        An answer to any other question says nothing of it: it is asked about, even if nothing is doubtful.
        decided: by the rules as they are now. What a rule forbids by now may have been answered with another.
        """
        answer, facts = state["answer"] or {}, self._facts(state, context, steps)
        known, approval = guard.known_by_id(facts), context.approval
        request = decided
        if isinstance(request, Outcome):
            request = self._authorised(len(steps) + 1, plan, facts, guard.NoRules())
        if isinstance(request, Outcome):  # that nobody asked for it is news here: they were asked about it
            return request._replace(code="refused" if request.code == NOT_ASKED else request.code), plan
        question = approval.question(request, known)
        if answer["question"] != question.id:
            is_refused = isinstance(decided, Outcome)
            return decided if is_refused else request._replace(ask=request.ask or _CHANGED), plan
        said = await approval.heeded(hear(question, answer["said"]), request, plan, known)
        if isinstance(said, Outcome):
            await self._refused(context, request)
            return said, plan
        return self._once_more(state, context, said, steps), said.plan

    def _once_more(
        self, state: State, context: Context, said: Approved, steps: Sequence[Step]
    ) -> Request | Outcome:
        """Return what they said yes to, unless the guard refuses it now, or it is something else by now."""
        facts = self._facts(state, context, steps)
        if said.typed:
            facts = facts._replace(addresses={**facts.addresses, said.typed.id: said.typed})
        again = self._authorised(said.request.n, said.plan, facts)
        if isinstance(again, Outcome):
            return again
        if refused := refused_as_another(self._actions[said.plan.action], context.turn, said.request, again):
            return refused
        return again._replace(ask="", doubts=(), choices=(), rule=said.request.rule, part=said.request.part)

    async def _refused(self, context: Context, request: Request) -> None:
        """Tell the reading of a no. A sentence said instead of an answer is read as their own words, too."""
        context.reading.refuse(request)
        if sentence := context.approval.instead:
            keep = self._parts.history.addresses.keep_typed
            typed = [await keep(context.turn, url) for url in typed_addresses(sentence)]
            context.reading.begin_anew(sentence, typed, request.n)

    async def _begun(self, state: State, context: Context, request: Request, plan: Plan) -> State:
        """Write down that *request* is about to be done. Raises StoreFailed, and where the lock was lost."""
        await context.lock.confirm()
        await context.journal.start(request, plan, context.intent)
        target = request.effect.target
        begun = {"n": request.n, "action": request.action, "target": target, "rule": request.rule}
        begun |= {"part": request.part, "opened": request.opened}
        return {
            "request": begun,
            "answer": None,
            "plan": plan._asdict(),
            "reading": context.reading.as_record(),
            **_added(context, state),
        }

    async def _kept(self, state: State, context: Context, step: Step) -> State:
        """Write down a step that needed no hands; with what it found, if it looked for something."""
        action, outcome = self._actions[step.plan.action], step.outcome
        update = _with_step(state, step)
        if outcome.table:
            update |= with_table(state, outcome.table, context.turn.offers, sums_up=action.sums_up)
        if step.plan.action == USE and outcome.is_good:
            update["packs"] = [*state.get("packs", []), outcome.value]
        if outcome.found or (outcome.state == "done" and SEARCH in action.needed):
            update |= await self._found(state, context, step)
        else:
            await context.journal.keep(step, context.intent)
            update |= _added(context, state)
        return {**update, "reading": context.reading.as_record(), "plan": step.plan._asdict()}

    async def _found(self, state: State, context: Context, step: Step) -> State:
        """Write down what *step* found; also nothing, for it is the last search then. Raises StoreFailed."""
        addresses = addresses_in(state)
        minted = await context.journal.keep_found(step, addresses, context.intent)
        offered = {address.url: address for address in _offered(addresses, minted)}
        # One that was typed keeps its id.
        ids = [offered[address.url].id for address in minted if address.url in offered]
        update: State = {"lookups": [*state.get("lookups", []), [step.outcome.value, ids]], "found": ids}
        if self._actions[step.plan.action].needs_table:
            update["standing"] = [id_ for id_ in context.shown if id_.startswith(OFFER)]
        update["addresses"] = [address._asdict() for address in offered.values()]
        return update

    async def _looked_up(self, action: BrainAction, effect: Effect, context: Context) -> Outcome:
        before = context.meter.credits
        outcome = await _performed(action, effect, self._given(action, context))
        return outcome._replace(credits=context.meter.credits - before)

    async def _kept_here(self, context: Context, plan: Plan, begun: Mapping[str, Any]) -> Outcome:
        """Put on the person's own lists what the hands let pass; what another brain was at is not known."""
        action = self._actions[plan.action]
        if context.request is None or not isinstance(action, BrainAction):
            return unknown(begun["action"], begun["target"])
        return await _performed(action, context.request.effect, self._parts.services.of(action))

    def _given(self, action: BrainAction, context: Context) -> dict[str, Any]:
        """Return the services that *action* works with. What asks the search service is counted."""
        services = self._parts.services.of(action)
        if SEARCH in services:
            services[SEARCH] = context.meter.around(services[SEARCH])
        if ENGINES in services:
            services[ENGINES] = context.meter.engines(services[ENGINES])
        return services


@contextmanager
def _as_failure(action: Action) -> Iterator[None]:
    """Raise what nobody foresaw in this block as an ActionFailed: it ends its step, and not the turn.

    It says where in the action's own file, if it came from there; the log has the rest.
    """
    try:
        yield
    except JarvisError:
        raise
    except Exception as error:  # whoever writes a pack makes mistakes
        _log.exception("a bug in an action")
        path = inspect.getfile(type(action))
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == path]
        place = f", line {lines[-1]}" if lines else ""
        text = f"There is a bug in {os.path.basename(path)}{place}: {type(error).__name__}."
        raise ActionFailed(text, hint="The log has more: what the same command prints with -v.") from error


async def _performed(action: BrainAction, effect: Effect, services: dict[str, Any]) -> Outcome:
    try:
        with _as_failure(action):
            outcome = await action.perform(effect, **services)
            if not isinstance(outcome, Outcome):
                raise TypeError(f"{action.name} has no outcome")
    except JarvisError as error:
        return failed(action.not_done(effect.told), error)
    return outcome


def _with_step(state: State, step: Step) -> State:
    return {"steps": [*state.get("steps", []), step.as_record()], "request": None, "answer": None}


def _added(context: Context, state: State) -> State:
    """Return the addresses with those that the person typed in the middle of the turn, if there are any."""
    added = context.reading.added
    if not added:
        return {}
    return {"addresses": [address._asdict() for address in offer([*added, *addresses_in(state)])]}


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
