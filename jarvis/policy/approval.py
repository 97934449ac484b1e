"""Asks the person about a step, and keeps what they say: for the step, for the thread, or for good."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..actions.base import Action
from ..core import urls
from ..core.errors import JarvisError, NeedsAnswer, Refused
from ..core.events import Asked, Event, Notice, Option, Question
from ..core.stdlib import NamedTuple
from ..core.types import APP, FILE, INSTEAD, Address, Effect, Outcome, Plan, Request, Turn
from . import questions
from .guard import names_of
from .questions import ALWAYS, EDIT, NEVER, NO, THREAD, YES, Heard
from .rules import scope
from .rules_file import Rule

_NONE = Option(NO, "none")
_NOES = ("no", "nope", "nah", "not", "never", "don't", "dont", "stop", "maybe")
_MOST = 2  # in one turn: who is asked too often says yes to anything


KeepTyped = Callable[[Turn, str], Awaitable[Address]]  # turn, url → the address, under an id of its thread


class Asks(Protocol):
    """What can ask the person."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str: ...


class Memory(NamedTuple):
    """Where a lasting answer is kept."""

    remember: Callable[[str, str, str, str], Rule]  # verdict, effect, name, doubt → the rule, read back
    allow: Callable[[str, str, str, str], None]  # thread, effect, name, doubt


class Approved(NamedTuple):
    """What the person said yes to: another address or app, perhaps, than was planned."""

    request: Request
    plan: Plan
    typed: Address | None = None  # in place of the address that they were asked about


class Pending(NamedTuple):
    """A question that was asked and not answered yet, and what it is about."""

    question: Question
    request: Request
    addresses: tuple[Address, ...]

    def as_record(self) -> dict[str, Any]:
        """Return all that it takes to carry out an answer that comes later."""
        addresses = [address._asdict() for address in self.addresses]
        return {**self.question.as_record(), "request": self.request.as_record(), "addresses": addresses}


