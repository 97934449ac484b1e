"""A turn without the loop: a plain command, done without any model, key or heavy import."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from ..actions import Hands, catalogue
from ..actions.base import Action
from ..agent.result import Ending, Usage, judge
from ..config.settings import Settings
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated, WouldRun
from ..core.events import Event, Notice, Planned, Question, Tabled, TurnEnded, TurnFailed, TurnStarted, Unsure
from ..core.intent import Intent
from ..core.types import Address, Facts, Outcome, Plan, Request, Step, Turn
from ..launcher.meant import Meant, part_chosen
from ..policy import guard
from ..store.history import History
from .commanded import Planning, allowed_in, begin, left_in, settled, with_folder
from .ending import close
from .steps import Ask, StepRunner

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
        has_shown: Callable[[], bool] = lambda: True,
    ) -> None:
        """ask: what the person says to a question. Raises NeedsAnswer where there is nobody to ask.

        has_shown: whether all that was told so far was shown.
        """
        self.facts = Facts({})  # what is known of the words, as soon as it is
        self.usage = Usage()  # of what was asked of the model, which most turns don't
        self.approval: Approval | None = None  # once they were asked
        self.tables: tuple[Tabled, ...] = ()  # that it listed
        self.actions: Mapping[str, Action] = catalogue()
        self.tell = tell
        self._history = history
        self._hands = hands
        self._settings = settings
        self._asked = ask
        self._has_shown = has_shown
        self._left: list[Unsure] = []  # what was told of earlier turns
        self._turn = Turn("", "", 0, ())  # none yet
        self._words = ""

    async def run(self, words: str, meant: Meant) -> TurnEnded:
        """Do what *meant* says. Raises UsageError, with nothing begun, for a line that is not listed."""
        thread, folders = self._settings.thread, self._settings.folders
        self.tell_left(await left_in(thread, self._history, folders.state))
        begun = await begin(words, meant, self._history, thread)
        captures = [each.action.effect for each in meant.each if each.action.effect == "captures"]
        self.facts = begun.facts._replace(
            pictures=self.pictures("".join(captures)), allowed=allowed_in(thread, folders.consents)
        )
        first = begun.each[0]

        async def carry_out(steps: StepRunner) -> None:
            await self._each(steps, begun.each)

        return await self.through(begun.turn, words, first.plan, first.target, carry_out)

    def tell_left(self, left: Sequence[Unsure]) -> None:
        """Tell what is not known of earlier turns."""
        self._left += left
        for unsure in left:
            self.tell(unsure)

    async def _each(self, steps: StepRunner, each: Sequence[Planning]) -> None:
        """Carry out one plan after the other, whatever came of those before it.

        Raises NeedsAnswer once all others are done, where nobody could be asked about one.
        """
        waiting: NeedsAnswer | None = None
        asked: Approval | None = None
        n = 0
        for place, (plan, target) in enumerate(each):
            n += 1
            if place:
                self._tell_plan(n, plan, target)
            self.facts = self.facts._replace(left=(place,))
            try:
                outcome = await steps.run(plan, steps.authorise(n, plan))
                if outcome.code == WouldRun.code:
                    n += 1
                    await self._offer_folder(steps, n, plan, target)
            except NeedsAnswer as error:
                if waiting is None:
                    waiting, asked = error, self.approval
                else:
                    await steps.keep(Step(n, plan, _also_asked(plan, target, error)))
                self.approval = None  # a turn keeps one question: the first
        if waiting:
            self.approval = asked
            raise waiting

    async def _offer_folder(self, steps: StepRunner, n: int, plan: Plan, path: str) -> None:
        """Ask whether to open the folder of *path*, which was refused; nothing, where nobody can be asked."""
        before = self.facts
        self.facts, folder = with_folder(self.facts, path)
        plan = plan._replace(arguments=dict.fromkeys(plan.arguments, folder))
        decided = steps.authorise(n, plan)
        if isinstance(decided, Request):
            decided = decided._replace(ask=f"{path} might run, so it is not opened; this is its folder")
        with suppress(NeedsAnswer):
            if (await steps.run(plan, decided)).is_good:
                intent = self.facts.intent or Intent()
                sure = intent.parts[-1]._replace(unsure=False)
                await self.keep_intent(intent._replace(parts=(*intent.parts[:-1], sure)))
                return
        self.facts = before

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
            actions=self.actions,
            facts=lambda: self.facts,
            policy=self._policy,
            ask=ask or self.asked,
            approval=lambda: self.approval,
        )
        error: JarvisError | None = None
        try:
            self.tell(TurnStarted(turn.thread, turn.id, words))
            self._tell_plan(1, plan, target)
            await carry_out(steps)
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        await steps.break_off()
        return await self._end(steps, error, time.monotonic() - began)

    def _tell_plan(self, n: int, plan: Plan, target: str) -> None:
        self.tell(Planned(n, plan, self.actions[plan.action].effect, target))

    async def ask(self, question: Question) -> str:
        return self._asked(question)

    async def act(self, request: Request) -> Outcome:
        return self._hands.perform(request)

    async def has_shown(self) -> bool:
        return self._has_shown()

    async def asked(self, request: Request, plan: Plan, known: Mapping[str, Address]) -> Approved | Outcome:
        """Ask the person about *request*, and return what they say."""
        approval = self.approval = self.approval or self.approves()
        told = self.facts.intent
        try:
            said = await approval.to(request, plan, known)
        except (NeedsAnswer, Terminated) as error:
            raise type(error)(error.message, hint=approval.hint(error)) from None
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
        return Approval(self._turn, self, self.actions, keep_typed, memory, nullcontext, self._settle)

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
            parts, place = list(intent.parts), request.part - 1
            parts[place] = part_chosen(parts[place], chosen)
            self.facts = self.facts._replace(intent=Intent.of_command(*parts))
        if for_good:
            from ..launcher.names import remember_name  # few names are to mean one thing from now on

            file, tell = self._settings.folders.aliases, self.tell
            remember_name(file, self._words, chosen, lambda told: tell(Notice(told)))

    def pictures(self, effect: str) -> str:
        """Return the folder for pictures, for an action that takes one: it is read from a file."""
        return self._hands.pictures() if effect == "captures" else ""

    def _policy(self) -> guard.Rules:
        path = self._settings.folders.policy
        if not os.path.lexists(path):
            return guard.NoRules()
        from ..policy.rules_file import load_rules  # most people have none

        return load_rules(path)

    async def _end(self, runner: StepRunner, error: JarvisError | None, seconds: float) -> TurnEnded:
        """Close the turn, however it went: in history first, then for the front end."""
        actions, intent = self.actions, self.facts.intent
        told = intent.told if intent else None
        waits = self.approval and isinstance(error, (NeedsAnswer, Terminated))
        pending = self.approval.pending if self.approval and waits else None
        judged = judge(runner.steps, actions, told or ())
        ending = Ending(
            turn=self._turn,
            goal=self._words,
            status="needs_answer" if pending else _status(error) if error else judged.status,
            exit_status=error.exit_status if error else judged.exit_status,
            steps=runner.steps,
            usage=self.usage._replace(seconds=round(seconds, 3)),
            error=TurnFailed(error.code, error.message, error.hint) if error else None,
            intent=told,
            tables=self.tables,
        )
        return await close(
            ending,
            self._history,
            actions,
            self,
            unwritten=runner.unwritten,
            pending=pending,
            left=self._left,
        )


def _also_asked(plan: Plan, target: str, error: NeedsAnswer) -> Outcome:
    """Return the outcome of *plan*, which nobody could be asked about, like another one before it."""
    text = f"{catalogue()[plan.action].not_done(target)}: it needs an answer, too."
    hint = "Ask for it by itself."
    return Outcome("failed", text, code=error.code, hint=hint, exit_status=error.exit_status)


def _status(error: JarvisError) -> str:
    if isinstance(error, NeedsAnswer):
        return "needs_answer"
    return "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
