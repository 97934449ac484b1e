"""The steps of one turn: the only way to an opener, a launcher or a camera.

What is doubtful is asked about; the guard looks once more, and whether the thread is still ours; `started` is
written down; the hands act. What came of a step is in history first, and then told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Protocol

from ..actions.base import Action
from ..agent.result import is_told_by_itself
from ..core.errors import JarvisError
from ..core.events import Acting, Event, Observed
from ..core.types import Address, Facts, Outcome, Plan, Request, Step, Turn, unknown
from ..policy import guard
from ..store.database import Statement
from ..store.history import History
from ..store.turns import ended, keeping, keeping_intent, taking_back

if TYPE_CHECKING:  # few plain commands are asked about, and none takes a lock
    from ..policy.approval import Approval, Approved
    from ..store.locks import Lock


class Person(Protocol):
    """The front end of a turn: the steps are told to it, and its hands act."""

    def tell(self, event: Event) -> None: ...

    async def act(self, request: Request) -> Outcome: ...

    async def has_shown(self) -> bool: ...


Ask = Callable[[Request, Plan, Mapping[str, Address]], Awaitable["Approved | Outcome"]]


class StepRunner:
    def __init__(
        self,
        turn: Turn,
        person: Person,
        history: History,
        actions: Mapping[str, Action],
        facts: Callable[[], Facts],
        policy: Callable[[], guard.Rules],
        ask: Ask,
        approval: Callable[[], Approval | None],
        lock: Lock | None = None,
        away: Callable[[], AbstractContextManager[None]] = nullcontext,
        intent: Callable[[], Sequence[str] | None] = lambda: None,
    ) -> None:
        """facts, policy: as of now. ask: has the person say yes. approval: what they said yes to, so far.

        lock: of the thread; None: the turn has none. away: stops the turn's clock while the desktop acts.
        """
        self.steps: list[Step] = []  # that have come to an outcome
        self.unwritten: list[Statement] = []  # that goes along with what is written next
        self._turn = turn
        self._person = person
        self._history = history
        self._actions = actions
        self._facts = facts
        self._policy = policy
        self._ask = ask
        self._approval = approval
        self._lock = lock
        self._away = away
        self._intent = intent
        self._untold: Step | None = None  # that is written down
        self._under_way: tuple[Request, Plan] | None = None
        self._typed: dict[str, Address] = {}  # in the middle of the turn, in place of what was planned

    def authorise(self, n: int, plan: Plan, rules: guard.Rules | None = None) -> Request | Outcome:
        """Return what *plan* may do as step *n*, as of now; or the outcome that it is refused.

        rules: in place of the person's.
        """
        facts = self._facts()
        known = facts._replace(addresses={**facts.addresses, **self._typed})
        return guard.authorise(n, self._actions[plan.action], plan.arguments, known, rules or self._policy())

    async def run(self, plan: Plan, decided: Request | Outcome, *, asks: bool = False) -> Outcome:
        """Carry out what was *decided* for *plan*, at most once, and return its outcome.

        asks: ask the person even where nothing is doubtful.
        """
        n = decided.n if isinstance(decided, Request) else max((s.n for s in self.steps), default=0) + 1
        if isinstance(decided, Request) and (decided.ask or asks):
            answered = await self._ask(decided, plan, guard.known_by_id(self._facts()))
            if isinstance(answered, Outcome):
                decided = answered
            else:
                decided, plan = answered.request, answered.plan
                self._typed |= {answered.typed.id: answered.typed} if answered.typed else {}
        if isinstance(decided, Request):
            decided = self._refused_now(decided, plan) or decided
        if isinstance(decided, Request):
            return await self._perform(decided, plan)
        await self.keep(Step(n, plan, decided))
        return decided

    def recall(self, steps: Sequence[Step]) -> None:
        """Take up *steps*, which are written down, where another brain was at this turn."""
        for step in steps:
            self.steps.append(step)
            self._tell(step)

    async def keep(self, step: Step) -> None:
        """Tell a step that needed no hands, searched or refused, once it is written down."""
        if self._untold:
            self.tell_written(step)
        else:
            await self._end(step, *keeping_intent(self._turn, self._intent()), keeping(self._turn, step))

    async def keep_found(self, step: Step, known: Sequence[Address]) -> tuple[Address, ...]:
        """Write down a step that looked something up. Return what it found as `Addresses.keep_found` does."""
        await self._write_rest()
        found = await self._history.keep_step(self._turn, step, known, intent=self._intent())
        self._untold = step
        return found

    def tell_written(self, step: Step | None = None) -> None:
        """Tell the step that was written down and not told, if there is one. step: with all that it found."""
        if told := self._untold and (step or self._untold):
            self._untold = None
            self.steps.append(told)
            self._tell(told)

    async def approve(self, request: Request, plan: Plan) -> Outcome:
        """Ask whether *request*, which is not for the hands, may be carried out; return the outcome."""
        answered = await self._ask(request, plan, guard.known_by_id(self._facts()))
        if isinstance(answered, Outcome):
            return answered
        approval = self._approval()
        was_approved = approval is not None and approval.used(answered.request)
        return Outcome("approved", "") if was_approved else unknown(request.action, "")

    async def break_off(self) -> None:
        """Write down that what the hands were at may or may not have happened, unless it left a proof."""
        if self._under_way is None:
            return
        (request, plan), self._under_way = self._under_way, None
        action, target = self._actions[request.action], request.effect.target
        outcome = (action.proven(target) or unknown(action.name, target))._replace(part=request.part)
        await self._end_started(Step(request.n, plan, outcome))

    async def _perform(self, request: Request, plan: Plan) -> Outcome:
        try:
            if self._lock:
                await self._lock.confirm()
            await self._start(request.n, plan, request.effect.target, request.rule)
        except JarvisError:  # that it began may be written all the same, without an answer
            self.unwritten.append(taking_back(self._turn, request.n))
            raise
        self._under_way = request, plan
        self._person.tell(Acting(request))
        with self._away():
            outcome = await self._person.act(request._replace(ends=plan.finish))
        self._under_way = None
        outcome = outcome._replace(rule=request.rule, part=request.part)
        await self._end_started(Step(request.n, plan, outcome), request.opened)
        return outcome

    def _refused_now(self, request: Request, plan: Plan) -> Outcome | None:
        """Ask the guard once more; return a refusal unless it lets this pass now, or they said yes to it."""
        again = self.authorise(request.n, plan)
        if isinstance(again, Outcome):
            return again
        approval = self._approval()
        was_approved = approval is not None and approval.used(request)
        ours, theirs = request.effect, again.effect
        is_same = (ours.kind, ours.target, ours.arguments) == (theirs.kind, theirs.target, theirs.arguments)
        # A picture's path is free until it is taken.
        if (is_same or ours.kind == theirs.kind == "captures") and (not again.ask or was_approved):
            return None
        action = self._actions[request.action]
        return guard.refusal(action.not_done(ours.told), "it is not what was decided on.")

    async def _start(self, n: int, plan: Plan, target: str, rule: str) -> None:
        await self._write_rest()
        about = (plan.action, plan.arguments, target, rule, plan.text)
        await self._history.start_step(self._turn, n, *about, intent=self._intent())

    async def _end_started(self, step: Step, opened: str = "") -> None:
        await self._end(step, *ended(self._turn, step.n, step.outcome, opened))

    async def _end(self, step: Step, *statements: Statement) -> None:
        """Write down what came of *step*, and tell it: also where it could not be written down yet."""
        self.steps.append(step)
        self.unwritten += statements
        try:
            with suppress(JarvisError):  # the next step begins with it, or the turn ends with it
                await self._write_rest()
        finally:
            self._tell(step)

    async def _write_rest(self) -> None:
        if self.unwritten:
            await self._history.database.run_all(*self.unwritten)
            self.unwritten = []

    def _tell(self, step: Step) -> None:
        action = self._actions[step.plan.action]
        is_told = is_told_by_itself(step, action)
        self._person.tell(Observed(step.n, action.name, action.effect, step.outcome, not is_told))
