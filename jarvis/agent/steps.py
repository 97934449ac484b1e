"""The one path of a step, plain or planned: decide, ask, decide again, start, act, finish.

It knows no graph and no event loop. Each kind of turn waits in its own way for the user and the desktop. A
plain turn waits right there. A planned one raises an interrupt and takes the step again after the answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from ..actions.base import Action
from ..core.types import LOOKUPS, NOT_ASKED, ActionRequest, Address, Facts, Outcome, Plan, Step
from ..policy import guard
from ..policy.questions import Approval, read_answer, still_approved
from ..policy.rules import Policy
from ..store.history import Journal

Result = TypeVar("Result")  # what a turn makes of a step
Decided = ActionRequest | Outcome
_CHANGED = "it differs from the question you answered"


def read_given(answer: str) -> dict[str, str]:
    """Split *answer*, ID=OPTION, into question and option."""
    question, _, text = answer.partition("=")
    return {"question": question, "said": text}


class Steps(ABC, Generic[Result]):
    """Takes the steps of a turn."""

    actions: Mapping[str, Action]
    policy: Callable[[], Policy]  # the person's rules as they are now
    approval: Approval
    journal: Journal

    async def take(self, n: int, plan: Plan, answer: Mapping[str, str] | None = None) -> Result:
        """Take *plan* as step *n* as far as possible. answer: to a question about it."""
        decided = await self.decide(n, plan)
        if answer:
            decided, plan = await self._after_answer(decided, plan, answer)
        if isinstance(decided, Outcome):
            return await self.keep(Step(n, plan, decided))
        if decided.ask:
            return await self.wait(decided, plan)
        if self.actions[plan.action].effect not in LOOKUPS:  # of which nothing need be known after a crash
            await self.journal.start(decided, plan)
        return await self.act(decided, plan)

    async def decide(self, n: int, plan: Plan) -> Decided:
        """Return the request for *plan* as step *n*, or the outcome of its refusal."""
        action, policy = self.actions[plan.action], self.policy()
        return guard.authorize(n, action, plan.arguments, self.facts(action), policy)

    async def ask_about(self, request: ActionRequest) -> dict[str, str]:
        """Ask the user about *request*. Returns the question's id and the answer."""
        question, answer = await self.approval.ask(request)
        return {"question": "" if question.is_over else question.id, "said": answer}

    async def _after_answer(
        self, decided: Decided, plan: Plan, answer: Mapping[str, str]
    ) -> tuple[Decided, Plan]:
        """Apply the user's *answer* about *plan*. Returns the request or outcome, and the plan, which may
        change.

        After an answer to another question, ask again, even without doubts. decided: by the current rules.
        """
        if isinstance(decided, Outcome):  # that nobody asked for it is news here: they were asked about it
            is_news = decided.code == NOT_ASKED
            return decided._replace(code="refused") if is_news else decided, plan
        question = self.approval.question(decided)
        if answer["question"] != question.id:
            return decided._replace(ask=decided.ask or _CHANGED), plan
        read = read_answer(question, answer["said"])
        chosen = decided.choices[int(read.option) - 1] if read.option.isdigit() else None
        if chosen and decided.effect.choices:  # from then on it is asked about whole
            plan = plan._replace(arguments={**plan.arguments, chosen.source: chosen.url})
            return await self.decide(decided.n, plan), plan
        decision = self.approval.apply_answer(read, decided, plan, chosen, self._name_in(decided))
        if isinstance(decision, Outcome):
            await self.read_instead(decided.n)
            return decision, plan
        self.settle(decided, chosen)
        approved, plan = decision
        # What they chose is looked at anew, whatever it comes to: by now the name means that alone.
        now = await self.decide(approved.n, plan) if chosen else decided
        return still_approved(self.actions[plan.action], self.journal.turn, approved, now), plan

    def _name_in(self, request: ActionRequest) -> str:
        """Return the name in the part of *request*, or ""."""
        intent = self.facts().intent
        return intent.part(request.part).value if intent and request.part else ""

    # What a turn has of its own.

    @abstractmethod
    def facts(self, action: Action | None = None) -> Facts:
        """Return the current facts that *action* may know."""

    async def read_instead(self, n: int) -> None:
        """Go by what they said to do instead of step *n*, if they said anything."""

    @abstractmethod
    def settle(self, request: ActionRequest, chosen: Address | None) -> None:
        """Note a yes to *request*: its part is sure now, and means *chosen* if the user chose."""

    @abstractmethod
    async def keep(self, step: Step) -> Result:
        """Write down *step*, which came to an outcome without anything being done."""

    @abstractmethod
    async def wait(self, request: ActionRequest, plan: Plan) -> Result:
        """Wait for the user's answer about *request*. Then the step is taken again."""

    @abstractmethod
    async def act(self, request: ActionRequest, plan: Plan) -> Result:
        """Have *request* done, which is written down as started, and what came of it."""
