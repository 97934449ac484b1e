"""The graph's planner: one model call, exactly one Plan. What may not be chosen is left out of the schema."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from ..actions.base import Action
from ..actions.kinds import Unusable
from ..core.errors import CutOff, ModelFailed, SchemaRefused
from ..core.intent import Unreadable
from ..core.types import Plan
from ..packs.open_actions import OpenActions
from . import prompt
from .citations import Writing
from .context import Context, SessionParts
from .model import ANOTHER, ModelAnswer
from .model_calls import ModelCalls
from .offered import Offered, more
from .offers import earlier_offers, openable, told_by
from .plan_schema import Reader, refuse_blocked, schema
from .reading import read_words
from .state import State, addresses_in, steps_in
from .unsaid import without_unsaid

_UNCITED = 3  # how many of the results are named as sources where the reply names none


class Planner:
    def __init__(self, parts: SessionParts) -> None:
        actions: OpenActions = parts.open_actions
        self.parts = parts
        self.actions = actions.every
        self.reader = Reader(self.actions)
        self.wants = prompt.meaning_of_wants(actions.wants)
        self._actions = actions
        self._budgets = parts.budgets
        self._system = prompt.system(actions.core)

    def offered(self, packs: Sequence[str]) -> Offered:
        """Return what is open to the model where these *packs* are."""
        beside = self._actions.beside_core(packs)
        return Offered(
            {**self._actions.core, **beside},
            self._actions.budgets(packs, self._budgets),
            self._system + prompt.more_actions(beside),
        )

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        call = _Call(self, state, runtime)
        call.leave_out_what_today_has_not()
        plan = await call.plan()
        await call.read_before(plan)
        intent = runtime.context.reading.intent
        return {
            "plan": call.named(plan)._asdict(),
            "intent": None if intent is None else list(intent.told),
            "reading": runtime.context.reading.as_record(),
            "calls": call.calls.made,
            "tokens": call.calls.tokens,
            **told_by(self.actions[plan.action], state),
            **call.reply,
        }


class _Call:
    """One visit to the planner: a call, and one repair where its answer can't be used."""

    def __init__(self, planner: Planner, state: State, runtime: Runtime[Context]) -> None:
        self._planner = planner
        self._state = state
        self._runtime = runtime
        self._reading = runtime.context.reading
        self._addresses = addresses_in(state)
        self._tables = [*runtime.context.listed, *runtime.context.tables.of(state)]
        self._offered = planner.offered(state.get("packs", ()))
        self._steps = steps_in(state)
        # An address is tried once in a turn, whatever came of it. To read of it or keep it is no try.
        effects = {name: action.effect for name, action in planner.actions.items()}
        acts = [step.plan for step in self._steps if effects[step.plan.action] not in ("reads", "keeps")]
        tried = {value for plan in acts for value in plan.arguments.values()}
        known = [*(address.id for address in self._addresses), *openable(self._tables, prompt.ROWS)]
        self._ids = [id_ for id_ in dict.fromkeys(known) if id_ not in tried]
        self._allowed = self._offered.allowed(self._reading, self._steps, self._ids, self._tables)
        is_first = not self._steps and self._reading.intent is None
        self._reads = is_first and runtime.context.is_clean  # whether this call makes the reading
        self._has_repaired = False
        show = self._show if runtime.context.front.streams else None
        earlier = earlier_offers(state, runtime.context)
        self._writing = Writing(self._addresses, show, runtime.context.tables.lines(state), earlier)
        self.reply: State = {}  # with its sources, as they are shown and kept
        self.calls = ModelCalls(
            state, runtime, lambda: self._offered.budgets.model_calls + more(self._reading)
        )

    def leave_out_what_today_has_not(self) -> None:
        """Leave out searching where there is no key for it, or today has none left."""
        searches = {name for name in self._allowed if self._planner.actions[name].searches}
        if searches and not self._runtime.context.meter.may_search():
            self._allowed = [name for name in self._allowed if name not in searches]

    async def plan(self) -> Plan:
        amiss: Unusable | None = None
        for is_last in (False, True):
            self._has_repaired = is_last
            try:
                return await self._accepted(await self._ask(str(amiss or "")), is_last=is_last)
            except Unusable as error:
                amiss = error
                if self._writing.shown:
                    self._writing.show_the_rest()
                    raise CutOff(
                        "The end of the model's answer could not be used.", hint="Try again."
                    ) from None
            except CutOff:
                self._writing.show_the_rest()
                raise
        raise ModelFailed(
            f"The model gave no plan that can be carried out: {amiss}.",
            hint=f"Say it in other words, or ask another model: {ANOTHER}",
        )

    async def read_before(self, plan: Plan) -> None:
        """Have the words read by themselves, before the first thing that *plan* would do."""
        if not self._planner.actions[plan.action].wants or self._reading.intent is not None:
            return
        await read_words(
            self._reading, self._ask_alone, self._planner.wants, may_repair=not self._has_repaired
        )

    def named(self, plan: Plan) -> Plan:
        """Return *plan* with the name that the intent has for what it starts: no field is for one."""
        action = self._planner.actions[plan.action]
        parts = self._reading.serving(action, self._steps) if action.named else []
        return plan._replace(arguments={action.named: parts[0].value}) if parts else plan

    async def _ask_alone(self, system: str, words: str, wanted: dict[str, object]) -> str | None:
        """Ask, in a small call, what the words ask for."""
        answer = await self.calls.make(system, words, wanted, lambda text: False)
        return self._planner.reader.wants_in(answer)

    async def _accepted(self, answer: ModelAnswer, *, is_last: bool) -> Plan:
        refuse_blocked(answer)
        if answer.finish_reason != "STOP":
            if self._writing.shown:
                raise CutOff(
                    f"The answer was cut off ({answer.finish_reason or 'no end'}).", hint="Ask for less."
                )
            raise Unusable(f"it broke off ({answer.finish_reason or 'without an end'})")
        plan = self._planner.reader.read(answer.text, self._allowed, self._ids)
        action = self._planner.actions[plan.action]
        if self._writing.shown and not action.ends_turn:
            raise Unusable("it turned from a reply into another action")
        if self._reads:
            await self._take(answer.text, action, is_last=is_last)
        if action.ends_turn:
            self._tell_reply(self._writing.rewritten(plan.text))
        return without_unsaid(plan, action, self._state, self._runtime, self._planner.parts)

    async def _take(self, text: str, action: Action, *, is_last: bool) -> None:
        """Freeze the reading that came with a plan. A reply may be on the screen, so it is not repaired."""
        try:
            if (wants := self._planner.reader.wants(text)) is None:
                raise Unreadable("`wants` is missing")
            await self._reading.take(wants)
            if action.wants and not self._reading.allows(action, ()):
                raise Unreadable(f"`wants` has no part that asks for `{action.name}`")
        except Unreadable as error:
            self._reading.take_nothing()
            if not action.ends_turn and not is_last:
                self._reading.intent = None
                raise Unusable(str(error)) from None

    def _tell_reply(self, text: str) -> None:
        """Tell a reply: it is whole from here on, even if nothing of the turn can be written down."""
        self._writing.show(text)
        known = {address.id: address for address in self._addresses}
        found = [known[id_] for id_ in self._state.get("found", [])[:_UNCITED] if id_ in known]
        sources = [address._asdict() for address in self._writing.cited or found]
        self.reply = {"reply": text, "sources": sources}
        self._runtime.stream_writer(self.reply)

    async def _ask(self, amiss: str) -> ModelAnswer:
        try:
            return await self._call_model(amiss, enums=True)
        except SchemaRefused:
            if self._schema(enums=True) == self._schema(enums=False):
                raise
            # Larger enums are refused by the API: once more with a plain string, which Python checks.
            return await self._call_model(amiss, enums=False)

    async def _call_model(self, amiss: str, *, enums: bool) -> ModelAnswer:
        words, wanted = self._prompt(amiss), self._schema(enums=enums)
        return await self.calls.make(self._offered.system, words, wanted, self._writing.go_on)

    def _schema(self, *, enums: bool) -> dict[str, object]:
        wants = self._planner.wants if self._reads else ""
        return schema(self._offered.actions, self._allowed, self._ids, enums=enums, wants=wants)

    def _prompt(self, amiss: str) -> str:
        context = self._runtime.context
        return prompt.request(
            conversation=context.transcript,
            shown=context.shown,
            material=self._state.get("material", ""),
            goal=self._state["goal"],
            addresses=self._addresses,
            tables=self._tables,
            steps=self._steps,
            left=self._reading.told_left(self._steps),
            found=[(query, ids) for query, ids in self._state.get("lookups", [])],
            place=context.front.place,
            amiss=amiss,
        )

    def _show(self, text: str) -> None:
        self._runtime.stream_writer({"delta": text})
