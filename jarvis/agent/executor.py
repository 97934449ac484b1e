"""The graph's executor, and the two nodes that wait: for the person's answer, and for the desktop.

The guard is asked, then what is only looked up is done here; what is doubtful is asked about, and what is for
the desktop is written down as started and handed out. What is to be sent to a service is put together before
the question and once more behind the answer, so that a yes counts for just that. A node runs again from its
top when it is resumed, so `interrupt` is the first statement of a node of its own: nothing stands above it
that could happen twice.
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
    MISPLANNED,
    NOT_ASKED,
    OFFER,
    REPEATED,
    SEVERAL,
    Effect,
    Outcome,
    Plan,
    Request,
    Step,
    unknown,
)
from ..core.urls import typed_addresses
from ..desktop.desktop import IN_BRAIN
from ..packs.pack import USE
from ..pages.files import picture_at
from ..policy import guard
from ..policy.questions import read_answer, still_approved
from ..store.addresses import offer
from .state import Context, SessionParts, State, addresses_in, facts_of, plan_in, steps_in, with_table

_log = logging.getLogger(__name__)
_CHANGED = "it is not what you were asked about"
ACT, ASK = "act", "ask"  # what an interrupt waits for
_FOUND_SECONDS = 5.0  # to look for what was sent: a client that gives up waits for 6


class Executor:
    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._actions = parts.actions

    async def execute(self, state: State, runtime: Runtime[Context]) -> State:
        """Decide on the plan; then look up here, or go on to the question or the desktop."""
        context, plan, steps = runtime.context, plan_in(state), steps_in(state)
        n = len(steps) + 1
        if before := [step for step in steps if _is_same(step, plan)]:
            told = "This was done already for these words."
            code = REPEATED if before[-1].is_good else MISPLANNED
            return await self._kept(state, context, Step(n, plan, Outcome("refused", told, code=code)))
        decided = await self._decided(n, plan, state, context)
        if state.get("answer"):
            decided, plan = await self._answered(state, context, decided, plan)
        if isinstance(decided, Outcome):
            return await self._kept(state, context, Step(n, plan, decided))
        context.person.request = decided
        if decided.ask:
            return {"request": {"ask": True}, "answer": None, "plan": plan._asdict()}
        action = self._actions[plan.action]
        # What is kept or sent from here is noted as started before, as what the desktop does.
        if isinstance(action, BrainAction) and action.effect not in IN_BRAIN:
            outcome = await self._performed(action, decided.effect, context, state)
            outcome = outcome._replace(rule=decided.rule, part=decided.part)
            return await self._kept(state, context, Step(n, plan, outcome))
        return await self._begun(state, context, decided, plan)

    async def question(self, state: State, runtime: Runtime[Context]) -> State:
        """Wait for the person's answer. The executor works out anew what it is about."""
        said = interrupt(ASK)
        return {"answer": said}

    async def desktop(self, state: State, runtime: Runtime[Context]) -> State:
        """Wait for the desktop, to which what is written down as started is handed; note what came of it."""
        said = interrupt(ACT)
        context, begun, plan = runtime.context, state["request"] or {}, plan_in(state)
        action, outcome = self._actions[plan.action], self._without_keys(Outcome(**said))
        request = context.person.request
        if outcome.state == "approved" and request and isinstance(action, BrainAction):
            # It is kept or sent from here, once the desktop lets it.
            outcome = await self._performed(action, request.effect, context, state)
        elif outcome.state == "approved":  # another brain was at it
            outcome = await cut_off(self._parts, context.turn.id, begun["n"], action, begun["target"])
        step = Step(begun["n"], plan, outcome._replace(rule=begun["rule"], part=begun["part"]))
        _note_private(step, context, state)
        await context.journal.finish(step, begun["opened"])
        if path := outcome.picture:  # from here on it goes by no path
            picture = await in_thread(lambda: picture_at(os.path.realpath(path)))
            context.files.pictures[_read_by(step)] = picture
        return _with_step(state, step)

    async def _decided(self, n: int, plan: Plan, state: State, context: Context) -> Request | Outcome:
        """Return what *plan* may do as step *n*, as of now: since it was planned an offer may be gone.

        What it would send to a service is in its effect.
        """
        action, policy = self._actions[plan.action], self._parts.files.policy()
        facts = facts_of(state, context, self._parts, action)
        try:
            arguments = values(action, plan.arguments, facts)
            with _as_failure(action):
                decided = guard.authorise(n, action, arguments, facts, policy)
                if isinstance(decided, Request) and decided.effect.file:  # what stands in it counts as well
                    await context.files.look_into(decided.effect.file)
                    decided = guard.authorise(n, action, arguments, facts, policy)
                if isinstance(decided, Request) and isinstance(action, WriteAction):
                    key, services = sent_under(context.turn.id, n), self._parts.services.of(action)
                    decided = decided._replace(effect=await action.preview(decided.effect, key, **services))
            if isinstance(decided, Request) and (choices := decided.effect.choices):
                ask, ids = f"you have several {choices[0].source}s", tuple(each.id for each in choices)
                return decided._replace(ask=ask, rule=SEVERAL, doubts=(SEVERAL,), choices=ids)
            return decided
        except Unusable as error:
            return guard.refusal(action.not_done(""), f"{error}.", code=MISPLANNED)
        except JarvisError as error:
            return guard.failure(action, error, facts)

    async def _answered(
        self, state: State, context: Context, decided: Request | Outcome, plan: Plan
    ) -> tuple[Request | Outcome, Plan]:
        """Return what comes of the person's answer to the question about *plan*, and the plan by then.

        An answer to any other question says nothing of it: it is asked about, even if nothing is doubtful.
        decided: by the rules as they are now.
        """
        if isinstance(decided, Outcome):  # that nobody asked for it is news here: they were asked about it
            is_news = decided.code == NOT_ASKED
            return decided._replace(code="refused") if is_news else decided, plan
        answer, approval = state["answer"] or {}, context.approval
        known = guard.known_by_id(facts_of(state, context, self._parts), decided)
        question = approval.question(decided, known)
        if answer["question"] != question.id:
            return decided._replace(ask=decided.ask or _CHANGED), plan
        option = read_answer(question, answer["said"]).option
        if decided.effect.choices and option.isdigit():  # from then on it is asked about whole
            chosen = decided.effect.choices[int(option) - 1]
            plan = plan._replace(arguments={**plan.arguments, chosen.source: chosen.url})
            return await self._decided(decided.n, plan, state, context), plan
        said = approval.heeded(read_answer(question, answer["said"]), decided, plan, known)
        if isinstance(said, Outcome):
            if sentence := approval.instead:  # it is read as their own words, too
                keep = self._parts.history.keep_named
                typed = [await keep(context.turn, url) for url in typed_addresses(sentence)]
                context.reading.begin_anew(sentence, typed, decided.n)
            return said, plan
        approved, plan = said
        if approved.effect == decided.effect:  # as it was worked out just now
            return decided._replace(ask="", doubts=(), choices=(), rule=approved.rule), plan
        now = await self._decided(approved.n, plan, state, context)
        return still_approved(self._actions[plan.action], context.turn, approved, now), plan

    async def _performed(
        self, action: BrainAction, effect: Effect, context: Context, state: State
    ) -> Outcome:
        """Perform *action* here. What asks the search service is counted."""
        services, meter = self._parts.services.of(action), context.resources.meter
        before = meter.credits
        if SEARCH in services:
            services[SEARCH] = meter.around(services[SEARCH])
        if ENGINES in services:
            services[ENGINES] = meter.engines(services[ENGINES])
        if READ in services:
            read = "\n".join(state.get("pages", {}).values())
            how = {"files": context.files, "words": context.reading.words, "before": read}
            services[READ] = partial(services[READ], **how)
        try:
            with _as_failure(action):
                outcome = await action.perform(effect, **services)
                if not isinstance(outcome, Outcome):
                    raise TypeError(f"{action.name} has no outcome")
        except JarvisError as error:
            outcome = failed(action.not_done(effect.told), error)
        return self._without_keys(outcome)._replace(credits=meter.credits - before)

    def _without_keys(self, outcome: Outcome) -> Outcome:
        """Return *outcome*; in place of one that read a key of the person's, a failure: none is shown."""
        if not self._parts.facts.holds_key(outcome.page):
            return outcome
        return Outcome("failed", "It has one of your keys in it, so it is not read.", code="holds_key")

    async def _begun(self, state: State, context: Context, request: Request, plan: Plan) -> State:
        """Write down that *request* is about to be done. Raises StoreFailed."""
        context.journal.note_intent(context.intent)
        await context.journal.start(request, plan)
        begun = {"n": request.n, "action": request.action, "target": request.effect.target}
        begun |= {"rule": request.rule, "part": request.part, "opened": request.opened}
        return {
            "request": begun,
            "answer": None,
            "plan": plan._asdict(),
            "reading": context.reading.as_record(),
            **_added(context, state),
        }

    async def _kept(self, state: State, context: Context, step: Step) -> State:
        """Write down a step that needed no desktop; with what it found, if it looked for something."""
        action, outcome = self._actions[step.plan.action], step.outcome
        update = _with_step(state, step)
        _note_private(step, context, state)
        context.journal.note_intent(context.intent)
        if outcome.page and _read_by(step) in context.shown:
            update["standing"] = _offers_in(context.shown)
        if outcome.table:
            update |= with_table(state, outcome.table, context.turn.offers, sums_up=action.sums_up)
        if step.plan.action == USE and outcome.is_good:
            update["packs"] = packs = [*state.get("packs", []), outcome.value]
            budgets = self._parts.open_actions.budgets(packs, self._parts.budgets)
            context.resources.meter.allow(budgets.credits)
            context.resources.clock.allow(budgets.seconds)
        if outcome.found or (outcome.state == "done" and SEARCH in action.needed):
            update |= await self._found(state, context, step)
        else:
            await context.journal.keep(step)
            update |= _added(context, state)
        update |= {"reading": context.reading.as_record(), "plan": step.plan._asdict()}
        if behind := state.get("behind"):
            update |= {"plan": behind[0], "behind": []}
        return update

    async def _found(self, state: State, context: Context, step: Step) -> State:
        """Write down what *step* found; also nothing, for it is the last search then. Raises StoreFailed."""
        addresses = addresses_in(state)
        minted = await context.journal.keep_found(step, addresses)
        typed = [address for address in addresses if address.source != "found"]  # it keeps its id
        # As far as there is room.
        offered = {address.url: address for address in offer([*typed, *minted, *addresses])}
        ids = [offered[address.url].id for address in minted if address.url in offered]
        self._parts.entries.keep(context.turn.thread, step.outcome.found)
        own = next((found.url for found in step.outcome.found if found.official_name), "")
        update: State = {"lookups": [*state.get("lookups", []), [step.outcome.value, ids, own]]}
        if self._actions[step.plan.action].needs_table:
            update["standing"] = _offers_in(context.shown)
        update["addresses"] = [address._asdict() for address in offered.values()]
        return update


