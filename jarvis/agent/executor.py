"""The graph's executor, and the two nodes that wait: for the user's answer, and for the desktop.

Each step goes through steps.py. Lookups run here. Everything else waits in the desktop's node. Data for a
service is prepared before the question and again after the answer, so a yes covers exactly that. A resumed
node runs again from its top. So `interrupt` is the first statement of a node of its own, and nothing above it
can happen twice.
"""

import asyncio
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..actions.base import ENGINES, READ, SEARCH, Action, BrainAction, WriteAction, failed
from ..actions.fields import values
from ..core.concurrency import in_thread
from ..core.errors import ActionFailed, JarvisError, Unusable
from ..core.text import digest
from ..core.types import (
    LOOKUPS,
    MISPLANNED,
    OFFER,
    REPEATED,
    SEVERAL,
    ActionRequest,
    Address,
    Effect,
    Facts,
    Outcome,
    Plan,
    Step,
    unknown,
)
from ..core.urls import typed_addresses
from ..packs.pack import USE
from ..pages.files import picture_at
from ..policy import guard
from ..store.addresses import offer
from .state import Context, SessionParts, State, addresses_in, facts_of, plan_in, steps_in, with_table
from .steps import Decided, Steps

_log = logging.getLogger(__name__)
ACT, ASK = "act", "ask"  # what an interrupt waits for
_FOUND_SECONDS = 5.0  # to look for what was sent: a client that gives up waits for 6


class Executor:
    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts

    async def execute(self, state: State, runtime: Runtime[Context]) -> State:
        """Decide on the plan. Then look something up here, or continue to the question or the desktop."""
        taking = PlannedSteps(self._parts, runtime.context, state)
        plan, steps = plan_in(state), steps_in(state)
        n = len(steps) + 1
        if before := [step for step in steps if _is_same(step, plan)]:
            message = "This was done already for these words."
            code = REPEATED if before[-1].is_good else MISPLANNED
            return await taking.keep(Step(n, plan, Outcome("refused", message, code=code)))
        return await taking.take(n, plan, state.get("answer"))

    async def question(self, state: State, runtime: Runtime[Context]) -> State:
        """Wait for the user's answer. Then the executor works the effect out again."""
        resumed = interrupt(ASK)
        return {"answer": resumed}

    async def desktop(self, state: State, runtime: Runtime[Context]) -> State:
        """Hand a step that is recorded as started to the desktop, wait, and record the outcome."""
        answer = interrupt(ACT)
        return await PlannedSteps(self._parts, runtime.context, state).finish(Outcome(**answer))


