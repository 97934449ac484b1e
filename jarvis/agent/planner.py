"""The graph's planner: one plan by one model call, a second call to repair it, and the reading if due.

offer.py lists the choices. Before it opens an unknown site, Python plans a search for it.
"""

import logging
from collections.abc import Callable
from contextlib import suppress

from langgraph.runtime import Runtime

from ..actions.base import OPEN_SITE, SEARCH, Action
from ..actions.fields import unstated_fields, values
from ..core.errors import ModelFailed, OutOfTime, SchemaRefused, Unusable
from ..core.events import Notice, Source, Waiting
from ..core.intent import Intent
from ..core.text import one_line, pluralize
from ..core.types import OFFER, SITE, Facts, Plan
from ..core.urls import address_from_word
from ..packs.pack import USE
from ..search.hosts import name_to_search
from . import prompt
from .citations import Writing
from .offer import is_open, unused_ids
from .retry import ANOTHER, ModelAnswer, ModelPrompt
from .schema import read_plan, read_wants, refuse_broken, schema, wants_schema
from .state import Context, SessionParts, State, addresses_in, facts_of, found_last, steps_in

_log = logging.getLogger(__name__)
_UNCITED = 3  # how many of the results are named as sources where the reply names none
_LONGEST = 60  # characters of what the model made up
_UNREAD = "Jarvis did not understand your request, so it did nothing, no matter what the reply says."


async def plan(parts: SessionParts, state: State, runtime: Runtime[Context]) -> State:
    """Be the graph's planner."""
    if order := await _plan_from_words(parts, state, runtime.context):
        plans, changes = [order], State()
    else:
        plans, changes = await _by_model(parts, state, runtime)
    return {"plans": [each._asdict() for each in plans], **changes}


async def _plan_from_words(parts: SessionParts, state: State, context: Context) -> Plan | None:
    """Return the plan that the words plainly are for an action of a pack: Python reads them, and no model."""
    reading, is_first = context.reading, not state.get("steps") and context.reading.intent is None
    if not (is_first and (plan := parts.open_actions.plan_from_words(reading.words))):
        return None
    action = parts.actions[plan.action]
    with suppress(Unusable):  # a line that is not listed is for the model
        values(action, plan.arguments, facts_of(state, context, parts, action))
        await reading.take(action.wants[0].form)
        return plan
    return None


async def _by_model(parts: SessionParts, state: State, runtime: Runtime[Context]) -> tuple[list[Plan], State]:
    """Return the model's plan, preceded by a site search if needed, and other changes of *state*."""
    call, context, reading = PlannerCall(parts, state, runtime), runtime.context, runtime.context.reading
    plan, steps = await call.plan(), steps_in(state)
    action = parts.actions[plan.action]
    # Before the first thing that is done, and before the search that finds whose site they name.
    is_named = reading.wish is not None and any(part.is_name for part in reading.wish.parts)
    if reading.intent is None and (action.wants or (SEARCH in action.needed and is_named)):
        await call.read_words()
    action = reading.as_asked(action, steps)
    plan = plan._replace(action=action.name)
    if action.name_arg and (serving := reading.serving(action, steps)):
        # The name is the intent's: the model has no field for one.
        plan = plan._replace(arguments={action.name_arg: serving[0].value or serving[0].form.split()[-1]})
    facts = facts_of(state, context, parts)
    if action.name == OPEN_SITE:
        await _give_site_an_id(str(plan.arguments.get("site")), facts, parts, context)
    plans = _with_site_search(plan, action, facts) if SEARCH in call.allowed else [plan]
    # All tables are told as the next thing is planned, unless that or what comes then may sum them up.
    is_held = action.sums_up or (action.pack and not plan.finish)
    shown = state.get("shown_tables", 0) if is_held else len(state.get("tables", []))
    return plans, {**call.changes, "shown_tables": shown}


async def _give_site_an_id(name: str, facts: Facts, parts: SessionParts, context: Context) -> None:
    """Give what is known here of the site of *name* an id, if it has none."""
    site = facts.meaning_of(facts.part_naming(name)).site
    urls = [each.url for each in facts.addresses.values()]
    for url in [site.url] if site.url else [site.near, site.last]:
        if url not in ("", *urls) and address_from_word(url) == url:  # it may be an app that they chose last
            context.reading.added.append(await parts.history.keep_named(context.turn, url, SITE, name))


def _with_site_search(plan: Plan, action: Action, facts: Facts) -> list[Plan]:
    """Return *plan*, preceded by a search if the site of its name isn't known yet.

    The query is the name in the user's own words. A planned search gets that query.
    """
    if action.name == OPEN_SITE and (name := name_to_search(facts, opened=str(plan.arguments.get("site")))):
        return [Plan(SEARCH, {"query": name}, text=f"Find out whose site {name} is."), plan]
    if SEARCH in action.needed and (name := name_to_search(facts, query=str(plan.arguments.get("query")))):
        return [plan._replace(arguments={"query": name})]
    return [plan]