def sent_under(turn: str, n: int) -> str:
    """Return the key under which the *n*-th step of *turn* sends something: always the same."""
    return digest(f"{turn} {n}")


async def cut_off(parts: SessionParts, turn: str, n: int, action: Action | None, target: str) -> Outcome:
    """Return what came of a step that was cut off: as can be read where it sends to, else not known."""
    if isinstance(action, WriteAction):
        with suppress(JarvisError, TimeoutError):
            async with asyncio.timeout(_FOUND_SECONDS):
                return await action.found(sent_under(turn, n), **parts.services.of(action))
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


def _with_step(state: State, step: Step) -> State:
    """Return what changes by *step*: with the page or the picture that it read, which the model is shown."""
    outcome, name = step.outcome, _read_by(step)
    update: State = {"steps": [*state.get("steps", []), step.as_record()], "request": None, "answer": None}
    if outcome.page:
        update["pages"] = {**state.get("pages", {}), name: outcome.page}
    return update


def _note_private(step: Step, context: Context, state: State) -> None:
    """Mark the turn if *step* read the person's own: what is no page, or a table of their figures."""
    known, read, table = context.tables.known(state), _read_by(step), step.outcome.table
    if (step.outcome.page and read not in known) or (table and table.model_sees):
        context.journal.note_private()


def _offers_in(shown: Iterable[str]) -> list[str]:
    """Return the lines of the list last shown that stay, as what was looked up is about it."""
    return [id_ for id_ in shown if id_.startswith(OFFER)]


def _read_by(step: Step) -> str:
    """Return what *step* is about, by which the model is shown what it read: an address's id, or a name."""
    return next(map(str, step.plan.arguments.values()), step.plan.action)


def _added(context: Context, state: State) -> State:
    """Return the addresses with those that the person typed in the middle of the turn, if there are any."""
    added = context.reading.added
    if not added:
        return {}
    return {"addresses": [address._asdict() for address in offer([*added, *addresses_in(state)])]}


def _is_same(step: Step, plan: Plan) -> bool:
    """Return whether *step* did what *plan* wants, however it was written; or failed to read just that."""
    wanted, done = (
        {name: str(value).casefold() for name, value in each.arguments.items()} for each in (plan, step.plan)
    )
    same = wanted == done or [*wanted.values()] == [step.outcome.value.casefold()]
    is_over = step.is_good or step.plan.action == READ
    return is_over and step.plan.action == plan.action and same
