"""The graph's planner: one Plan, by one model call or a second that mends it, and the reading if it is due.

What may not be chosen is left out of the schema. Before a site that is not known is opened, Python plans a
search for it.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from langgraph.runtime import Runtime

from ..actions.base import OPEN_SITE, OPEN_WEBSITE, SEARCH, Action, BrainAction
from ..actions.fields import unsaid, values
from ..core.errors import ModelFailed, OutOfTime, SchemaRefused, Unusable
from ..core.events import Notice, Waiting
from ..core.text import counted, one_line
from ..core.types import INSTEAD, LOOKUPS, OFFER, SITE, Plan, Site, Step
from ..core.urls import typed
from ..packs.pack import USE
from ..search.hosts import name_words
from . import prompt
from .citations import Writing
from .retry import ANOTHER, ModelAnswer, ModelPrompt
from .schema import read_plan, read_wants, refuse_broken, schema, wants_schema
from .state import Context, SessionParts, State, addresses_in, facts_of, found_last, steps_in

_log = logging.getLogger(__name__)
_UNCITED = 3  # how many of the results are named as sources where the reply names none
_TABLES = 3  # whose lines the model may have opened: the schema has room for as many ids
_LONGEST = 60  # characters of what the model made up
_UNREAD = "What you asked for was not understood, so nothing was done, whatever the reply says."


async def plan(parts: SessionParts, state: State, runtime: Runtime[Context]) -> State:
    """Be the graph's planner."""
    if order := await _ordered(parts, state, runtime.context):
        return order
    call = PlannerCall(parts, state, runtime)
    plan = await call.plan()
    action, reading = parts.actions[plan.action], runtime.context.reading
    # Before the first thing that is done, and before the search that finds whose site they name.
    is_named = reading.wish is not None and any(part.is_name for part in reading.wish.parts)
    if reading.intent is None and (action.wants or (SEARCH in action.needed and is_named)):
        await call.read_words()
    steps = steps_in(state)
    action = call.as_asked(action, steps)
    plan = plan._replace(action=action.name)
    if action.named and (serving := reading.serving(action, steps)):
        # The name is the intent's: the model has no field for one.
        plan = plan._replace(arguments={action.named: serving[0].value or serving[0].form.split()[-1]})
    if action is call.open_site:
        await call.give_site_an_id(plan)
    planned = call.with_site_search(plan, action)
    # All tables are told as the next thing is planned, unless that or what comes then may sum them up.
    is_held = action.sums_up or (action.pack and not plan.finish)
    told = state.get("told", 0) if is_held else len(state.get("tables", []))
    return {
        "plan": planned[0]._asdict(),
        "behind": [each._asdict() for each in planned[1:]],
        "told": told,
        "intent": None if reading.intent is None else list(reading.told(reading.intent.parts)),
        "reading": reading.as_record(),
        "calls": call.made,
        "tokens": call.tokens,
        **call.reply,
    }


async def _ordered(parts: SessionParts, state: State, context: Context) -> State | None:
    """Return the plan that the words plainly are for an action of a pack: Python reads them, and no model."""
    reading, is_first = context.reading, not state.get("steps") and context.reading.intent is None
    plan = parts.open_actions.ordered(reading.words) if is_first else None
    if plan is None:
        return None
    action = parts.actions[plan.action]
    with suppress(Unusable):  # a line that is not listed is for the model
        values(action, plan.arguments, facts_of(state, context, parts, action))
        await reading.take(action.wants[0].form)
    if reading.intent is None:
        return None
    return {
        "plan": plan._asdict(),
        "is_ordered": True,
        "intent": [*reading.told(reading.intent.parts)],
        "reading": reading.as_record(),
    }


