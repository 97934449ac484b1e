"""Has the person's yes for one turn: asks, heeds what they say, and keeps what they say for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import approval, urls
from .actions.base import Action
from .approval import ALWAYS, EDIT, NEVER, NO, THREAD, YES, Said
from .clock import Clock
from .errors import JarvisError, Refused
from .events import Asked, Notice, Option, Question
from .front import Front
from .guard import names_of
from .policy import Rule
from .store.history import History
from .turn import Address, Effect, Outcome, Request, Turn

_NONE = Option(NO, "none")
_MOST = 2  # in one turn: who is asked too often says yes to anything

Remember = Callable[[str, str, str], Rule]  # verdict, effect, name → the rule as it was read back


class Consent:
    def __init__(self, turn: Turn, front: Front, history: History, clock: Clock, remember: Remember) -> None:
        self.question: Question | None = None  # that was asked and not answered yet
        self._turn = turn
        self._front = front
        self._history = history
        self._clock = clock
        self._remember = remember
        self._asked = 0
        self._given: set[str] = set()  # the digests of what they said yes to, each for one time

    async def to(
        self, request: Request, action: Action, known: Mapping[str, Address]
    ) -> tuple[Request, Address | None] | Outcome:
        """What they said yes to, which may be another address than was planned; or what came of asking.

        Raises NeedsAnswer where there is nobody to ask, Refused where they would be asked too often.
        """
        question = self._question(request, known)
        said = approval.understood(question, await self._answer(request.n, question))
        address: Address | None = None
        if question.kind == "choice" and said.option.isdigit():
            address = known[request.choices[int(said.option) - 1]]
        elif said.option == EDIT:
            address = await self._edited(request, said)
            if address is None:
                return self._declined(request, action, "what was typed instead is no address")
        elif said.option in (THREAD, ALWAYS, NEVER):
            await self._keep(request, said.option)
        if said.option in (NO, NEVER, ""):
            return self._declined(request, action, "you were asked, and did not say yes", said.text)
        approved = request._replace(target=address.url, address=address.id) if address else request
        self._given.add(approval.digest(self._turn, approved))
        return approved, address

    def used(self, request: Request) -> bool:
        """Whether they said yes to exactly *request*; from now on they have not."""
        digest = approval.digest(self._turn, request)
        if digest not in self._given:
            return False
        self._given.remove(digest)
        return True

    def _question(self, request: Request, known: Mapping[str, Address]) -> Question:
        if len([id_ for id_ in request.choices if id_ in known]) > 1:
            return approval.choice(self._turn, request, known)
        return approval.approval(self._turn, request)

    async def _answer(self, n: int, question: Question) -> str:
        self._asked += 1
        if self._asked > _MOST:
            raise Refused("This was the third question in one turn.", hint="Say which one you mean.")
        self.question = question
        self._front.tell(Asked(n, question))
        with self._clock.away():
            answer = await self._front.ask(question)
        self.question = None
        return answer

    async def _edited(self, request: Request, said: Said) -> Address | None:
        """The address that they typed in place of the one that they were shown."""
        text = said.text
        if not text:
            which = Question(f"q{request.n}-edit", "edit", "Which address instead?", (_NONE,))
            with self._clock.away():
                text = await self._front.ask(which)
        url = urls.typed(text.strip())
        return await self._history.addresses.keep_typed(self._turn, url) if url else None

    async def _keep(self, request: Request, option: str) -> None:
        """A yes or no that lasts, for exactly this host or app; what was kept is told."""
        (name,) = names_of(Effect(request.effect, request.target))
        what = f"{request.effect} {name}"
        if option == THREAD:
            await self._history.allow(self._turn.thread, request.effect, name)
            self._front.tell(Notice(f"In the thread {self._turn.thread} you won't be asked again: {what}."))
            return
        try:
            rule = self._remember("allow" if option == ALWAYS else "deny", request.effect, name)
        except JarvisError as error:  # what they said counts, now
            self._front.tell(Notice(f"{error.message} It counts this once."))
            return
        told = f"Saved rule {rule.number}: {rule.verdict} {rule.effect} {rule.name} (policy.toml)."
        self._front.tell(Notice(f"{told} To undo it: jarvis policy rm {rule.number}"))

    def _declined(self, request: Request, action: Action, why: str, instead: str = "") -> Outcome:
        other = f" They said instead: {instead[:500]}" if instead else ""
        text = f"{action.not_done(request.target)}: {why}.{other}"
        return Outcome("declined", text, code="declined", exit_status=Refused.exit_status, rule=request.rule)


__all__ = ["YES", "Consent", "Remember"]
