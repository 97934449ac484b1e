"""The graph's planner: one model call, exactly one Plan. What may not be chosen is left out of the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from langgraph.runtime import Runtime

from ..actions.base import Action, BrainAction
from ..actions.kinds import Unusable
from ..config.settings import Budgets
from ..core.errors import CutOff, ModelFailed, OutOfTime, SchemaRefused, ServiceUnreachable
from ..core.intent import Unreadable
from ..core.text import counted
from ..core.types import Plan, Step
from . import prompt
from .citations import Writing
from .model import ANOTHER, ModelAnswer
from .plan_schema import Reader, refuse_blocked, schema
from .reading import Reading, read_words
from .state import Context, State, addresses_in, steps_in
from .unsaid import without_unsaid

_FAILURES = 2  # of one action, then it is no longer offered: one other way may be tried
_UNCITED = 3  # how many of the results are named as sources where the reply names none


class _Lost(Unusable):
    """The connection broke off before a word of a reply was shown: no fault of the model."""


class Planner:
    def __init__(self, actions: Mapping[str, Action], budgets: Budgets) -> None:
        self.actions = actions
        self.budgets = budgets
        self.reader = Reader(actions)
        self.system = prompt.system(actions)
        self.wants = prompt.meaning_of_wants(actions)

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        call = _Call(self, state, runtime)
        await call.leave_out_what_today_has_not()
        plan = await call.plan()
        await call.read_before(plan)
        intent = runtime.context.reading.intent
        return {
            "plan": call.named(plan)._asdict(),
            "intent": None if intent is None else list(intent.told),
            "calls": call.calls,
            "tokens": call.tokens,
            **call.reply,
        }

    def allowed(self, reading: Reading, steps: Sequence[Step], addresses: Sequence[object]) -> list[str]:
        """Return the actions open now, without those that are not asked for or are spent."""
        has_steps = len(steps) < self.budgets.steps + _more(reading)
        filled = [action for action in self.actions.values() if addresses or not action.needs_address]
        return [a.name for a in filled if a.ends_turn or (has_steps and self._has_room(a, reading, steps))]

    def _has_room(self, action: Action, reading: Reading, steps: Sequence[Step]) -> bool:
        """Return whether *action* is asked for and not spent, whatever came of others."""
        if not reading.allows(action, steps):
            return False
        own = [step for step in steps if step.plan.action == action.name]
        amiss = sum(not step.is_good for step in own)
        if isinstance(action, BrainAction):
            sites = len(reading.intent.sites) if reading.intent else 0
            return len(own) < max(self.budgets.searches, sites) and not amiss
        return amiss < _FAILURES + _more(reading)


def _more(reading: Reading) -> int:
    """Return how many steps and calls more it takes: two for each thing beyond the first."""
    return 2 * max(0, reading.intent.targets - 1) if reading.intent else 0


class _Call:
    """One visit to the planner: a call, and one repair where its answer can't be used."""

    def __init__(self, planner: Planner, state: State, runtime: Runtime[Context]) -> None:
        self._planner = planner
        self._state = state
        self._runtime = runtime
        self._reading = runtime.context.reading
        self._addresses = addresses_in(state)
        self._steps = steps_in(state)
        # An address is tried once in a turn, whatever came of it. What reads of it is no try.
        acts = [step.plan for step in self._steps if planner.actions[step.plan.action].effect != "reads"]
        tried = {value for plan in acts for value in plan.arguments.values()}
        self._ids = [address.id for address in self._addresses if address.id not in tried]
        self._allowed = planner.allowed(self._reading, self._steps, self._ids)
        is_first = not self._steps and self._reading.intent is None
        self._reads = is_first and runtime.context.is_clean  # whether this call makes the reading
        self._has_repaired = False
        show = self._show if runtime.context.streams else None
        self._writing = Writing(self._addresses, show, state.get("listed", []))
        self.reply: State = {}  # with its sources, as they are shown and kept
        self.calls = state.get("calls", 0)
        self.tokens = list(state.get("tokens", [0, 0]))

    async def leave_out_what_today_has_not(self) -> None:
        """Leave out searching where there is no key for it, or today has none left."""
        searches = {name for name in self._allowed if self._planner.actions[name].searches}
        if searches and not await self._runtime.context.meter.may_search():
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
        if isinstance(amiss, _Lost):
            raise ServiceUnreachable("The connection to Gemini broke off.", hint="Try again.")
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
        answer = await self._counted(system, words, wanted, lambda text: None)
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
        return without_unsaid(plan, action, self._state, self._runtime)

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
        except CutOff:
            if self._writing.shown:
                raise
            raise _Lost("it broke off: the connection was lost") from None

    async def _call_model(self, amiss: str, *, enums: bool) -> ModelAnswer:
        self._writing.begin()
        words, wanted = self._prompt(amiss), self._schema(enums=enums)
        return await self._counted(self._planner.system, words, wanted, self._writing.go_on)

    async def _counted(
        self, system: str, words: str, wanted: dict[str, object], on_text: Callable[[str], None]
    ) -> ModelAnswer:
        """Make one call, which counts towards the turn's and the day's, and return its answer."""
        planner = self._planner
        if self.calls >= planner.budgets.model_calls + _more(self._reading):
            raise OutOfTime(
                f"The model was asked {counted(self.calls, 'times')} without an end.",
                hint="Ask for one thing at a time.",
            )
        context = self._runtime.context
        context.model.check()
        async with context.meter.model_call(words) as answered:
            self.calls += 1
            self._runtime.stream_writer({"calls": self.calls})  # counts even if it fails
            answer = await context.model.ask(system, words, wanted, on_text, self._notice)
            answered(answer)
        self.tokens = [self.tokens[0] + answer.input_tokens, self.tokens[1] + answer.output_tokens]
        return answer

    def _schema(self, *, enums: bool) -> dict[str, object]:
        wants = self._planner.wants if self._reads else ""
        return schema(self._planner.actions, self._allowed, self._ids, enums=enums, wants=wants)

    def _prompt(self, amiss: str) -> str:
        context = self._runtime.context
        return prompt.request(
            conversation=context.transcript,
            shown=context.shown,
            material=self._state.get("material", ""),
            goal=self._state["goal"],
            addresses=self._addresses,
            steps=self._steps,
            left=self._reading.told_left(self._steps),
            found=[(query, ids) for query, ids in self._state.get("lookups", [])],
            place=context.place,
            amiss=amiss,
        )

    def _show(self, text: str) -> None:
        self._runtime.stream_writer({"delta": text})

    def _notice(self, text: str) -> None:
        self._runtime.stream_writer({"notice": text})