class PlannerCall:
    """One visit to the planner: a call, and one repair where its answer can't be used."""

    def __init__(self, parts: SessionParts, state: State, runtime: Runtime[Context]) -> None:
        context = runtime.context
        self._parts = parts
        self._wants = prompt.meaning_of_wants(parts.open_actions.wants)
        self._state = state
        self._context = context
        self._write = runtime.stream_writer
        self._reading = context.reading
        self._steps = steps_in(state)
        self._files = context.files.named
        self._addresses = [*addresses_in(state), *(file.offered for file in self._files.values())]
        self._tables = [*context.tables.thread.tables, *context.tables.of(state)]
        packs, core = state.get("packs", ()), parts.open_actions.core
        beside = parts.open_actions.of_packs(packs)
        self._actions = {**core, **beside}
        self._system = prompt.system_text(core, beside)
        self._budgets = parts.open_actions.budgets(packs, parts.budgets)
        # How many steps and calls more it takes: two for each thing beyond the first.
        self._more = 2 * max(0, self._reading.intent.targets - 1) if self._reading.intent else 0
        self._ids = self._unused_ids()
        self._allowed = [name for name, action in self._actions.items() if self._is_open(action)]
        # The first call says what is asked for, too. Where its prompt is clean, that is the reading.
        self._is_first = not self._steps and self._reading.intent is None
        self._reads = self._is_first and context.is_clean
        self._is_repair = False
        # A list of offers stands as long as this turn has nothing that will be listed.
        is_list = any(id_.startswith(OFFER) for id_ in context.shown)
        known = context.tables.known(state) | {address.id: address for address in self._addresses}
        # What was read counts as found; a line that was is cited as a source.
        read = {id_: known[id_] for id_ in state.get("pages", {}) if id_ in known}
        stands = is_list and not (state.get("tables") or found_last(state) or read)
        lines = context.shown if stands else context.tables.lines(state)
        self._writing = Writing(
            [*self._addresses, *read.values()],
            ["" if id_ in read else id_ for id_ in lines],
            (lambda text: self._write({"delta": text})) if context.person.frontend.streams else None,
            stands=stands,
            offers=state.get("offers", context.turn.offers),
        )
        self.made = state.get("calls", 0)
        self.tokens = list(state.get("tokens", [0, 0]))
        self.reply: State = {}  # with its sources, as they are shown and kept

    async def plan(self) -> Plan:
        problem = told = ""
        for self._is_repair in (False, True):
            try:
                return await self._accepted(await self._ask(problem))
            except Unusable as error:
                problem, told = str(error), error.told
                self._allowed = [name for name in self._allowed if name != USE]  # no way out of a repair
                if self._writing.shown:
                    told = told or "The answer was cut off, or its end could not be used."
                    raise ModelFailed(told, hint="Ask again, or for less.", code="cut_off") from None
        hint = f"Say it in other words, or ask another model: {ANOTHER}"
        _log.info("no plan that can be carried out: %s", problem)  # in words for the model
        raise ModelFailed(told or "The model gave no plan that can be carried out.", hint=hint)

    async def read_words(self, wrong: str = "") -> None:
        """Have the words read by themselves, in a small call, which is repaired unless something was before.

        wrong: what was wrong with the reading that came with the plan.
        """
        problem, text = wrong, f"{prompt.READING}\n\n{self._wants}"
        for _ in range(1 if self._is_repair or wrong else 2):
            told = f"\n\nYour last answer could not be used: {one_line(problem, 300)}" if problem else ""
            words = f"{self._reading.prompt}{told}"
            answer = await self._make(text, ModelPrompt(words), wants_schema(), lambda written: False)
            try:
                refuse_broken(answer, self._context.resources.model.title)
                await self._reading.take(read_wants(answer.text))
                return
            except Unusable as error:
                problem = str(error)
        self._take_nothing()

    @property
    def open_site(self) -> Action:
        return self._parts.actions[OPEN_SITE]

    def as_asked(self, action: Action, steps: Sequence[Step] = ()) -> Action:
        """Return *action*; where it opens an address, but a name is asked for, what opens that one's site."""
        if action.name != OPEN_WEBSITE or self._reading.allows(action, steps):
            return action
        return self.open_site if self._reading.allows(self.open_site, steps) else action

    def with_site_search(self, plan: Plan, action: Action) -> list[Plan]:
        """Return *plan*, behind the search for the name that it is about where its site isn't known yet.

        The query is the name as the person said it. A search that was planned is made that one.
        """
        if SEARCH not in self._allowed or not (name := self._name_to_search(plan, action)):
            return [plan]
        if SEARCH in action.needed:
            return [plan._replace(arguments={"query": name})]
        return [Plan(SEARCH, {"query": name}, text=f"Find out whose site {name} is."), plan]

    def _name_to_search(self, plan: Plan, action: Action) -> str:
        """Return the name that *plan* is about, if its site is neither known nor was searched for."""
        if action is not self.open_site and SEARCH not in action.needed:
            return ""
        facts = facts_of(self._state, self._context, self._parts)
        # What may not be meant at all takes the place of no search.
        names = {place: part.value for place, part in facts.parts_left if not part.unsure}
        if action is self.open_site:
            names = {facts.place_of(name): name for name in [str(plan.arguments.get("site"))]}
        elif facts.intent and facts.intent.parts[1:]:  # which of them the search is for, its words say
            query = set(name_words(str(plan.arguments.get("query"))))
            names = {place: name for place, name in names.items() if query >= set(name_words(name))}
        for place, name in names.items():
            site = facts.sites.get(place)
            if site and not (site.url or site.is_sought or facts.meanings.get(place)):
                return name
        return ""

    async def give_site_an_id(self, plan: Plan) -> None:
        """Give what is known here of the site that *plan* opens an id, if it has none."""
        facts = facts_of(self._state, self._context, self._parts)
        name = str(plan.arguments.get("site"))
        site = facts.sites.get(facts.place_of(name), Site())
        known, keep = [each.url for each in facts.addresses.values()], self._parts.history.keep_named
        for url in [site.url] if site.url else [site.near, site.last]:
            if url not in ("", *known) and typed(url) == url:  # it may be an app that they chose last
                self._reading.added.append(await keep(self._context.turn, url, SITE, name))

    def _unused_ids(self) -> list[str]:
        """Return the ids not used yet: each may be acted on once in a turn, whatever came of it.

        To read of one or to keep it is no try.
        """
        effects = {name: action.effect for name, action in self._parts.actions.items()}
        acts = [step.plan for step in self._steps if effects[step.plan.action] not in (*LOOKUPS, "keeps")]
        tried = {value for plan in acts for value in plan.arguments.values()}
        offers = dict.fromkeys(
            row.id for table in self._tables for row in table.rows[: prompt.ROWS] if row.url
        )
        known = [*(address.id for address in self._addresses), *[*offers][-_TABLES * prompt.ROWS :]]
        return [id_ for id_ in dict.fromkeys(known) if id_ not in tried]

    def _is_open(self, action: Action) -> bool:
        """Return whether *action* has something to work on, is asked for and not spent."""
        if action.ends_turn:
            return True
        own, intent = [step for step in self._steps if step.plan.action == action.name], self._reading.intent
        meter = self._context.resources.meter
        searches = max(self._budgets.searches, len(intent.sites) if intent else 0)
        attempts = action.attempts if isinstance(action, BrainAction) else action.attempts + self._more
        return (
            len(self._steps) < self._budgets.steps + self._more
            and (bool(self._ids) or not any(each.offered and not each.optional for each in action.fields))
            and bool(self._tables or not action.needs_table)
            and (not action.times or len(own) < action.times)
            # What they said to do instead is no failure.
            and sum(not (step.is_good or step.outcome.code == INSTEAD) for step in own) < attempts
            and self._reading.allows(action, self._steps)
            # Without a key for it, or where today has none left, nothing is searched.
            and not (
                action.searches and (len(own) >= max(searches, action.attempts) or not meter.may_search())
            )
        )

    async def _accepted(self, answer: ModelAnswer) -> Plan:
        refuse_broken(answer, self._context.resources.model.title)
        plan = read_plan(answer.text, self._actions, self._allowed, self._ids)
        action = self._actions[plan.action]
        if self._writing.shown and not action.ends_turn:
            raise Unusable("it turned from a reply into another action")
        if self._is_first:
            await self._take(answer.text, action)
        if action.ends_turn:
            self._tell_reply(self._writing.rewritten(plan.text))
        return self.without_unsaid(plan, action)

    async def _take(self, text: str, action: Action) -> None:
        """Freeze the reading that came with a plan. One that can't be used is made anew; the plan is kept.

        A reply may be on the screen, so beside one it is not repaired, but told. Where the prompt was not
        clean, it is only noted what they ask for.
        """
        try:
            if not self._reads:
                self._reading.note_wish(read_wants(text))
                return
            await self._reading.take(read_wants(text))
            if not self._reading.allows(self.as_asked(action), ()):
                raise Unusable(f"`wants` has no part that asks for `{action.name}`")
        except Unusable as error:
            if action.ends_turn:
                self._take_nothing()
            elif self._reads:
                self._reading.take_nothing()
                await self.read_words(str(error))

    def _take_nothing(self) -> None:
        """Take it that nothing is to be done, and say so: a reply may claim otherwise."""
        self._reading.take_nothing()
        self._context.person.frontend.tell(Notice(_UNREAD, must_know=True))

    def _tell_reply(self, text: str) -> None:
        """Tell a reply: it is whole from here on, even if nothing of the turn can be written down."""
        self._writing.show(text)
        known = {address.id: address for address in self._addresses}
        found = [known[id_] for id_ in found_last(self._state)[:_UNCITED] if id_ in known]
        pages = self._state.get("pages", {})
        titles = {id_: page.partition("\n")[0] for id_, page in pages.items()}  # what they named has no other
        sources = [
            {**each._asdict(), "title": each.title or titles.get(each.id, ""), "read": each.id in pages}
            for each in self._writing.cited or found
        ]
        self.reply = {"reply": text, "sources": sources}
        self._write(self.reply)

    async def _ask(self, problem: str) -> ModelAnswer:
        """Ask for a plan. problem: what was wrong with the answer before."""
        typed = [each for each in self._context.turn.typed if each.source != "piped"]
        words = prompt.request(
            self._state,
            conversation=prompt.transcript(self._context.tables.thread.before),
            shown=self._context.shown,
            addresses=self._addresses,
            named=[*(each.id for each in (*typed, *self._reading.added)), *self._files],
            tables=self._tables,
            steps=self._steps,
            left=self._reading.describe_open_parts(self._steps),
            place=self._context.person.frontend.place,
            problem=problem,
            meaning=self._wants if self._is_first else "",
        )
        asked = ModelPrompt(words, self._context.files.pictures)
        make = partial(self._make, self._system, asked, on_text=self._writing.go_on)
        wanted = partial(schema, self._actions, self._allowed, self._ids, wants=self._is_first)
        try:
            return await make(wanted())
        except SchemaRefused:
            # Larger enums are refused by the API: once more with a plain string, which Python checks.
            if (plain := wanted(enums=False)) == wanted():
                raise
            return await make(plain)

    async def _make(
        self, system: str, words: ModelPrompt, wanted: dict[str, object], on_text: Callable[[str], bool]
    ) -> ModelAnswer:
        """Make one call, which counts once, however often a service that was busy had us ask."""
        if self.made >= self._budgets.model_calls + self._more:
            told = f"The model was asked {counted(self.made, 'times')} without an end."
            raise OutOfTime(told, hint="Ask for one thing at a time.")
        _, model, meter = self._context.resources
        tell = self._context.person.frontend.tell

        def wait(text: str) -> None:
            tell(Notice(text, must_know=True))
            tell(Waiting("waiting…"))

        async def ask() -> ModelAnswer:
            self.made += 1
            self._write({"calls": self.made})  # counts even if it fails
            return await model.ask(system, words, wanted, on_text, wait)

        answer = await meter.model_call(words.text, ask)
        self.tokens = [self.tokens[0] + answer.input_tokens, self.tokens[1] + answer.output_tokens]
        return answer

    def without_unsaid(self, plan: Plan, action: Action) -> Plan:
        """Return *plan* without what the person should have said and did not: it is told, and kept there."""
        facts = facts_of(self._state, self._context, self._parts, action)
        arguments, reading = dict(plan.arguments), self._reading
        unasked = unsaid(action, plan.arguments, reading.words, reading.words_before, facts)
        written = [one_line(str(arguments.pop(name)), _LONGEST) for name in unasked]
        told = [f"You did not say “{each}”, so it is not used." for each in written]
        for each in told:
            self._context.person.frontend.tell(Notice(each, must_know=True))
        return plan._replace(arguments=arguments, text=" ".join(filter(None, [plan.text, *told])))
