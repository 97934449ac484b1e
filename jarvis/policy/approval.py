"""Asks the person about a step, and keeps what they say: for the step, or for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..actions import Action
from ..core import urls
from ..core.errors import JarvisError, Refused
from ..core.events import Asked, Event, Notice, Question
from ..core.types import APP, DECLINED, FILE, INSTEAD, Address, Effect, Outcome, Plan, Request, Turn
from . import questions
from .questions import ALWAYS, EDIT, NEVER, NO, Decision
from .rules import Rule

_UNDONE = {
    "reads": "Not looked up",
    "keeps": "Not kept",
    "opens": "Not opened",
    "launches": "Not started",
    "captures": "Not taken",
}
_NAMED = ("reads", "opens", "launches")  # the effects whose target people know by name
_NOES = ("no", "nope", "nah", "not", "never", "don't", "dont", "stop", "maybe")
_MOST = 2  # in one turn: who is asked too often says yes to anything


Remember = Callable[[str, str, str, str], Rule]  # verdict, effect, name, doubt → the rule, with its number
# What they said yes to, another address or app perhaps than was planned, with its plan; or how it ended.
Said: TypeAlias = tuple[Request, Plan] | Outcome


class Asks(Protocol):
    """What can ask the person."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str: ...


class Pending(NamedTuple):
    """A question that was asked and not answered yet, and what it is about."""

    question: Question
    step: int
    part: int  # as in Request

    def as_record(self) -> dict[str, Any]:
        """Return all that it takes to find what an answer is about that comes later."""
        return {**self.question.as_record(), "step": self.step, "part": self.part}


class Approval:
    def __init__(
        self,
        turn: Turn,
        front: Asks,
        actions: Mapping[str, Action],
        remember: Remember,
        away: Callable[[], AbstractAsyncContextManager[None]],
        settle: Callable[[Request, Address | None, bool], None] = lambda request, chosen, for_good: None,
    ) -> None:
        """away: around waiting for the person, which is not our time.

        settle: is told what they said yes to, what they chose, and whether the name means it from now on.
        """
        self.pending: Pending | None = None
        self.instead = ""  # what they said to do instead of answering
        self._settle = settle
        self.turn = turn
        self._front = front
        self._actions = actions
        self._away = away
        self._remember = remember
        self._asked = 0

    async def to(self, request: Request, plan: Plan, known: Mapping[str, Address]) -> Said:
        """Ask about *request*; return their yes, or an outcome. known: what they may choose from, by id.

        Raises NeedsAnswer where there is nobody to ask, Refused where they would be asked too often.
        """
        said = await self.ask(request, known)
        return self.heeded(questions.read_answer(self.question(request, known), said), request, plan, known)

    async def ask(self, request: Request, known: Mapping[str, Address]) -> str:
        """Ask about *request* and return what they say. known, errors: as of `to`."""
        question = self.question(request, known)
        self.pending = Pending(question, request.n, request.part)
        self._asked += 1
        if self._asked > _MOST:
            raise Refused("This was the third question in one turn.", hint="Say which one you mean.")
        self._front.tell(Asked(request.n, question))
        async with self._away():
            answer = await self._front.ask(question)
        self.pending = None
        return answer

    def heeded(self, said: Decision, request: Request, plan: Plan, known: Mapping[str, Address]) -> Said:
        """Return what comes of the answer *said* to the question about *request*."""
        chosen: Address | None = None
        if said.option.isdigit():
            chosen = known[questions.choosable(request, known)[int(said.option) - 1]]
        elif said.option in (ALWAYS, NEVER):
            self._keep(request, said.option)
        if said.option in (NO, NEVER, EDIT, ""):
            # What comes in place of a key may be another way to say no.
            is_other = said.option == EDIT or len(said.text.split()) > 1
            return self._refused(request, said.text, is_other=is_other)
        self._settle(request, chosen, said.for_good)
        approved = meant(request, chosen) if chosen else request
        if chosen:
            argument = self._actions[approved.action].argument
            named = {argument: approved.opened or approved.effect.told}
            plan = plan._replace(action=approved.action, arguments=named)
        approved = approved._replace(rule=f"you said yes ({request.rule})")
        return approved, plan

    def question(self, request: Request, known: Mapping[str, Address]) -> Question:
        """Return the question about *request*. known: what they may choose from, by id."""
        if len(questions.choosable(request, known)) > 1:
            return questions.choice(self.turn, request, known)
        return questions.approval(self.turn, request)

    def _keep(self, request: Request, option: str) -> None:
        """Keep a lasting yes, for exactly this host or app and these doubts; or a lasting no to it."""
        for doubt in request.doubts if option == ALWAYS else ("",):
            try:
                verdict, kind = "allow" if option == ALWAYS else "deny", request.effect.kind
                rule = self._remember(verdict, kind, questions.name_in(request), doubt)
            except JarvisError as error:  # what they said counts, now
                self._front.tell(Notice(f"{error.message} It counts this once."))
                continue
            told = f"Saved rule {rule.number}: {rule.told} (policy.txt)."
            undo = f"To undo it: jarvis policy rm {rule.number}"
            self._front.tell(Notice(f"{told} {undo}", must_know=True))

    def _refused(self, request: Request, text: str, *, is_other: bool) -> Outcome:
        """Return the outcome of a no. text: what they said. is_other: that may say what to do instead."""
        said = text.lower().replace(",", " ").split()
        self.instead = text if is_other and said and said[0].strip(".!") not in _NOES else ""
        if urls.typed(self.instead):  # by itself it says the same
            self.instead = f"open {self.instead}"
        return Outcome(
            state="declined",
            text=f"{self._undone(request)}. {_no_to(request, text)}",
            value=request.effect.target,
            code=INSTEAD if self.instead else DECLINED,
            exit_status=Refused.exit_status,
            rule=request.rule,
            part=request.part,
        )

    def _undone(self, request: Request) -> str:
        if self._actions[request.action].searches:
            return "Not searched"
        return _UNDONE.get(request.effect.kind, "Not done")


def _no_to(request: Request, text: str) -> str:
    """Return what they said, in words. text: what they said in place of a key."""
    if text:
        return f"You said instead: {text[:500]}"
    if request.choices:
        return "You chose none of them."
    return f"You said no to {request.effect.told}." if request.effect.kind in _NAMED else "You said no."


def meant(request: Request, chosen: Address) -> Request:
    """Return *request* for what was *chosen*: an address, or an app that goes by the same name."""
    if chosen.source == APP:
        return request._replace(action="open_app", effect=Effect("launches", chosen.url, title=chosen.title))
    opening = Effect("opens", chosen.url, address=chosen)
    return request._replace(action="open_file" if chosen.source == FILE else "open_website", effect=opening)