class PlannerCall:
    """One visit to the planner: a call, and one repair where its answer can't be used."""

    def __init__(self, parts: SessionParts, state: State, runtime: Runtime[Context]) -> None:
        self._parts, self._state, self._context = parts, state, runtime.context
        self._write, self._reading = runtime.stream_writer, runtime.context.reading
        self._steps, packs = steps_in(state), state.get("packs", ())
        files, tables = self._context.files.files, self._context.tables
        self._addresses = [*addresses_in(state), *(file.offered for file in files.values())]
        self._tables = [*tables.thread.tables, *tables.of(state)]
        self._besides = parts.open_actions.of_packs(packs)
        self._wants = prompt.meaning_of_wants(parts.open_actions.wants)
        intent, budgets = self._reading.intent or Intent(), parts.open_actions.budgets(packs, parts.budgets)
        self._most = budgets.model_calls + intent.more
        self._ids = unused_ids(self._addresses, self._tables, self._steps, parts.actions)
        offer = self._ids, self._tables, self._steps, budgets, intent
        self.allowed = {
            name: action
            for name, action in {**parts.open_actions.core, **self._besides}.items()
            if is_open(action, *offer)
            and self._reading.allows(action, self._steps)
            # Without a key for it, or where today has none left, nothing is searched.
            and not (action.searches and not self._context.resources.meter.may_search())
        }
        # The first call says what is asked for, too. Where its prompt is clean, that is the reading.
        self._is_first = not self._steps and self._reading.intent is None
        self._is_repair = False
        self._writing = self._begun_reply()
        # Of the state, by this visit.
        self.changes: State = {"calls": state.get("calls", 0), "tokens": state.get("tokens", [0, 0])}

    def _begun_reply(self) -> Writing:
        state, context = self._state, self._context
        addresses = context.tables.addresses_by_id(state) | {
            address.id: address for address in self._addresses
        }
        # What was read counts as found; a line that was is cited as a source.
        read = {id_: addresses[id_] for id_ in state.get("pages", {}) if id_ in addresses}
        # A list of offers stands as long as this turn has nothing that will be listed.
        is_list = any(id_.startswith(OFFER) for id_ in context.shown)
        stands = is_list and not (state.get("tables") or found_last(state) or read)
        lines = context.shown if stands else context.tables.lines(state)
        return Writing(
            [*self._addresses, *read.values()],
            ["" if id_ in read else id_ for id_ in lines],
            (lambda text: self._write({"delta": text})) if context.person.frontend.streams else None,
            keeps_list=stands,
            offers=state.get("offers", context.turn.offers),
        )

    async def plan(self) -> Plan:
        problem = for_person = ""
        for self._is_repair in (False, True):
            try:
                return await self._accepted(await self._ask(problem))
            except Unusable as error:
                problem, for_person = str(error), error.for_person
                self.allowed.pop(USE, None)  # it is no way out of a repair
                if self._writing.shown:
                    for_person = for_person or "The answer was cut off, or its end could not be used."
                    raise ModelFailed(for_person, hint="Ask again, or for less.", code="cut_off") from None
        hint = f"Try other words, or another model: {ANOTHER}"
        _log.info("no plan that can be carried out: %s", problem)  # in words for the model
        raise ModelFailed(for_person or "The model gave no plan that can be carried out.", hint=hint)

    async def read_words(self, problem: str = "") -> None:
        """Have the words read by themselves, in a small call, which is repaired unless something was before.

        problem: what was wrong with the reading that came with the plan.
        """
        text = f"{prompt.READING}\n\n{self._wants}"
        for _ in range(1 if self._is_repair or problem else 2):
            repair = f"\n\nYour last answer could not be used: {one_line(problem, 300)}" if problem else ""
            words = ModelPrompt(f"{self._reading.prompt}{repair}")
            try:
                answer = await self._make(text, words, wants_schema(), lambda written: False)
                await self._reading.take(read_wants(answer.text))
                return
            except Unusable as error:
                problem = str(error)
        self._take_nothing()

    async def _accepted(self, answer: ModelAnswer) -> Plan:
        plan = read_plan(answer.text, self.allowed, self._ids)
        action = self.allowed[plan.action]
        if self._writing.shown and not action.ends_turn:
            raise Unusable("it turned from a reply into another action")
        if self._is_first:
            await self._take(answer.text, action)
        if action.ends_turn:
            self._tell_reply(self._writing.rewritten(plan.text))
        return self._drop_unstated(plan, action)

    async def _take(self, text: str, action: Action) -> None:
        """Freeze the reading that came with a plan. If it is unusable, read again and keep the plan.

        A reply may be on screen already. Then the reading isn't repaired, and the user is notified. If the
        prompt was not clean, it only notes the request.
        """
        reading, is_clean = self._reading, self._context.is_clean
        try:
            if not is_clean:
                reading.wish = reading.parsed(read_wants(text))
                return
            await reading.take(read_wants(text))
            if not reading.allows(reading.as_asked(action), ()):
                raise Unusable(f"`wants` has no part that asks for `{action.name}`")
        except Unusable as error:
            if action.ends_turn:
                self._take_nothing()
            elif is_clean:
                reading.take_nothing()
                await self.read_words(str(error))

    def _take_nothing(self) -> None:
        """Take it that nothing is to be done, and say so: a reply may claim otherwise."""
        self._reading.take_nothing()
        self._context.person.frontend.tell(Notice(_UNREAD, must_know=True))

    def _tell_reply(self, text: str) -> None:
        """Tell a reply: it is whole from here on, even if nothing of the turn can be written down."""
        self._writing.show(text)
        entries, pages = {each.id: each for each in self._addresses}, self._state.get("pages", {})
        by_id = [entries[id_] for id_ in found_last(self._state)[:_UNCITED] if id_ in entries]
        titles = {id_: page.partition("\n")[0] for id_, page in pages.items()}  # what they named has no other
        sources = [
            Source(each.id, each.title or titles.get(each.id, ""), each.url, each.id in pages)
            for each in self._writing.cited or by_id
        ]
        reply: State = {"reply": text, "sources": [each._asdict() for each in sources]}
        self.changes |= reply
        self._write(reply)

    async def _ask(self, problem: str) -> ModelAnswer:
        """Ask for a plan. problem: what was wrong with the answer before."""
        context, reading = self._context, self._reading
        typed = [each for each in context.turn.typed if each.source != "piped"]
        words = prompt.request(
            self._state,
            conversation=prompt.transcript(context.tables.thread.before),
            shown=context.shown,
            addresses=self._addresses,
            named_ids=[*(each.id for each in (*typed, *reading.added)), *context.files.files],
            tables=self._tables,
            steps=self._steps,
            left=reading.describe_open_parts(self._steps),
            place=context.person.frontend.place,
            problem=problem,
            meaning=self._wants if self._is_first else "",
        )
        system = prompt.system_text(self._parts.open_actions.core, self._besides)
        request, write = ModelPrompt(words, context.files.pictures), self._writing.go_on
        offer, wants = (self.allowed, self._ids), self._is_first
        wanted, plain = (schema(*offer, enums=enums, wants=wants) for enums in (True, False))
        try:
            return await self._make(system, request, wanted, write)
        except SchemaRefused:
            # Larger enums are refused by the API: once more with a plain string, which Python checks.
            if plain == wanted:
                raise
            return await self._make(system, request, plain, write)

    async def _make(
        self, system: str, words: ModelPrompt, wanted: dict[str, object], on_text: Callable[[str], bool]
    ) -> ModelAnswer:
        """Make one call, which counts once, however often a service that was busy had us ask.

        Raises Unusable for what broke off.
        """
        made = self.changes["calls"]
        if made >= self._most:
            message = f"The model planned {pluralize(made, 'times')} without an end."
            raise OutOfTime(message, hint="Ask for one thing at a time.")
        _, model, meter = self._context.resources
        tell = self._context.person.frontend.tell

        def wait(text: str) -> None:
            tell(Notice(text, must_know=True))
            tell(Waiting("waiting…"))

        async def ask() -> ModelAnswer:
            self.changes["calls"] = made + 1
            self._write({"calls": made + 1})  # counts even if it fails
            return await model.ask(system, words, wanted, on_text, wait)

        answer = await meter.model_call(words.text, ask)
        read, written = self.changes["tokens"]
        self.changes["tokens"] = [read + answer.input_tokens, written + answer.output_tokens]
        refuse_broken(answer, model.title)
        return answer

    def _drop_unstated(self, plan: Plan, action: Action) -> Plan:
        """Drop arguments that the user must state but didn't. Notes each one for the user."""
        facts = facts_of(self._state, self._context, self._parts, action)
        arguments, reading = dict(plan.arguments), self._reading
        unasked = unstated_fields(action, plan.arguments, reading.words, reading.words_before, facts)
        written = [one_line(str(arguments.pop(name)), _LONGEST) for name in unasked]
        notes = [f"You did not say “{each}”, so it is not used." for each in written]
        for each in notes:
            self._context.person.frontend.tell(Notice(each, must_know=True))
        return plan._replace(arguments=arguments, text=" ".join(filter(None, [plan.text, *notes])))