class PlannedSteps(Steps[State]):
    """The steps of a planned turn. Each method returns the changes to the state."""

    def __init__(self, parts: SessionParts, context: Context, state: State) -> None:
        self.actions, self.policy = parts.actions, parts.files.policy
        self.approval, self.journal = context.approval, context.journal
        self._parts = parts
        self._context = context
        self._state = state

    def facts(self, action: Action | None = None) -> Facts:
        return facts_of(self._state, self._context, self._parts, action)

    async def decide(self, n: int, plan: Plan) -> Decided:
        """Ask the guard again: an offer may be gone since planning. The effect contains what would be
        sent.
        """
        action, policy = self.actions[plan.action], self.policy()
        facts = self.facts(action)
        try:
            arguments = values(action, plan.arguments, facts)
            with _as_failure(action):
                decided = guard.authorize(n, action, arguments, facts, policy)
                if isinstance(decided, ActionRequest) and decided.effect.file:  # its contents count as well
                    await self._context.files.look_into(decided.effect.file)
                    decided = guard.authorize(n, action, arguments, facts, policy)
                if isinstance(decided, ActionRequest) and isinstance(action, WriteAction):
                    key, services = sent_under(self.journal.turn.id, n), self._parts.services.of(action)
                    decided = decided._replace(effect=await action.preview(decided.effect, key, **services))
            if isinstance(decided, ActionRequest) and (choices := decided.effect.choices):
                ask = f"you have several {choices[0].source}s"
                return decided._replace(ask=ask, rule=SEVERAL, doubts=(SEVERAL,), choices=choices)
            return decided
        except Unusable as error:
            return guard.refusal(action.not_done(""), f"{error}.", code=MISPLANNED)
        except JarvisError as error:
            return guard.failure(action, error, facts)

    def settle(self, request: ActionRequest, chosen: Address | None) -> None:
        self._context.reading.settle(request, chosen)

    async def read_instead(self, n: int) -> None:
        """Have what they said read as their own words, too."""
        if sentence := self.approval.instead:
            keep = self._parts.history.keep_named
            typed = [await keep(self.journal.turn, url) for url in typed_addresses(sentence)]
            self._context.reading.restart(sentence, typed, n)

    async def wait(self, request: ActionRequest, plan: Plan) -> State:
        """Have the question's node wait for the person."""
        self._context.person.request = request
        return {"request": {"ask": True}, "answer": None, **self._planned(plan)}

    async def act(self, request: ActionRequest, plan: Plan) -> State:
        """Look it up here, or have the desktop's node wait for it."""
        self._context.person.request = request
        action = self.actions[plan.action]
        if isinstance(action, BrainAction) and action.effect in LOOKUPS:
            outcome = await self._performed(action, request.effect)
            outcome = outcome._replace(rule=request.rule, part=request.part)
            return await self.keep(Step(request.n, plan, outcome))
        begun = {"n": request.n, "action": request.action, "target": request.effect.target}
        begun |= {"rule": request.rule, "part": request.part, "opened": request.opened}
        return {"request": begun, "answer": None, **self._planned(plan)}

    def _planned(self, plan: Plan) -> State:
        """Return the plans by now: in place of the first, *plan*, as the person had it."""
        return {"plans": [plan._asdict(), *self._state["plans"][1:]]}

    async def finish(self, outcome: Outcome) -> State:
        """Write down what came of what the desktop was at, or only let: then it is done here, at once."""
        begun, plan, context = self._state["request"] or {}, plan_in(self._state), self._context
        action, outcome = self.actions[plan.action], self._without_keys(outcome)
        request = context.person.request
        if outcome.state == "approved" and request and isinstance(action, BrainAction):
            outcome = await self._performed(action, request.effect)
        elif outcome.state == "approved":  # another brain was at it
            outcome = await cut_off(self._parts, context.turn.id, begun["n"], action, begun["target"])
        step = Step(begun["n"], plan, outcome._replace(rule=begun["rule"], part=begun["part"]))
        update = self._finish_brain_step(step)
        await self.journal.finish(step, begun["opened"])
        if path := outcome.picture:  # from here on it goes by no path
            picture = await in_thread(lambda: picture_at(os.path.realpath(path)))
            context.files.pictures[_read_by(step)] = picture
        return update

    async def _performed(self, action: BrainAction, effect: Effect) -> Outcome:
        """Perform *action* here. Counts its searches."""
        services, context = self._parts.services.of(action), self._context
        meter = context.resources.meter
        before = meter.credits
        if SEARCH in services:
            services[SEARCH] = meter.around(services[SEARCH])
        if ENGINES in services:
            services[ENGINES] = meter.engines(services[ENGINES])
        if READ in services:
            read = "\n".join(self._state.get("pages", {}).values())
            how = {"files": context.files, "words": context.reading.words, "before": read}
            services[READ] = partial(services[READ], **how)
        try:
            with _as_failure(action):
                outcome = await action.perform(effect, **services)
                if not isinstance(outcome, Outcome):
                    raise TypeError(f"{action.name} has no outcome")
        except JarvisError as error:
            outcome = failed(action.not_done(effect.formatted), error)
        return self._without_keys(outcome)._replace(credits=meter.credits - before)

    def _without_keys(self, outcome: Outcome) -> Outcome:
        """Return *outcome*, or a failure if it contains one of the user's keys: none is ever shown."""
        if not self._parts.facts.holds_key(outcome.page):
            return outcome
        return Outcome("failed", "It has one of your keys in it, so it is not read.", code="holds_key")

    async def keep(self, step: Step) -> State:
        """Record a step that needed no desktop, with its results if it is a lookup."""
        action, outcome, context = self.actions[step.plan.action], step.outcome, self._context
        update = self._finish_brain_step(step)
        if outcome.page and _read_by(step) in context.shown:
            update["standing"] = _offers_in(context.shown)
        if outcome.table:
            update |= with_table(self._state, outcome.table, context.turn.offers, sums_up=action.sums_up)
        if step.plan.action == USE and outcome.is_good:
            update["packs"] = packs = [*self._state.get("packs", []), outcome.value]
            budgets = self._parts.open_actions.budgets(packs, self._parts.budgets)
            context.resources.meter.allow(budgets.credits)
            context.resources.clock.allow(budgets.seconds)
        if outcome.found or (outcome.state == "done" and SEARCH in action.needed):
            update |= await self._found(step)
        else:
            await self.journal.keep(step)
        return update

    def _finish_brain_step(self, step: Step) -> State:
        """Return the state's changes after *step* of the first plan, with content for the model.

        Marks the turn as private for the user's own data: anything but a page, or a table with their figures.
        """
        outcome, name, state, table = step.outcome, _read_by(step), self._state, step.outcome.table
        is_own = outcome.page and name not in self._context.tables.addresses_by_id(state)
        if is_own or (table and table.model_sees):
            self.journal.note_private()
        update: State = {"plans": state["plans"][1:], "request": None, "answer": None}
        update["steps"] = [*state.get("steps", []), step.as_record()]
        if outcome.page:
            update["pages"] = {**state.get("pages", {}), name: outcome.page}
        return update

    async def _found(self, step: Step) -> State:
        """Record the results of *step*, even none, since it is the last search then. Raises StoreFailed."""
        addresses, context = addresses_in(self._state), self._context
        minted = await self.journal.keep_found(step, addresses)
        typed = [address for address in addresses if address.source != "found"]  # it keeps its id
        # As far as there is room.
        offered = {address.url: address for address in offer([*typed, *minted, *addresses])}
        ids = [offered[address.url].id for address in minted if address.url in offered]
        self._parts.entries.keep(context.turn.thread, step.outcome.found)
        own = next((found.url for found in step.outcome.found if found.official_name), "")
        update: State = {"lookups": [*self._state.get("lookups", []), [step.outcome.value, ids, own]]}
        if self.actions[step.plan.action].needs_table:
            update["standing"] = _offers_in(context.shown)
        update["addresses"] = [address._asdict() for address in offered.values()]
        return update


