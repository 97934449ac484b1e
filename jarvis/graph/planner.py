"""One model call: exactly one Plan. What may not be chosen is left out of the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime

from ..actions.base import Action, BrainAction
from ..config.limits import Budgets
from ..errors import CutOff, ModelFailed, OutOfTime, SchemaRefused, ServiceUnreachable
from ..guard.verdict import effects_forbidden
from ..model import Answer, Model
from ..text import counted
from ..turn import Plan, Step
from . import prompt
from .citations import Citations
from .foreign import Foreign
from .plans import Reader, Unusable, partial_reply, schema
from .state import Context, State, addresses_in, steps_in

_FAILURES = 2  # of one action, then it is no longer offered: one other way may be tried
_UNCITED = 3  # how many of the results are named as sources where the reply names none


class _Lost(Unusable):
    """The connection broke off before a word of a reply was shown: no fault of the model."""


class Planner:
    def __init__(self, model: Model, actions: Mapping[str, Action], budgets: Budgets) -> None:
        self.model = model
        self.actions = actions
        self.budgets = budgets
        self.reader = Reader(actions)
        self.system = prompt.system(actions)

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        call = _Call(self, state, runtime)
        await call.leave_out_what_today_has_not()
        plan = await call.plan()
        return {"plan": plan._asdict(), "calls": call.calls, "tokens": call.tokens, **call.reply}

    def allowed(self, goal: str, steps: Sequence[Step], addresses: Sequence[object]) -> list[str]:
        """The actions open now: budgets are enforced by leaving an action out."""
        return [
            name
            for name, action in self.actions.items()
            if action.ends_turn
            or (
                (len(steps) < self.budgets.steps and self._has_room(action, goal, steps))
                and (addresses or not any(field.offered for field in action.fields))
            )
        ]

    def _has_room(self, action: Action, goal: str, steps: Sequence[Step]) -> bool:
        own = [step for step in steps if step.action == action.name]
        good = sum(step.is_good for step in own)
        if isinstance(action, BrainAction):
            return len(own) < self.budgets.searches and good == len(own)
        return len(own) - good < _FAILURES and good < action.limit(goal)


class _Call:
    """One visit to the planner: a call, and where its answer can't be used, one repair."""

    def __init__(self, planner: Planner, state: State, runtime: Runtime[Context]) -> None:
        self._planner = planner
        self._state = state
        self._runtime = runtime
        self._addresses = addresses_in(state)
        self._steps = steps_in(state)
        # An address is tried once in a turn, whatever came of it.
        tried = {value for step in self._steps for value in step.arguments.values()}
        self._ids = [address.id for address in self._addresses if address.id not in tried]
        allowed = planner.allowed(state["goal"], self._steps, self._ids)
        forbidden = effects_forbidden(runtime.context.grant)
        self._allowed = [name for name in allowed if planner.actions[name].effect not in forbidden]
        self._foreign = Foreign(self._addresses, state["goal"], runtime.context.transcript)
        self._shown = ""
        self._heard = ""  # of a reply that is being written, before addresses in it are judged
        self._looked = 0
        self.reply: State = {}  # with its sources, as they are shown and kept
        self.calls = state.get("calls", 0)
        self.tokens = list(state.get("tokens", [0, 0]))

    async def leave_out_what_today_has_not(self) -> None:
        """The day's searches are a budget too."""
        searches = {name for name in self._allowed if isinstance(self._planner.actions[name], BrainAction)}
        if searches and not await self._runtime.context.meter.may_search():
            self._allowed = [name for name in self._allowed if name not in searches]

    async def plan(self) -> Plan:
        amiss: Unusable | None = None
        for _ in range(2):
            try:
                return self._accepted(await self._ask(str(amiss or "")))
            except Unusable as error:
                amiss = error
                if self._shown:
                    self._show_the_rest()
                    raise CutOff(
                        "The model's answer could not be used to its end.", hint="Try again."
                    ) from None
            except CutOff:
                self._show_the_rest()
                raise
        if isinstance(amiss, _Lost):
            raise ServiceUnreachable("The connection to Gemini broke off.", hint="Try again.")
        raise ModelFailed(
            f"The model gave no plan that can be carried out: {amiss}.",
            hint="Say it in other words, or try another model: export JARVIS_MODEL=…",
        )

    def _accepted(self, answer: Answer) -> Plan:
        if answer.blocked or answer.finish_reason in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"):
            reason = answer.blocked or answer.finish_reason
            raise ModelFailed(f"Gemini refused to answer this ({reason}).", hint="Say it in other words.")
        if answer.finish_reason != "STOP":
            if self._shown:
                raise CutOff(
                    f"The answer was cut off ({answer.finish_reason or 'no end'}).", hint="Ask for less."
                )
            raise Unusable(f"it broke off ({answer.finish_reason or 'without an end'})")
        plan = self._planner.reader.read(answer.text, self._allowed, self._ids)
        if self._shown and not self._planner.actions[plan.action].ends_turn:
            raise Unusable("it turned from a reply into another action")
        if self._planner.actions[plan.action].ends_turn:
            self._tell_reply(self._foreign.defanged(self._citations.rewritten(plan.text)))
            return plan
        return plan._replace(text=self._foreign.defanged(plan.text))

    def _tell_reply(self, text: str) -> None:
        """A reply is whole from here on, even if nothing of the turn can be written down any more."""
        self._show(text)
        known = {address.id: address for address in self._addresses}
        found = [known[id_] for id_ in self._state.get("found", [])[:_UNCITED] if id_ in known]
        sources = [
            {**address._asdict(), "title": self._foreign.defanged(address.title)}
            for address in self._citations.cited or found
        ]
        self.reply = {"reply": text, "sources": sources}
        self._runtime.stream_writer(self.reply)

    async def _ask(self, amiss: str) -> Answer:
        try:
            return await self._call_model(amiss, enums=True)
        except SchemaRefused:
            if self._schema(enums=True) == self._schema(enums=False):
                raise
            # Larger enums are refused by the API: once more with a plain string, which Python checks.
            return await self._call_model(amiss, enums=False)
        except CutOff:
            if self._shown:
                raise
            raise _Lost("it broke off: the connection was lost") from None

    async def _call_model(self, amiss: str, *, enums: bool) -> Answer:
        planner = self._planner
        if self.calls >= planner.budgets.model_calls:
            raise OutOfTime(
                f"The model was asked {counted(self.calls, 'times')} without an end.",
                hint="Ask for one thing at a time.",
            )
        planner.model.check()
        words = self._prompt(amiss)
        wanted = self._schema(enums=enums)
        # What an answer that was of no use had counts no more.
        self._citations, self._looked = Citations(self._addresses), 0

        async def ask() -> Answer:
            self.calls += 1
            self._runtime.stream_writer({"calls": self.calls})  # counts even if it fails
            return await planner.model.ask(planner.system, words, wanted, self._stream, self._notice)

        answer = await self._runtime.context.meter.model_call(ask, words)
        self.tokens = [self.tokens[0] + answer.input_tokens, self.tokens[1] + answer.output_tokens]
        return answer

    def _schema(self, *, enums: bool) -> dict[str, object]:
        return schema(self._planner.actions, self._allowed, self._ids, enums=enums)

    def _prompt(self, amiss: str) -> str:
        context = self._runtime.context
        return prompt.request(
            conversation=context.transcript,
            shown=context.shown,
            material=self._state.get("material", ""),
            goal=self._state["goal"],
            addresses=self._addresses,
            steps=self._steps,
            place=context.place,
            amiss=amiss,
        )

    def _stream(self, text: str) -> None:
        """Pass on what is new of a reply that is being written, to whoever shows it at once."""
        # A long one is looked at now and then: each look reads it from its beginning.
        if not self._runtime.context.streams or len(text) < self._looked * 1.02:
            return
        self._looked = len(text)
        self._heard = self._citations.rewritten(partial_reply(text), whole=False)
        self._show(self._foreign.defanged(self._heard, whole=False))

    def _show_the_rest(self) -> None:
        """The word in progress of a reply that broke off: nothing will change it any more."""
        self._show(self._foreign.defanged(self._heard))

    def _show(self, text: str) -> None:
        """What is new of *text*, which begins with what was shown so far."""
        if self._runtime.context.streams and len(text) > len(self._shown):
            self._runtime.stream_writer({"delta": text[len(self._shown) :]})
            self._shown = text

    def _notice(self, text: str) -> None:
        self._runtime.stream_writer({"notice": text})
