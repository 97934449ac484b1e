"""The quick way: a plain command is understood and done without any model, key or heavy import."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial

from . import guard
from .actions import catalogue
from .actions.base import Action
from .ending import Ending, Unwritten, close
from .errors import Interrupted, JarvisError, NeedsAnswer, Terminated, UsageError
from .events import (
    Acting,
    Event,
    Failed,
    Notice,
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
from .turn import (
    APP,
    SAID,
    SEVERAL,
    Address,
    Facts,
    Grant,
    Outcome,
    Plan,
    Request,
    Turn,
    step_of,
    unknown,
)
from .typed import TYPE_CHECKING
from .understood import is_line

if TYPE_CHECKING:
    from .consent import Pending
    from .names import Meaning

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
        self._plan = Plan("", {})  # none yet

    async def run(
        self, words: str, action: Action, arguments: Mapping[str, str], meanings: tuple[Meaning, ...] = ()
    ) -> TurnEnded:
        """Raises UsageError, with nothing begun, for a line that is not in the list last shown."""
        await self._tell_abandoned()
        offered = next((field.name for field in action.fields if field.offered), "")
        named = arguments.get(offered, "")
        address = await self._line(int(named)) if is_line(named) else None
        turn = await self._history.begin(
            *(self._settings.thread, words, [named] if named and not address and not meanings else []),
            known=[(meaning.target, meaning.kind) for meaning in meanings if meaning.kind != APP],
        )
        if not address and action.effect == "opens":
            address = next(iter(turn.typed), None)
        plan = Plan(action.name, {**arguments, **({offered: address.id} if address else {})}, finish=True)
        target = address.url if address else " ".join(arguments.values())
        decide = partial(self._decided, turn, action, plan, address, meanings)
        if len(meanings) > 1:
            decide = partial(self._chosen, turn, words, action, plan, meanings)
        return await self.through(turn, words, action, plan, target, decide)

    async def through(
        self, turn: Turn, words: str, action: Action, plan: Plan, target: str, decide: Decide
    ) -> TurnEnded:
        """*turn*, to its end. decide: what is to be done, or what came of it without."""
        began, self._plan = time.monotonic(), plan
        error: JarvisError | None = None
        try:
            self.tell(TurnStarted(turn.thread, turn.id, words))
            self.tell(Planned(1, plan, action.effect, target))
            await self._do(turn, await decide())
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        return await self._end(turn, words, catalogue()[self._plan.action], error, time.monotonic() - began)

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
            try:
                for left in await self._history.close_abandoned(thread):
                    self.tell(Unsure(thread, *left))
            finally:
                await lock.release()

    async def _line(self, number: int) -> Address:
        address = await self._history.line(self._settings.thread, number)
        if address is None:
            which = f"line {number}" if number > 0 else "last line"
            raise UsageError(
                f"There is no {which} in the list last shown in the thread {self._settings.thread}.",
                hint="Ask something first; what is listed below the answer can be opened by its number.",
            )
        return address

    async def _chosen(
        self, turn: Turn, words: str, action: Action, plan: Plan, meanings: tuple[Meaning, ...]
    ) -> Request | Outcome:
        """Which of *meanings* they say that they mean: asked once, and remembered."""
        apps = [meaning for meaning in meanings if meaning.kind == APP]
        titles = [app.title for app in apps]
        # Sites stand before apps among the meanings, too.
        offered = [
            *turn.typed,
            *(
                Address(f"a{n}", app.target, _told_apart(app, titles), source=APP)
                for n, app in enumerate(apps, 1)
            ),
        ]
        first, ids = offered[0], tuple(address.id for address in offered)
        request = Request(
            *(1, action.name, action.effect, first.url, "" if first.source == APP else first.id),
            *(f"“{meanings[0].name}” can mean each of these", SEVERAL, ids),
        )
        said = await self._consented(turn, request, action, {address.id: address for address in offered})
        if isinstance(said, Outcome):
            return said
        self.chose(words, said)
        meaning = next(m for m in meanings if m.target == said.target)
        address = next((a for a in turn.typed if a.id == said.address), None)
        return await self._decided(turn, catalogue()[said.action], self._plan, address, (meaning,))

    def chose(self, words: str, request: Request) -> None:
        """From now on it is planned what they chose, and *words* mean it."""
        field = catalogue()[request.action].fields[0].name
        self._plan = Plan(request.action, {field: request.address or request.target}, finish=True)
        from .names import remember

        remember(self._settings.folders.aliases, words, request, lambda told: self.tell(Notice(told)))

    async def _decided(
        self,
        turn: Turn,
        action: Action,
        plan: Plan,
        address: Address | None,
        meanings: tuple[Meaning, ...] = (),
    ) -> Request | Outcome:
        # The words are nothing but this: an address or its name. By a line's number they pointed at it, with
        # all of it before their eyes.
        known = {address.id: address} if address else {}
        typed = frozenset(address.url for address in turn.typed)
        apps = {meaning.target: meaning.title for meaning in meanings if meaning.kind == APP}
        grant = Grant(opens=SAID, captures=SAID, named=typed, objects=tuple(apps), lines=(1,), is_plain=True)
        facts = Facts(known, self._pictures, tuple(known), apps=apps)
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
        said = await self._consented(turn, request, action, known)
        return said if isinstance(said, Outcome) else said._replace(rule=f"you said yes ({request.rule})")

    async def _consented(
        self, turn: Turn, request: Request, action: Action, known: Mapping[str, Address]
    ) -> Request | Outcome:
        from . import policy
        from .consent import Consent, Memory

        rules = self._settings.folders.policy
        memory = Memory(lambda *what: policy.remember(rules, *what))
        consent = Consent(turn, self, self._history, memory, nullcontext)
        try:
            said = await consent.to(request, action, known)
        except NeedsAnswer as error:
            self._pending = consent.pending
            raise NeedsAnswer(error.message, hint=consent.hint(error)) from None
        return said if isinstance(said, Outcome) else said[0]

    async def _do(self, turn: Turn, decided: Request | Outcome) -> None:
        plan = self._plan
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
        self, turn: Turn, words: str, action: Action, error: JarvisError | None, seconds: float
    ) -> TurnEnded:
        """Close the turn, however it went: in history first, then for whoever listens."""
        plan = self._plan
        actions, steps = {action.name: action}, []
        if self._outcome.state:
            steps = [step_of(1, plan, self._outcome)]
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


def _told_apart(app: Meaning, titles: list[str]) -> str:
    """What *app* is called, and what tells it from another of that name."""
    return app.title if titles.count(app.title) == 1 else f"{app.title} ({app.target})"


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
