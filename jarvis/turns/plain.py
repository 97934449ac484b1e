"""A plain command as a turn: without the graph, a model, a key or a heavy import.

A step has one way here, the one that the graph takes from node to node: the guard; what is doubtful is asked
about, and the guard looks once more; `started` is written down; the hands act; what came of it is in history,
and then it is told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from ..actions import Hands, catalogue
from ..actions.base import Action, BrainAction, failed
from ..agent.reception import Ending, Usage, is_told_by_itself, judge
from ..config.settings import Settings
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated, UsageError, WouldRun
from ..core.events import (
    Acting,
    Event,
    Notice,
    Observed,
    Planned,
    Question,
    Tabled,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
    question_in,
)
from ..core.intent import Intent
from ..core.types import Address, Facts, Outcome, Plan, Request, Step, unknown
from ..launcher.meant import Meant, part_chosen
from ..policy import guard
from ..store.database import Database
from ..store.history import History
from ..store.turns import Journal
from .closing import close
from .commanded import Planning, allowed_in, begin, left_in, settled, with_folder

if TYPE_CHECKING:  # few are asked about
    from ..policy.approval import Approval, Approved
    from ..store.turns import PastTurn


class PlainTurn:
    """One plain turn. Implements approval.Asks, and closing.Frontend."""

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
        self.tell = tell
        self.approval: Approval | None = None  # once they were asked
        self._history = history
        self._hands = hands
        self._settings = settings
        self._asked = ask
        self._has_shown = has_shown
        self._actions: Mapping[str, Action] = catalogue()
        self._facts = Facts({})  # what is known of the words, as soon as it is
        self._words = ""
        self._unreported: list[Unsure] = []  # of earlier turns, told by this one
        self._steps: list[Step] = []  # that have come to an outcome
        self._under_way: tuple[Request, Plan] | None = None
        self._tables: tuple[Tabled, ...] = ()  # that it listed
        self._has_answer = False  # whether they answered already, so that nothing is done without that answer

    async def run(self, words: str, meant: Meant) -> TurnEnded:
        """Do what *meant* says. Raises UsageError, with nothing begun, for a line that is not listed."""
        each = await self._begin(words, meant, self._settings.thread)
        return await self._through(each[0], lambda: self._each(each))

    async def run_on_table(self, words: str, meant: Meant) -> TurnEnded:
        """Do what *meant* asks of the table listed last: it is changed and listed anew, or a line is told."""
        from ..actions.apart.arrange import ACTION as ARRANGE  # few commands are about a table

        thread = self._settings.thread
        self._actions = {ARRANGE.name: ARRANGE, **self._actions}
        await self._report(thread)
        self._facts = (meant.facts or Facts({}))._replace(intent=Intent.of_command())
        self._journal = Journal(self._history.database, await self._history.begin(thread, words, intent=()))
        self._words = words
        plan = Plan(meant.action.name, meant.arguments, finish=True)
        return await self._through(Planning(plan, meant.named), lambda: self._arranged(plan))

    async def answer(self, taken: PastTurn, meant: Meant) -> TurnEnded:
        """Go on with the turn of *taken*, whose question was answered: with what it is about, and no more.

        meant: its words, understood anew. What comes of them now is asked about, doubtful or not, so that the
        answer counts only if that is what was asked about then: see `answering`.
        """
        from ..store.turns import reopening  # few answer later

        self._has_answer = True
        await self._history.database.run_all(reopening(taken.id))
        n, place = taken.step, taken.part - 1
        each = await self._begin(taken.goal, meant, taken.thread, taken.id)
        place = place if 0 <= place < len(each) else 0
        self._facts = self._facts._replace(left=(place,))
        return await self._through(each[place], lambda: self._carry_out(n, each[place].plan), n)

    async def _begin(self, words: str, meant: Meant, thread: str, id_: str = "") -> Sequence[Planning]:
        await self._report(thread)
        begun = await begin(words, meant, self._history, thread, id_)
        captures = [each.action.effect for each in meant.each if each.action.effect == "captures"]
        consents = self._settings.folders.consents
        self._facts = begun.facts._replace(
            pictures=self._hands.pictures() if captures else "",  # it is read from a file
            allowed=allowed_in(thread, consents),
        )
        self._words, self._journal = words, Journal(self._history.database, begun.turn)
        return begun.each

    async def _report(self, thread: str) -> None:
        """Tell what is not known of earlier turns in *thread*."""
        self._unreported = await left_in(thread, self._history, self._settings.folders.state)
        for unsure in self._unreported:
            self.tell(unsure)

    async def _through(self, first: Planning, work: Callable[[], Awaitable[object]], n: int = 1) -> TurnEnded:
        """Take the turn to its end by *work*, of which step *n* is the *first*."""
        began, turn = time.monotonic(), self._journal.turn
        error: JarvisError | None = None
        try:
            self.tell(TurnStarted(turn.thread, turn.id, self._words))
            self._tell_plan(n, first)
            await work()
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        await self._break_off()
        return await self._end(error, time.monotonic() - began)

    async def _each(self, each: Sequence[Planning]) -> None:
        """Carry out one plan after the other, whatever came of those before it.

        Raises NeedsAnswer once all others are done, where nobody could be asked about one.
        """
        waiting: NeedsAnswer | None = None
        asked: Approval | None = None
        n = 0
        for place, planned in enumerate(each):
            n += 1
            if place:
                self._tell_plan(n, planned)
            self._facts = self._facts._replace(left=(place,))
            try:
                outcome = await self._carry_out(n, planned.plan)
                if outcome.code == WouldRun.code:
                    n += 1
                    await self._offer_folder(n, planned)
            except NeedsAnswer as error:
                if waiting is None:
                    waiting, asked = error, self.approval
                else:
                    await self._keep(Step(n, planned.plan, _also_asked(planned, error)))
                self.approval = None  # a turn keeps one question: the first
        if waiting:
            self.approval = asked
            raise waiting

    async def _offer_folder(self, n: int, refused: Planning) -> None:
        """Ask whether to open the folder of what was *refused*; nothing, where nobody can be asked."""
        before, path = self._facts, refused.target
        self._facts, folder = with_folder(self._facts, path)
        plan = refused.plan._replace(arguments=dict.fromkeys(refused.plan.arguments, folder))
        why = f"{path} might run, so it is not opened; this is its folder"
        with suppress(NeedsAnswer):
            if (await self._carry_out(n, plan, why)).is_good:
                intent = self._facts.intent or Intent()
                sure = intent.parts[-1]._replace(unsure=False)
                await self._keep_intent(intent._replace(parts=(*intent.parts[:-1], sure)))
                return
        self._facts = before

    async def _arranged(self, plan: Plan) -> None:
        """List the table as *plan* has it, or tell a line of it."""
        action, decided = self._actions[plan.action], self._authorised(1, plan)
        if isinstance(decided, Request) and isinstance(action, BrainAction):
            try:
                outcome = await action.perform(decided.effect)
            except JarvisError as error:
                outcome = failed(action.not_done(decided.effect.target), error)
            decided = outcome._replace(rule=decided.rule)
        if isinstance(decided, Outcome):
            await self._keep(Step(1, plan, decided))
            self._tables = (Tabled(decided.table),) if decided.table else ()
        for table in self._tables:
            self.tell(table)

    async def _carry_out(self, n: int, plan: Plan, why: str = "") -> Outcome:
        """Do *plan* as step *n*, at most once, and return what came of it. why: it is asked about first."""
        decided = self._authorised(n, plan)
        if isinstance(decided, Request):
            decided = decided._replace(ask=why or decided.ask)
            if decided.ask or self._has_answer:
                decided, plan = await self._answered(decided, plan)
        if isinstance(decided, Request):
            return await self._perform(decided, plan)
        await self._keep(Step(n, plan, decided))
        return decided

    def _authorised(
        self, n: int, plan: Plan, known: Mapping[str, Address] | None = None
    ) -> Request | Outcome:
        """Return what *plan* may do as step *n*, as of now; or the outcome that it is refused.

        known: what was typed since, by its id.
        """
        facts = self._facts._replace(addresses={**self._facts.addresses, **(known or {})})
        return guard.authorise(n, self._actions[plan.action], plan.arguments, facts, self._rules())

    def _rules(self) -> guard.Rules:
        path = self._settings.folders.policy
        if not os.path.lexists(path):
            return guard.NoRules()
        from ..policy.rules_file import load_rules  # most people have none

        return load_rules(path)

    async def _answered(self, request: Request, plan: Plan) -> tuple[Request | Outcome, Plan]:
        """Ask about *request*; return what they say yes to, if the guard lets it pass still, and its plan."""
        said = await self._approved(request, plan)
        if isinstance(said, Outcome):
            return said, plan
        again = self._authorised(request.n, said.plan, {said.typed.id: said.typed} if said.typed else {})
        if isinstance(again, Outcome):
            return again, said.plan
        from ..policy.questions import refused_as_another  # few are asked about

        action = self._actions[said.request.action]
        turn = self._journal.turn
        return refused_as_another(action, turn, said.request, again) or said.request, said.plan

    async def _approved(self, request: Request, plan: Plan) -> Approved | Outcome:
        approval = self.approval = self.approval or self._approval()
        told = self._facts.intent
        try:
            said = await approval.to(request, plan, guard.known_by_id(self._facts))
        except (NeedsAnswer, Terminated) as error:
            raise type(error)(error.message, hint=approval.hint(error)) from None
        if self._facts.intent and self._facts.intent != told:
            await self._keep_intent(self._facts.intent)
        return said

    def _approval(self) -> Approval:
        """Return what asks the person in this turn, and keeps what they say for good."""
        # Few are asked.
        from ..policy import rules_file
        from ..policy.approval import Approval, Memory
        from ..policy.consents import Consents

        folders = self._settings.folders
        memory = Memory(partial(rules_file.remember, folders.policy), Consents(folders.consents).allow)
        keep_typed = self._history.addresses.keep_typed
        return Approval(
            self._journal.turn, self, self._actions, keep_typed, memory, nullcontext, self._settle
        )

    def _settle(self, request: Request, chosen: Address | None, for_good: bool) -> None:
        """Note that they said yes to *request*, or to what they chose or typed in its place.

        for_good: the name is to mean what they chose from now on.
        """
        if chosen is None:
            return
        self._facts = settled(self._facts, request, chosen)
        intent = self._facts.intent
        if request.choices and intent and intent.is_command:
            parts, place = list(intent.parts), request.part - 1
            parts[place] = part_chosen(parts[place], chosen)
            self._facts = self._facts._replace(intent=Intent.of_command(*parts))
        if for_good:
            from ..launcher.names import remember_name  # few names are to mean one thing from now on

            file, tell = self._settings.folders.aliases, self.tell
            remember_name(file, self._words, chosen, lambda told: tell(Notice(told)))

    async def _perform(self, request: Request, plan: Plan) -> Outcome:
        intent = self._facts.intent if self._has_answer else None  # another is written with the turn's row
        await self._journal.start(request, plan, intent.told if intent else None)
        self._under_way = request, plan
        self.tell(Acting(request))
        outcome = self._hands.perform(request._replace(ends=plan.finish))
        self._under_way = None
        outcome = outcome._replace(rule=request.rule, part=request.part)
        await self._finish(Step(request.n, plan, outcome), request.opened)
        return outcome

    async def _break_off(self) -> None:
        """Write down that what the hands were at may or may not have happened, unless it left a proof."""
        if self._under_way:
            (request, plan), self._under_way = self._under_way, None
            action, target = self._actions[request.action], request.effect.target
            outcome = (action.proven(target) or unknown(action.name, target))._replace(part=request.part)
            await self._finish(Step(request.n, plan, outcome))

    async def _finish(self, step: Step, opened: str = "") -> None:
        """Write down what came of a step that was started, and tell it, interrupted or not."""
        try:
            await self._journal.finish(step, opened)
        finally:
            self._tell(step)

    async def _keep(self, step: Step) -> None:
        """Write down a step that needed no hands, and tell it."""
        try:
            await self._journal.keep(step)
        finally:
            self._tell(step)

    def _tell(self, step: Step) -> None:
        self._steps.append(step)
        action = self._actions[step.plan.action]
        is_told = is_told_by_itself(step, action)
        self.tell(Observed(step.n, action.name, action.effect, step.outcome, not is_told))

    def _tell_plan(self, n: int, planned: Planning) -> None:
        self.tell(Planned(n, planned.plan, self._actions[planned.plan.action].effect, planned.target))

    async def _keep_intent(self, intent: Intent) -> None:
        self._facts = self._facts._replace(intent=intent)
        await self._history.keep_intent(self._journal.turn, intent.told)

    async def ask(self, question: Question) -> str:
        return self._asked(question)

    async def has_shown(self) -> bool:
        return self._has_shown()

    async def _end(self, error: JarvisError | None, seconds: float) -> TurnEnded:
        """Close the turn, however it went: in history first, then for the front end."""
        intent = self._facts.intent
        told = intent.told if intent else None
        waits = self.approval and isinstance(error, (NeedsAnswer, Terminated))
        pending = self.approval.pending if self.approval and waits else None
        judged = judge(self._steps, self._actions, told or ())
        ending = Ending(
            turn=self._journal.turn,
            goal=self._words,
            status="needs_answer" if pending else _status(error) if error else judged.status,
            exit_status=error.exit_status if error else judged.exit_status,
            steps=self._steps,
            usage=Usage(seconds=round(seconds, 3)),
            error=TurnFailed(error.code, error.message, error.hint) if error else None,
            question=pending.question if pending else None,
            intent=told,
            tables=self._tables,
        )
        return await close(
            ending, self._history, self._actions, self, self._journal, pending, self._unreported
        )


async def take(database: Database, answer: str, *, again: bool = False) -> PastTurn:
    """Take the question that *answer* is to, ID=OPTION, so that it is answered once; return its turn.

    again: it was taken already, by a brain that died.
    Raises UsageError, with the question left as it was, where it can't be answered so.
    """
    from ..policy import questions  # few answer later
    from ..store.turns import find_asking, take_question

    id_, _, said = answer.partition("=")
    turn = await find_asking(database, id_)
    if turn and again and turn.asked != id_:
        return turn
    if turn is None or turn.waits is None:
        told = f"There is no open question {id_}: it was answered, or never asked."
        if turn and turn.asked == id_:
            told = f"The question {id_} is void: it was asked more than a day ago."
        raise UsageError(told, hint="Ask again.")
    heard = questions.hear(question_in(turn.waits), said)
    options = [option["id"] for option in turn.waits["options"]]
    if heard.option not in options or (heard.option == questions.EDIT and not heard.text):
        raise UsageError(
            f"{id_} is answered by one of: {', '.join(options)}.", hint=f"jarvis --answer {id_}={options[0]}"
        )
    if not await take_question(database, turn):
        raise UsageError(f"The question {id_} was answered just now.", hint="Ask again.")
    return turn


def answering(answer: str) -> Callable[[Question], str]:
    """Return what answers the question in *answer*, ID=OPTION, and no other: that one waits in its turn."""
    id_, _, said = answer.partition("=")

    def answer_to(question: Question) -> str:
        if question.id == id_:
            return said
        raise NeedsAnswer(f"This is not what you were asked about: {question.text}")

    return answer_to


def _also_asked(planned: Planning, error: NeedsAnswer) -> Outcome:
    """Return the outcome of what nobody could be asked about, like another thing before it."""
    text = f"{catalogue()[planned.plan.action].not_done(planned.target)}: it needs an answer, too."
    hint = "Ask for it by itself."
    return Outcome("failed", text, code=error.code, hint=hint, exit_status=error.exit_status)


def _status(error: JarvisError) -> str:
    if isinstance(error, NeedsAnswer):
        return "needs_answer"
    return "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