def sent_under(turn: str, n: int) -> str:
    """Return the idempotency key of step *n* of *turn*. Always the same."""
    return digest(f"{turn} {n}")


async def cut_off(parts: SessionParts, turn: str, n: int, action: Action | None, target: str) -> Outcome:
    """Return the outcome of a step that was cut off: looked up at its service, else unknown."""
    if isinstance(action, WriteAction):
        with suppress(JarvisError, TimeoutError):
            async with asyncio.timeout(_FOUND_SECONDS):
                return await action.read_back(sent_under(turn, n), **parts.services.of(action))
    return action.cut_off(target) if action else unknown("", target)


@contextmanager
def _as_failure(action: Action) -> Iterator[None]:
    """Raise what nobody foresaw in this block as an ActionFailed: it ends its step, and not the turn."""
    try:
        yield
    except JarvisError:
        raise
    except Exception as error:  # whoever writes a pack makes mistakes
        _log.exception("a bug in an action")
        text = f"There is a bug in the action {action.name}: {type(error).__name__}."
        raise ActionFailed(text, hint="The log has more: what the same command prints with -vv.") from error


def _offers_in(shown: Iterable[str]) -> list[str]:
    """Return the lines of the list last shown that stay, as what was looked up is about it."""
    return [id_ for id_ in shown if id_.startswith(OFFER)]


def _read_by(step: Step) -> str:
    """Return the key for the content of *step* in the prompt: an address's id, or a name."""
    return next(map(str, step.plan.arguments.values()), step.plan.action)


def _is_same(step: Step, plan: Plan) -> bool:
    """Return whether *step* did the same as *plan* wants, in any spelling, or failed to read it."""
    wanted, done = (
        {name: str(value).casefold() for name, value in each.arguments.items()} for each in (plan, step.plan)
    )
    same = wanted == done or [*wanted.values()] == [step.outcome.value.casefold()]
    is_over = step.is_good or step.plan.action == READ
    return is_over and step.plan.action == plan.action and same