class Approval:
    def __init__(
        self,
        turn: Turn,
        front: Asks,
        actions: Mapping[str, Action],
        keep_typed: KeepTyped,
        memory: Memory,
        away: Callable[[], AbstractContextManager[None]],
        settle: Callable[[Request, Address | None], None] = lambda request, chosen: None,
    ) -> None:
        """away: around waiting for the person, which is not our time.

        settle: is told what they said yes to, and what they chose or typed in its place.
        """
        self.pending: Pending | None = None
        self.instead = ""  # what they said to do instead of answering
        self._settle = settle
        self._turn = turn
        self._front = front
        self._actions = actions
        self._keep_typed = keep_typed
        self._away = away
        self._memory = memory
        self._asked = 0
        self._given: set[str] = set()  # the digests of what they said yes to, each for one time

    async def to(self, request: Request, plan: Plan, known: Mapping[str, Address]) -> Approved | Outcome:
        """Ask about *request*; return their yes, or an outcome. known: what they may choose from, by id.

        Raises NeedsAnswer where there is nobody to ask, Refused where they would be asked too often.
        """
        question = self._question(request, known)
        about = tuple(known[id_] for id_ in (*request.choices, request.opened) if id_ in known)
        self.pending = Pending(question, request, about)
        said = questions.hear(question, await self._answer(request.n, question))
        return await self.heeded(said, request, plan, known)

    async def heeded(
        self, said: Heard, request: Request, plan: Plan, known: Mapping[str, Address]
    ) -> Approved | Outcome:
        """Return what comes of the answer *said* to the question about *request*."""
        chosen: Address | None = None
        if said.option.isdigit():
            chosen = known[questions.choosable(request, known)[int(said.option) - 1]]
        elif said.option == EDIT:
            chosen = await self._edited(request, said)
            if chosen is None:
                return self._declined(request, "what was typed instead is no address")
        elif said.option in (THREAD, ALWAYS, NEVER):
            self._keep(request, said.option)
        if said.option in (NO, NEVER, ""):
            self.instead = said.text if _is_other(said.text) else ""
            return self._declined(request, "you were asked, and did not say yes", said.text)
        self._settle(request, chosen)
        approved = meant(request, chosen) if chosen else request
        self._given.add(questions.digest(self._turn, approved))
        if chosen:
            argument = self._actions[approved.action].argument
            named = {argument: approved.opened or approved.effect.told}
            plan = plan._replace(action=approved.action, arguments=named)
        approved = approved._replace(rule=f"you said yes ({request.rule})")
        return Approved(approved, plan, None if request.choices else chosen)

    def hint(self, error: JarvisError) -> str:
        """Return how to answer later, where *error* says that nobody could be asked; else nothing."""
        if (
            not isinstance(error, NeedsAnswer)
            or not self.pending
            or self.pending.request.effect.kind == "reads"
        ):
            return ""
        return f"To answer: jarvis --answer {self.pending.question.id}={self.pending.question.options[0].id}"

    def used(self, request: Request) -> bool:
        """Return whether they said yes to exactly *request*, and use that yes up."""
        digest = questions.digest(self._turn, request) if self._given else ""
        if digest not in self._given:
            return False
        self._given.remove(digest)
        return True

    def _question(self, request: Request, known: Mapping[str, Address]) -> Question:
        if len(questions.choosable(request, known)) > 1:
            return questions.choice(self._turn, request, known)
        return questions.approval(self._turn, request)

    async def _answer(self, n: int, question: Question) -> str:
        self._asked += 1
        if self._asked > _MOST:
            raise Refused("This was the third question in one turn.", hint="Say which one you mean.")
        self._front.tell(Asked(n, question))
        with self._away():
            answer = await self._front.ask(question)
        self.pending = None
        return answer

    async def _edited(self, request: Request, said: Heard) -> Address | None:
        """Return the address that they typed in place of the one that they were shown."""
        text = said.text
        if not text:
            which = Question(f"q{request.n}-edit", "edit", "Which address instead?", (_NONE,))
            with self._away():
                text = await self._front.ask(which)
        url = urls.typed(text.strip())
        return await self._keep_typed(self._turn, url) if url else None

    def _keep(self, request: Request, option: str) -> None:
        """Keep a lasting yes, for exactly this host or app and these doubts; or a lasting no to it."""
        # An app by what its menu calls it, so that the rule can be read, and holds for plain commands too.
        kind = request.effect.kind
        name = request.effect.title or (*names_of(request.effect), "")[0]
        for doubt in request.doubts if option != NEVER else ("",):
            if option == THREAD:
                self._allow(kind, name, doubt)
            else:
                self._remember("allow" if option == ALWAYS else "deny", kind, name, doubt)

    def _allow(self, effect: str, name: str, doubt: str) -> None:
        thread = self._turn.thread
        try:
            self._memory.allow(thread, effect, name, doubt)
        except JarvisError as error:  # what they said counts, now
            self._front.tell(Notice(f"{error.message} It counts this once."))
            return
        what = f"{scope(effect, name)}, for: {doubt}"
        self._front.tell(Notice(f"In the thread {thread} you won't be asked again: {what}."))

    def _remember(self, verdict: str, effect: str, name: str, doubt: str) -> None:
        try:
            rule = self._memory.remember(verdict, effect, name, doubt)
        except JarvisError as error:  # what they said counts, now
            self._front.tell(Notice(f"{error.message} It counts this once."))
            return
        told = f"Saved rule {rule.number}: {rule.told} (policy.toml)."
        self._front.tell(Notice(f"{told} To undo it: jarvis policy rm {rule.number}"))

    def _declined(self, request: Request, why: str, instead: str = "") -> Outcome:
        action = self._actions[request.action]
        other = f" They said instead: {instead[:500]}" if instead else ""
        return Outcome(
            state="declined",
            text=f"{action.not_done(request.effect.told)}: {why}.{other}",
            value=request.effect.target,
            code=INSTEAD if _is_other(instead) else "declined",
            exit_status=Refused.exit_status,
            rule=request.rule,
            part=request.part,
        )


def _is_other(instead: str) -> bool:
    """Return whether *instead* says what to do instead, and is not just another way to say no."""
    words = instead.lower().replace(",", " ").split()
    return len(words) > 1 and words[0].strip(".!") not in _NOES


def meant(request: Request, chosen: Address) -> Request:
    """Return *request* for what was *chosen*: an address, or an app that goes by the same name."""
    if chosen.source == APP:
        return request._replace(action="open_app", effect=Effect("launches", chosen.url, title=chosen.title))
    opening = Effect("opens", chosen.url, address=chosen)
    return request._replace(action="open_file" if chosen.source == FILE else "open_website", effect=opening)


__all__ = ["YES", "Approval", "Approved", "Memory", "Pending", "meant"]
