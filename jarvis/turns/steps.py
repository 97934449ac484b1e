"""The acts of one turn: asks where the guard wants it; the hands act between two writes to history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from ..actions.base import Action
from ..agent.reading import Reading
from ..core.clock import Clock
from ..core.errors import JarvisError
from ..core.events import Acting, Observed
from ..core.frontend import Front
from ..core.stdlib import NamedTuple
from ..core.types import Address, Facts, Outcome, Plan, Request, Step, Turn, step_of, unknown
from ..core.urls import typed_addresses
from ..policy import guard
from ..policy.approval import Consent, Memory
from ..policy.rules_file import Policy
from ..store.history import History
from ..store.locks import Lock
from .closing import Unwritten


class Sight(NamedTuple):
    """What an effect is held against."""

    facts: Callable[[], Facts]  # as of now
    policy: Policy


class Asker(NamedTuple):
    """Where it goes what the person says when they are asked."""

    reading: Reading
    picked: Callable[[Request, Address | None], None]  # is told what they chose

    def settle(self, request: Request, chosen: Address | None) -> None:
        self.picked(request, chosen)
        self.reading.settle(request, chosen)


class Acts:
    def __init__(
        self,
        turn: Turn,
        front: Front,
        history: History,
        actions: Mapping[str, Action],
        memory: Memory,
        clock: Clock,
        lock: Lock,
        asker: Asker,
    ) -> None:
        self.steps: list[Step] = []  # that have come to an outcome
        self.unwritten: Unwritten | None = None
        self.consent = Consent(turn, front, history.addresses.keep_typed, memory, clock.away, asker.settle)
        self._reading = asker.reading
        self._turn = turn
        self._front = front
        self._history = history
        self._actions = actions
        self._clock = clock
        self._lock = lock
        self._under_way: tuple[Request, Plan] | None = None
        self._typed: dict[str, Address] = {}  # in the middle of the turn, in place of what was planned

    async def perform(self, request: Request, plan: Plan, sight: Sight) -> Outcome:
        """What came of *request*: what was started is never done again."""
        if request.ask:
            approved = await self._approved(request, plan, sight)
            if isinstance(approved, Outcome):
                return approved
            request, plan = approved
        if refused := self._refused_now(request, plan, sight):
            await self.decided(_step(request, plan, refused), plan.text)
            return refused
        await self._lock.confirm()
        await self._history.start_step(
            *(self._turn, request.n, request.action, plan.arguments, request.target, request.rule, plan.text)
        )
        self._under_way = request, plan
        self._front.tell(Acting(request))
        with self._clock.away():
            outcome = await self._front.act(request)
        self._under_way = None
        outcome = outcome._replace(part=request.part)
        self._observed(_step(request, plan, outcome), outcome)
        self.unwritten = Unwritten(request.n, outcome, request.address)
        await self._history.end_step(self._turn, *self.unwritten)
        self.unwritten = None
        return outcome

    async def decided(self, step: Step, why: str) -> None:
        """A step that needed no hands: searched, or refused. why: the planner's own sentence."""
        outcome = Outcome(
            *(step.state, step.outcome, step.value, step.code, step.hint, step.exit_status),
            rule=step.rule,
            part=step.part,
        )
        self._observed(step, outcome)
        await self._history.start_step(
            *(self._turn, step.n, step.action, step.arguments, step.value, step.rule, why)
        )
        await self._history.end_step(self._turn, step.n, outcome)

    async def break_off(self) -> None:
        """What the hands were at may or may not have happened."""
        if self._under_way is None:
            return
        (request, plan), self._under_way = self._under_way, None
        outcome = unknown(request.action, request.target)
        self._observed(_step(request, plan, outcome), outcome)
        with suppress(JarvisError):  # it stays `started`, which comes to the same
            await self._history.end_step(self._turn, request.n, outcome)

    async def _approved(self, request: Request, plan: Plan, sight: Sight) -> tuple[Request, Plan] | Outcome:
        """What may be done after they were asked, or what came of that."""
        facts = sight.facts()
        meanings = (meaning for meant in facts.meanings.values() for meaning in meant)
        known = {**{meaning.id: meaning for meaning in meanings}, **facts.addresses}
        said = await self.consent.to(request, self._actions[request.action], known)
        if isinstance(said, Outcome):
            await self._not_approved(request)
            if request.effect != "reads":  # that one's executor tells it
                await self.decided(_step(request, plan, said), plan.text)
            return said
        request, address = said
        if request.effect == "reads":
            return Outcome("approved", "") if self.consent.used(request) else unknown(request.action, "")
        if address:
            self._typed[address.id] = address
            plan = plan._replace(arguments={"address": address.id})
        elif request.choices:
            plan = plan._replace(arguments={self._actions[request.action].named: request.title})
        return request._replace(rule=f"you said yes ({request.rule})"), plan

    async def _not_approved(self, request: Request) -> None:
        """What they said instead of an answer is their own words, too."""
        self._reading.refuse(request)
        if sentence := self.consent.instead:
            keep = self._history.addresses.keep_typed
            typed = [await keep(self._turn, url) for url in typed_addresses(sentence)]
            self._reading.begin_anew(sentence, typed, request.n)

    def _refused_now(self, request: Request, plan: Plan, sight: Sight) -> Outcome | None:
        """The guard once more, right before the act: only what it lets pass, or they said yes to, is done."""
        action, facts = self._actions[request.action], sight.facts()
        facts = facts._replace(addresses={**facts.addresses, **self._typed})
        again = guard.authorise(action, plan.arguments, facts, sight.policy)
        if isinstance(again, Outcome):
            return again
        is_same = (again.effect.kind, again.effect.target) == (request.effect, request.target)
        is_said = self.consent.used(request)
        # A picture's path is free until it is taken.
        if (is_same or request.effect == "captures") and (not again.ask or is_said):
            return None
        return guard.refusal(action.not_done(request.target), "it is not what was decided on.")

    def _observed(self, step: Step, outcome: Outcome) -> None:
        self.steps.append(step)
        self._front.tell(Observed(step.n, step.action, self._actions[step.action].effect, outcome))


def _step(request: Request, plan: Plan, outcome: Outcome) -> Step:
    outcome = outcome._replace(rule=outcome.rule or request.rule, part=outcome.part or request.part)
    return step_of(request.n, plan._replace(action=request.action), outcome)
