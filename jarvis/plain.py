"""The quick way: a plain command is understood and done without any model, key or heavy import."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from . import guard, urls
from .actions.base import Action
from .ending import Ending, Unwritten, close
from .errors import Interrupted, JarvisError, NeedsAnswer, Terminated, UsageError
from .events import (
    Acting,
    Event,
    Failed,
    Observed,
    Planned,
    Question,
    Replied,
    TurnEnded,
    TurnStarted,
    Unsure,
)
from .hands import Hands
from .settings import Settings
from .store.history import History
from .summary import Usage, judge
from .turn import SAID, Address, Facts, Grant, Outcome, Plan, Request, Step, Turn, unknown

if TYPE_CHECKING:
    from .consent import Pending

Decide = Callable[[], Awaitable[Request | Outcome]]


class PlainTurn:
    """A turn without the loop: the same guard, history, records and exit status."""

    def __init__(
        self,
        history: History,
        hands: Hands,
        settings: Settings,
        pictures: str,
        tell: Callable[[Event], None],
        ask: Callable[[Question], str],
    ) -> None:
        """ask: what the person says to a question. Raises NeedsAnswer where there is nobody to ask."""
        self._history = history
        self._hands = hands
        self._settings = settings
        self._pictures = pictures
        self._asked = ask
        self.tell = tell
        self._outcome = Outcome("", "")  # none yet
        self._pending: Pending | None = None

    async def run(self, words: str, action: Action, arguments: Mapping[str, str]) -> TurnEnded:
        """Raises UsageError, with nothing begun, for a line that is not in the list last shown."""
        await self._tell_abandoned()
        offered = next((field.name for field in action.fields if field.offered), "")
        named = arguments.get(offered, "")
        address = await self._line(int(named)) if named.isdigit() else None
        turn = await self._history.begin(
            self._settings.thread, words, [named] if named and not address else []
        )
        address = address or next(iter(turn.typed), None)
        plan = Plan(action.name, {**arguments, **({offered: address.id} if address else {})}, finish=True)
        target = address.url if address else " ".join(arguments.values())
        decide = partial(self._decided, turn, action, plan, address)
        return await self.through(turn, words, action, plan, target, decide)

    async def through(
        self, turn: Turn, words: str, action: Action, plan: Plan, target: str, decide: Decide
    ) -> TurnEnded:
        """*turn*, to its end. decide: what is to be done, or what came of it without."""
        began = time.monotonic()
        error: JarvisError | None = None
        try:
            self.tell(TurnStarted(turn.thread, turn.id, words))
            self.tell(Planned(1, plan, action.effect, target))
            await self._do(turn, plan, await decide())
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        return await self._end(turn, words, action, plan, error, time.monotonic() - began)

    # The person, as consent.Consent wants them.
    async def ask(self, question: Question) -> str:
        return self._asked(question)

    async def _tell_abandoned(self) -> None:
        """Tell what a crash left open in the thread, unless somebody is at work in it."""
        thread = self._settings.thread
        if not await self._history.has_open(thread):
            return
        from .store.locks import FileLock

        lock = FileLock(self._settings.folders.state, thread)
        if await lock.take():
            for left in await self._history.close_abandoned(thread):
                self.tell(Unsure(thread, *left))
            await lock.release()

    async def _line(self, number: int) -> Address:
        address = await self._history.line(self._settings.thread, number)
        if address is None:
            raise UsageError(
                f"There is no line {number} in the list last shown in the thread {self._settings.thread}.",
                hint="Ask something first; what is listed below the answer can be opened by its number.",
            )
        return address

    async def _decided(
        self, turn: Turn, action: Action, plan: Plan, address: Address | None
    ) -> Request | Outcome:
        # The words are nothing but this. By its number they pointed at it, with all of it before their eyes.
        known = {address.id: address} if address else {}
        typed = frozenset(address.url for address in turn.typed)
        grant = Grant(opens=SAID, captures=SAID, named=typed, lines=(1,), is_plain=True)
        facts = Facts(known, self._pictures, tuple(known))
        allowed = guard.authorise(action, plan.arguments, grant, facts, _rules(self._settings))
        if isinstance(allowed, Outcome):
            return allowed
        request = Request(
            *(1, action.name, allowed.effect.kind, allowed.effect.target, address.id if address else ""),
            *(allowed.ask, allowed.rule),
        )
        return await self._approved(turn, request, action, known) if allowed.ask else request

    async def _approved(
        self, turn: Turn, request: Request, action: Action, known: Mapping[str, Address]
    ) -> Request | Outcome:
        from . import policy
        from .consent import Consent, Memory

        rules = self._settings.folders.policy
        memory = Memory(lambda *what: policy.remember(rules, *what), self._history.allow)
        names = {("opens", urls.canon(request.target).host)} if request.effect == "opens" else set()
        if names & await self._history.allowed(turn.thread):
            return request._replace(rule="you said yes for this thread")
        consent = Consent(turn, self, self._history, memory, nullcontext)
        try:
            said = await consent.to(request, action, known)
        except NeedsAnswer as error:
            self._pending = consent.pending
            raise NeedsAnswer(error.message, hint=consent.hint(error)) from None
        return said if isinstance(said, Outcome) else said[0]._replace(rule=f"you said yes ({request.rule})")

    async def _do(self, turn: Turn, plan: Plan, decided: Request | Outcome) -> None:
        target, opened = decided[3:5] if isinstance(decided, Request) else (decided.value, "")
        await self._history.start_step(turn, 1, plan.action, plan.arguments, target, decided.rule, plan.text)
        if isinstance(decided, Request):
            self._perform(decided)
        else:
            self._outcome = decided
        await self._history.end_step(turn, 1, self._outcome, opened)

    def _perform(self, request: Request) -> None:
        self.tell(Acting(request))
        # Until they have answered, nobody knows.
        self._outcome = unknown(request.action, request.target)
        self._outcome = self._hands.perform(request)

    async def _end(
        self, turn: Turn, words: str, action: Action, plan: Plan, error: JarvisError | None, seconds: float
    ) -> TurnEnded:
        """Close the turn, however it went: in history first, then for whoever listens."""
        actions, steps = {action.name: action}, []
        if self._outcome.state:
            steps = [Step(1, plan.action, plan.arguments, *self._outcome[:6])]
            self.tell(Observed(1, action.name, action.effect, self._outcome))
        status, exit_status, _ = judge(steps, actions, words)
        if error:
            exit_status, status = error.exit_status, _status(error)
        told = Failed(error.code, error.message, error.hint) if error else None
        ending = Ending(
            *(turn, words, status, exit_status, steps, Usage(seconds=round(seconds, 3)), Replied(""), told),
            Unwritten(1, self._outcome) if error and steps else None,
            self._pending,
        )
        return await close(ending, self._history, actions, self.tell)


def _rules(settings: Settings) -> guard.Rules:
    """Most people have none, and need not load what reads them."""
    path = settings.folders.policy
    if not os.path.lexists(path):
        return guard.NoRules()
    from .policy import load

    return load(path)


def _status(error: JarvisError) -> str:
    if isinstance(error, NeedsAnswer):
        return "needs_answer"
    return "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
