"""A turn without the loop: a plain command, done without any model, key or heavy import."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from ..actions import Hands, catalogue
from ..agent.result import Ending, Usage, judge
from ..config.settings import Settings
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated, UsageError
from ..core.events import Event, Notice, Planned, Question, TurnEnded, TurnFailed, TurnStarted, Unsure
from ..core.intent import SITE, START, Intent
from ..core.stdlib import TYPE_CHECKING
from ..core.types import APP, Address, Facts, Outcome, Plan, Request, Turn
from ..launcher.command import Meant, commanded, is_line, part_of
from ..policy import guard
from ..store.addresses import nth
from ..store.history import History
from .steps import Ask, StepRunner, close, settled

if TYPE_CHECKING:  # few are asked about
    from ..policy.approval import Approval, Approved

CarryOut = Callable[[StepRunner], Awaitable[object]]


class DirectTurn:
    """One plain turn. Implements steps.Person, and approval.Asks."""

    def __init__(
        self,
        history: History,
        hands: Hands,
        settings: Settings,
        tell: Callable[[Event], None],
        ask: Callable[[Question], str],
    ) -> None:
        """ask: what the person says to a question. Raises NeedsAnswer where there is nobody to ask."""
        self.facts = Facts({})  # what is known of the words, as soon as it is
        self.usage = Usage()  # of what was asked of the model, which most turns don't
        self.approval: Approval | None = None  # once they were asked
        self.tell = tell
        self._history = history
        self._hands = hands
        self._settings = settings
        self._asked = ask
        self._turn = Turn("", "", 0, ())  # none yet
        self._words = ""

    async def run(self, words: str, meant: Meant) -> TurnEnded:
        """Do what *meant* says. Raises UsageError, with nothing begun, for a line that is not listed."""
        await self._tell_abandoned()
        action, meanings = meant.action, meant.meanings
        offered = next((field.name for field in action.fields if field.offered), "")
        named = meant.arguments.get(offered, "")
        shown = await self._history.shown(self._settings.thread) if is_line(named) else []
        address = self._line(shown, int(named)) if is_line(named) else None
        part = part_of(meant, shown.index(address) + 1 if address else 0)
        turn = await self._history.begin(
            self._settings.thread,
            words,
            [named] if named and not address and not meanings else [],
            known=[(each.target, each.kind, each.name) for each in meanings if each.kind != APP],
            intent=[part.told],
        )
        if not address and action.effect == "opens":
            address = next(iter(turn.typed), None)
        self.facts = commanded(meant, part, self._known(turn, shown, action.effect), turn.typed)
        plan = Plan(
            action.name, {**meant.arguments, **({offered: address.id} if address else {})}, finish=True
        )
        target = address.url if address else " ".join(meant.arguments.values())

        async def carry_out(steps: StepRunner) -> None:
            await steps.run(plan, steps.authorise(1, plan))

        return await self.through(turn, words, plan, target, carry_out)

    async def through(
        self,
        turn: Turn,
        words: str,
        plan: Plan,
        target: str,
        carry_out: CarryOut,
        ask: Ask | None = None,
    ) -> TurnEnded:
        """Take *turn* to its end. target: what *plan* acts on, in words. ask: instead of the person."""
        began, self._turn, self._words = time.monotonic(), turn, words
        steps = StepRunner(
            turn,
            person=self,
            history=self._history,
            actions=catalogue(),
            facts=lambda: self.facts,
            policy=self._policy,
            ask=ask or self.asked,
            approval=lambda: self.approval,
        )
        error: JarvisError | None = None
        try:
            self.tell(TurnStarted(turn.thread, turn.id, words))
            self.tell(Planned(1, plan, catalogue()[plan.action].effect, target))
            await carry_out(steps)
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        await steps.break_off()
        return await self._end(steps, error, time.monotonic() - began)

    async def ask(self, question: Question) -> str:
        return self._asked(question)

    async def act(self, request: Request) -> Outcome:
        return self._hands.perform(request)

    async def asked(self, request: Request, plan: Plan, known: Mapping[str, Address]) -> Approved | Outcome:
        """Ask the person about *request*, and return what they say."""
        approval = self.approval = self.approval or self.approves()
        told = self.facts.intent
        try:
            said = await approval.to(request, plan, known)
        except NeedsAnswer as error:
            raise NeedsAnswer(error.message, hint=approval.hint(error)) from None
        if self.facts.intent and self.facts.intent != told:
            await self.keep_intent(self.facts.intent)
        return said

    def approves(self) -> Approval:
        """Return what asks the person in this turn, and keeps what they say for good."""
        # Few are asked.
        from ..policy import rules_file
        from ..policy.approval import Approval, Memory
        from ..policy.consents import Consents

        folders = self._settings.folders
        memory = Memory(partial(rules_file.remember, folders.policy), Consents(folders.consents).allow)
        keep_typed = self._history.addresses.keep_typed
        return Approval(self._turn, self, catalogue(), keep_typed, memory, nullcontext, self._settle)

    async def keep_intent(self, intent: Intent | None) -> None:
        self.facts = self.facts._replace(intent=intent)
        await self._history.keep_intent(self._turn, intent.told if intent else ())

    def _settle(self, request: Request, chosen: Address | None, for_good: bool) -> None:
        """Note that they said yes to *request*, or to what they chose or typed in its place.

        for_good: the name is to mean what they chose from now on.
        """
        if chosen is None:
            return
        self.facts = settled(self.facts, request, chosen)
        intent = self.facts.intent
        if request.choices and intent and intent.is_command:
            form = START if chosen.source == APP else SITE
            part = intent.parts[0]._replace(form=form)
            self.facts = self.facts._replace(intent=Intent.of_command(part))
        if for_good:
            from ..launcher.names import remember_name  # few names are to mean one thing from now on

            file, tell = self._settings.folders.aliases, self.tell
            remember_name(file, self._words, chosen, lambda told: tell(Notice(told)))

    async def _tell_abandoned(self) -> None:
        """Tell what a crash left open in the thread, unless somebody is at work in it."""
        thread = self._settings.thread
        if not await self._history.has_open(thread):
            return
        from ..store.locks import FileLock  # few turns are left open

        lock = FileLock(self._settings.folders.state, thread)
        if await lock.take():
            try:
                for left in await self._history.close_abandoned(thread):
                    self.tell(Unsure(thread, left.turn, left.n, left.action, left.target))
            finally:
                await lock.release()

    def _line(self, shown: Sequence[Address], number: int) -> Address:
        address = nth(shown, number)
        if address is None:
            which = f"line {number}" if number > 0 else "last line"
            raise UsageError(
                f"There is no {which} in the list last shown in the thread {self._settings.thread}.",
                hint="Ask something first; what is listed below the answer can be opened by its number.",
            )
        return address

    def pictures(self, effect: str) -> str:
        """Return the folder for pictures, for an action that takes one: it is read from a file."""
        return self._hands.pictures() if effect == "captures" else ""

    def _known(self, turn: Turn, shown: Sequence[Address], effect: str) -> Facts:
        return Facts(
            {address.id: address for address in (*turn.typed, *shown)},
            typed=tuple(address.id for address in turn.typed if address.source == "typed"),
            shown=tuple(address.id for address in shown),
            pictures=self.pictures(effect),
            allowed=_allowed(self._settings, turn.thread),
        )

    def _policy(self) -> guard.Rules:
        path = self._settings.folders.policy
        if not os.path.lexists(path):
            return guard.NoRules()
        from ..policy.rules_file import load_rules  # most people have none

        return load_rules(path)

    async def _end(self, runner: StepRunner, error: JarvisError | None, seconds: float) -> TurnEnded:
        """Close the turn, however it went: in history first, then for the front end."""
        actions, intent = catalogue(), self.facts.intent
        told = intent.told if intent else None
        judged = judge(runner.steps, actions, told or ())
        ending = Ending(
            turn=self._turn,
            goal=self._words,
            status=_status(error) if error else judged.status,
            exit_status=error.exit_status if error else judged.exit_status,
            steps=runner.steps,
            usage=self.usage._replace(seconds=round(seconds, 3)),
            error=TurnFailed(error.code, error.message, error.hint) if error else None,
            intent=told,
        )
        pending = self.approval.pending if self.approval and isinstance(error, NeedsAnswer) else None
        return await close(
            ending, self._history, actions, self.tell, unwritten=runner.unwritten, pending=pending
        )


def _allowed(settings: Settings, thread: str) -> frozenset[tuple[str, str, str]]:
    """Return what they allowed for *thread*: most people nothing."""
    path = settings.folders.consents
    if not os.path.lexists(path):
        return frozenset()
    from ..policy.consents import Consents  # most people gave none

    return Consents(path).allowed(thread)


def _status(error: JarvisError) -> str:
    if isinstance(error, NeedsAnswer):
        return "needs_answer"
    return "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
