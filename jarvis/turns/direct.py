"""The quick way: a plain command is understood and done without any model, key or heavy import."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from ..actions import catalogue
from ..actions.base import Action
from ..actions.hands import Hands
from ..agent.result import Usage, judge
from ..config.settings import Settings
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated, UsageError
from ..core.events import (
    Acting,
    Event,
    Failed,
    Notice,
    Observed,
    Planned,
    Question,
    TurnEnded,
    TurnStarted,
    Unsure,
)
from ..core.intent import LINE, SITE, START, TYPED, Intent, Part
from ..core.stdlib import TYPE_CHECKING
from ..core.types import APP, SEVERAL, Address, Facts, Outcome, Plan, Request, Turn, step_of, unknown
from ..launcher.command import is_line
from ..policy import guard
from ..store.addresses import nth
from ..store.history import History
from .closing import Ending, Unwritten, close

if TYPE_CHECKING:
    from ..launcher.names import Meaning
    from ..policy.approval import Pending

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
        self.usage = Usage()  # of what was asked of the model, which most turns don't
        self._part = Part("")  # none yet
        self._intent: tuple[str, ...] | None = None  # what the words ask for, once that is known
        self._shown: list[Address] = []  # the list last shown, where a line of it is meant

    async def run(
        self, words: str, action: Action, arguments: Mapping[str, str], meanings: tuple[Meaning, ...] = ()
    ) -> TurnEnded:
        """Raises UsageError, with nothing begun, for a line that is not in the list last shown."""
        await self._tell_abandoned()
        offered = next((field.name for field in action.fields if field.offered), "")
        named = arguments.get(offered, "")
        self._shown = await self._history.shown(self._settings.thread) if is_line(named) else []
        address = self._line(int(named)) if is_line(named) else None
        self._part = part_of(action, meanings, self._shown.index(address) + 1 if address else 0)
        turn = await self._history.begin(
            *(self._settings.thread, words, [named] if named and not address and not meanings else []),
            known=[(each.target, each.kind, each.name) for each in meanings if each.kind != APP],
            intent=[self._part.told],
        )
        self._intent = (self._part.told,)
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

    async def keep_intent(self, turn: Turn, told: tuple[str, ...]) -> None:
        self._intent = told
        await self._history.keep_intent(turn, told)

    # The person, as consent.Consent wants them.
    async def ask(self, question: Question) -> str:
        return self._asked(question)

    async def _tell_abandoned(self) -> None:
        """Tell what a crash left open in the thread, unless somebody is at work in it."""
        thread = self._settings.thread
        if not await self._history.has_open(thread):
            return
        from ..store.locks import FileLock

        lock = FileLock(self._settings.folders.state, thread)
        if await lock.take():
            try:
                for left in await self._history.close_abandoned(thread):
                    self.tell(Unsure(thread, *left))
            finally:
                await lock.release()

    def _line(self, number: int) -> Address:
        address = nth(self._shown, number)
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
            n=1,
            action=action.name,
            effect=action.effect,
            target=first.url,
            address="" if first.source == APP else first.id,
            ask=f"“{meanings[0].name}” can mean each of these",
            rule=SEVERAL,
            choices=ids,
            doubts=(SEVERAL,),
            part=1,
        )
        said = await self._consented(turn, request, action, {address.id: address for address in offered})
        if isinstance(said, Outcome):
            return said
        self.chose(words, said)
        meaning = next(m for m in meanings if m.target == said.target)
        address = next((a for a in turn.typed if a.id == said.address), None)
        self._part = Part(START if meaning.kind == APP else SITE, meaning.name)
        await self.keep_intent(turn, (self._part.told,))
        return await self._decided(turn, catalogue()[said.action], self._plan, address, (meaning,))

    def chose(self, words: str, request: Request) -> None:
        """From now on it is planned what they chose, and *words* mean it."""
        field = catalogue()[request.action].argument
        self._plan = Plan(request.action, {field: request.address or request.target}, finish=True)
        from ..launcher.names import remember

        remember(self._settings.folders.aliases, words, request, lambda told: self.tell(Notice(told)))

    async def _decided(
        self,
        turn: Turn,
        action: Action,
        plan: Plan,
        address: Address | None,
        meanings: tuple[Meaning, ...] = (),
    ) -> Request | Outcome:
        # The words are nothing but this: an address, its name, or a line of the list before their eyes.
        known = {address.id: address} if address else {}
        apps = apps_in(meanings)
        facts = Facts(
            {shown.id: shown for shown in self._shown} | known,
            Intent((self._part,)),
            left=(0,),
            typed=tuple(address.id for address in turn.typed if address.source == "typed"),
            shown=tuple(shown.id for shown in self._shown),
            meanings={0: apps} if apps else {},
            pictures=self._pictures,
            allowed=_allowed(self._settings, turn.thread),
            is_plain=True,
        )
        allowed = guard.authorise(action, plan.arguments, facts, _rules(self._settings))
        if isinstance(allowed, Outcome):
            return allowed
        request = allowed.request(1, action.name)
        return await self._approved(turn, request, action, known) if allowed.ask else request

    async def _approved(
        self, turn: Turn, request: Request, action: Action, known: Mapping[str, Address]
    ) -> Request | Outcome:
        said = await self._consented(turn, request, action, known)
        return said if isinstance(said, Outcome) else said._replace(rule=f"you said yes ({request.rule})")

    async def _consented(
        self, turn: Turn, request: Request, action: Action, known: Mapping[str, Address]
    ) -> Request | Outcome:
        from ..policy import rules_file
        from ..policy.approval import Consent, Memory
        from ..policy.consents import Consents

        folders = self._settings.folders
        memory = Memory(partial(rules_file.remember, folders.policy), Consents(folders.consents).allow)
        consent = Consent(turn, self, self._history.addresses.keep_typed, memory, nullcontext)
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
        status, exit_status, _ = judge(steps, actions, self._intent or ())
        if error:
            exit_status, status = error.exit_status, _status(error)
        told = Failed(error.code, error.message, error.hint) if error else None
        ending = Ending(
            turn=turn,
            goal=words,
            status=status,
            exit_status=exit_status,
            steps=steps,
            usage=self.usage._replace(seconds=round(seconds, 3)),
            error=told,
            unwritten=Unwritten(1, self._outcome) if error and steps else None,
            pending=self._pending,
            intent=self._intent,
        )
        return await close(ending, self._history, actions, self.tell)


def part_of(action: Action, meanings: Sequence[Meaning], line: int = 0) -> Part:
    """What a plain command asks for, as a reading of its words would say it.

    line: the number of the line that is meant; 0: none.
    """
    if line:
        return Part(LINE, str(line))
    if meanings:
        return Part(START if meanings[0].kind == APP else SITE, meanings[0].name)
    form = action.wants[0].form
    return Part(form, "1") if form == TYPED else Part(form)


def apps_in(meanings: Sequence[Meaning]) -> tuple[Address, ...]:
    """The apps among *meanings*, as what a part may mean."""
    apps = [meaning for meaning in meanings if meaning.kind == APP]
    return tuple(Address(f"a{n}", app.target, app.title, source=APP) for n, app in enumerate(apps, 1))


def _told_apart(app: Meaning, titles: list[str]) -> str:
    """What *app* is called, and what tells it from another of that name."""
    return app.title if titles.count(app.title) == 1 else f"{app.title} ({app.target})"


def _rules(settings: Settings) -> guard.Rules:
    """Most people have none, and need not load what reads them."""
    path = settings.folders.policy
    if not os.path.lexists(path):
        return guard.NoRules()
    from ..policy.rules_file import load

    return load(path)


def _allowed(settings: Settings, thread: str) -> frozenset[tuple[str, str, str]]:
    """What they said yes to for *thread*: most people nothing."""
    path = settings.folders.consents
    if not os.path.lexists(path):
        return frozenset()
    from ..policy.consents import Consents

    return Consents(path).allowed(thread)


def _status(error: JarvisError) -> str:
    if isinstance(error, NeedsAnswer):
        return "needs_answer"
    return "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
