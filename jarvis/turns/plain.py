"""A plain command as a turn: without the graph, a model, a key or a heavy import.

A step goes the way of agent/steps.py, and waits for the person and the desktop right there. Several things
are done in their order. A question that nobody can answer waits, with those after it.
"""

import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial

from ..actions.base import Action, catalogue, plannable
from ..agent.reception import TurnResult, Usage, close, judge, observed
from ..agent.steps import Decided, Steps, read_given
from ..config.settings import Settings
from ..core.errors import Interrupted, JarvisError, StoreFailed
from ..core.events import (
    Event,
    Planned,
    Question,
    TableShown,
    TurnEnded,
    TurnStarted,
    Unreported,
)
from ..core.files import PATIENCE
from ..core.intent import Intent, Part, by_ids
from ..core.types import (
    ADDRESS,
    APP,
    FILE,
    ActionRequest,
    Address,
    Facts,
    Meanings,
    Outcome,
    Plan,
    Site,
    Step,
    Turn,
)
from ..desktop.desktop import Desktop
from ..launcher import Command, aliases, commanded, is_line, part_chosen, parts_of
from ..policy import rules
from ..policy.questions import Approval
from ..store.addresses import no_line, no_page, nth
from ..store.database import BestEffort, Lock, Locks, file_lock
from ..store.history import History, Journal, close_abandoned_turns
from ..store.outbox import Outbox, server_of
from ..store.turns import take_answered


def plain_history(settings: Settings) -> History:
    """Return the history for plain commands. It waits only for another process's write lock.

    If it fails to record something, the command runs anyway. Raises AnothersFile.
    """
    if settings.database_url:
        server = server_of(settings.database_url.reveal())
        return Outbox(BestEffort(settings.folders.outbox), server)
    return History(BestEffort(settings.folders.history))


class PlainTurn(Steps[None]):
    """One plain turn. Implements questions.Asks."""

    def __init__(
        self,
        history: History,
        desktop: Callable[[], Desktop],
        settings: Settings,
        tell: Callable[[Event], None],
        ask: Callable[[Question], str],
        has_shown: Callable[[], bool] = lambda: True,
    ) -> None:
        """ask: returns the user's answer to a question. Raises NeedsAnswer if there is nobody to ask.

        has_shown: whether everything so far was shown.
        """
        self.tell = tell
        self._history = history
        self._desktop = desktop
        self._settings = settings
        self._ask = ask
        self._has_shown = has_shown
        self.actions: Mapping[str, Action] = catalogue()
        self.policy = partial(rules.load_rules, settings.folders.policy)
        self._facts = Facts({})  # what is known of the words, as soon as it is
        self._words = ""
        self._unreported: list[Unreported] = []  # of earlier turns, told by this one
        self._steps: list[Step] = []  # that have come to an outcome
        self._listed: Outcome | None = None  # what came of a list, where that is all there is to tell
        self._tables: tuple[TableShown, ...] = ()  # that it lists
        self._lock = Lock()  # of the thread, once it is held
        self._answer: tuple[int, dict[str, str]] = 0, {}  # what came for which step, later

    async def ask(self, question: Question) -> str:
        return self._ask(question)

    async def run(self, words: str, command: Command) -> TurnEnded:
        """Do what *command* says. Raises UsageError, with nothing begun, for a line that is not listed."""
        thread = self._settings.thread
        async with self._holding(thread):
            return await self._through(await self._begin(words, command, thread))

    async def list_again(self, words: str, follow_up: str, listed: Outcome) -> TurnEnded:
        """Apply a follow-up to the last table, and show the new table or a row's details."""
        self.actions, self._listed = plannable(), listed
        self._tables = (TableShown(listed.table),) if listed.table else ()
        async with self._holding(self._settings.thread):
            turn = await self._history.begin(self._settings.thread, words, intent=())
            self._begun(turn, words)
            if listed.table and listed.table.model_sees:
                self.journal.note_private()
            plan = Plan("arrange", {"change": follow_up}, finish=True)
            return await self._through([Planned(1, plan, self.actions[plan.action].effect, follow_up)])

    async def answer(self, answer: str, command: Command, locks: Locks | None = None) -> TurnEnded:
        """Take the question of an answer (ID=OPTION), and continue its turn to the end.

        command: its words, parsed again. The answer counts only if they mean the same now. locks: of threads.
        Raises UsageError like `take_answered`.
        """
        taken = await take_answered(self._history.database, answer)
        async with self._holding(taken.thread, locks):
            planned = await self._begin(taken.goal, command, taken.thread, taken.id)
            first = min(taken.step, len(planned))
            self._answer = first, read_given(answer)
            self._steps = [step for step in taken.steps if step.n < first]
            return await self._through(planned)

    async def _begin(self, words: str, command: Command, thread: str, id_: str = "") -> Sequence[Planned]:
        """Begin the turn of *words* and return its plans.

        id_: of a turn that continues. Raises, with nothing begun, UsageError for a line that isn't listed,
        StoreFailed if the list is unreadable.
        """
        history = self._history
        shown = (await history.listed(thread))[0] if any(map(_is_line, command.each)) else []
        lines = [await _line(each, shown, history, thread) for each in command.each]
        parts = parts_of(command, [shown.index(line) + 1 if line else 0 for line in lines])
        addresses_of_each = [_addresses_in(each) for each in command.each]
        by_name, intent = (
            [row for rows in addresses_of_each for row in rows],
            [part.canonical for part in parts],
        )
        turn = await history.begin(thread, words, by_name=by_name, intent=intent, id_=id_)
        self._begun(turn, words)
        captures = any(each.action.effect == "captures" for each in command.each)
        minted = iter(turn.typed)
        addresses = [
            [line] if line else [next(minted) for _ in rows]
            for line, rows in zip(lines, addresses_of_each, strict=True)
        ]
        facts = Facts(
            {address.id: address for address in (*turn.typed, *shown)},
            typed=tuple(address.id for address in turn.typed if address.source == ADDRESS),
            shown=tuple(address.id for address in shown),
            pictures=self._desktop().pictures() if captures else "",  # it is read from a file
            meanings=self._chosen_last(command, parts),
        )
        self._facts, targets = commanded(command, parts, facts, addresses)
        return list(map(_planned, itertools.count(1), command.each, targets))

    def _begun(self, turn: Turn, words: str) -> None:
        """Write down the steps of *turn* from here on, and ask about them."""
        self._words, self.journal = words, Journal(self._history.database, turn, self._lock)
        folders = self._settings.folders
        remember = partial(rules.remember, folders.policy)
        remember_choice = partial(aliases.remember_choice, folders.aliases)
        self.approval = Approval(turn, self, self.actions, remember, remember_choice, nullcontext)

    def _chosen_last(self, command: Command, parts: Sequence[Part]) -> dict[int, Meanings]:
        """Return the user's last choices, by the number of each ambiguous name."""
        several = [n for n, each in enumerate(command.each, 1) if len(each.meanings) > 1]
        path = self._settings.folders.aliases
        chosen = {n: aliases.chosen_last(path, parts[n - 1].value) for n in several}
        return {n: Meanings(site=Site(last=last)) for n, last in chosen.items()}

    @asynccontextmanager
    async def _holding(self, thread: str, locks: Locks | None = None) -> AsyncIterator[None]:
        """Hold the lock of *thread* in this block, and report unconfirmed earlier turns.

        If another turn holds the lock, or locking fails, the block runs anyway.
        """
        held, locks = None, locks or partial(file_lock, self._settings.folders.state)
        deadline = time.monotonic() + PATIENCE
        with suppress(StoreFailed, OSError):
            # A turn begun without the lock looks to the next one there as if a crash had left it.
            while not (held := await locks(thread)) and time.monotonic() < deadline:
                time.sleep(0.01)  # noqa: ASYNC251 (nobody else is on this loop)
            if held:
                self._lock = held
                self._unreported = await close_abandoned_turns(self._history.database, thread)
        async with held or nullcontext():
            for unsure in self._unreported:
                self.tell(unsure)
            yield

    async def _through(self, planned: Sequence[Planned]) -> TurnEnded:
        """Perform the *planned* steps, even if an earlier one failed, and end the turn."""
        began, turn = time.monotonic(), self.journal.turn
        error: JarvisError | None = None
        try:
            self.tell(TurnStarted(turn.thread, turn.id, self._words))
            answered, answer = self._answer
            for each in planned[max(0, answered - 1) :]:
                self.tell(each)
                await self.take(each.n, each.plan, answer if each.n == answered else None)
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        return await self._end(error, time.monotonic() - began)

    def facts(self, action: Action | None = None) -> Facts:
        return self._facts

    async def decide(self, n: int, plan: Plan) -> Decided:
        """Return the request for *plan* within its own part, or the outcome of a follow-up."""
        has_part = self._facts.intent is not None and n <= len(self._facts.intent.parts)
        self._facts = self._facts._replace(left=(n,) if has_part else ())
        return self._listed or await super().decide(n, plan)

    async def wait(self, request: ActionRequest, plan: Plan) -> None:
        await self.take(request.n, plan, await self.ask_about(request))

    def settle(self, request: ActionRequest, chosen: Address | None) -> None:
        if chosen is None:
            return
        n, facts, intent = request.part, self._facts, self._facts.intent or Intent()
        meanings = {**facts.meanings, n: facts.meaning_of(n)._replace(addresses=(chosen,))}
        intent = intent.with_part(n, part_chosen(intent.part(n), chosen))
        self._facts = facts._replace(meanings=meanings, intent=intent)

    async def act(self, request: ActionRequest, plan: Plan) -> None:
        try:
            self.tell(request)
            outcome = self._desktop().perform(request)._replace(rule=request.rule)
        except BaseException:  # Ctrl-C: it may or may not have happened
            outcome = self.actions[request.action].cut_off(request.effect.target)
            raise
        finally:
            step = Step(request.n, plan, outcome._replace(part=request.part))
            await self._finish_step(step, partial(self.journal.finish, opened=request.opened))

    async def keep(self, step: Step) -> None:
        await self._finish_step(step, self.journal.keep)

    async def _finish_step(self, step: Step, write: Callable[[Step], Awaitable[None]]) -> None:
        """Record the outcome of *step* and report it, interrupted or not."""
        try:
            await write(step)
        finally:
            self._steps.append(step)
            self.tell(observed(step, self.actions))
        for tabled in self._tables:
            self.tell(tabled)

    async def _end(self, error: JarvisError | None, seconds: float) -> TurnEnded:
        """Close the turn, however it went: in history first, then for the front end."""
        intent = by_ids(self._facts.intent.canonical_parts, self._facts.typed) if self._facts.intent else ()
        status, exit_status, failed = judge(self._steps, self.actions, self._facts.intent)
        result = TurnResult(
            turn=self.journal.turn,
            goal=self._words,
            status=status,
            exit_status=exit_status,
            failed=failed,
            steps=self._steps,
            usage=Usage(seconds=round(seconds, 3)),
            intent=intent,
            tables=self._tables,
        )
        journal, history = self.journal, self._history
        ended = await close(result, error, self.approval, history, self.actions, self.tell, journal)
        await journal.confirm(self._unreported, is_shown=self._has_shown())
        return ended


def _planned(n: int, command: Command, address: Address | None) -> Planned:
    """Return one thing as step *n*. address: what it is to open, if that has an id."""
    chosen = {command.action.argument: address.id} if address else {}
    plan = Plan(command.action.name, {**command.arguments, **chosen}, finish=True)
    target = address.url if address else " ".join(command.arguments.values())
    return Planned(n, plan, command.action.effect, target)


def _is_offered(command: Command) -> bool:
    return any(field.offered for field in command.action.fields)


def _is_line(command: Command) -> bool:
    return _is_offered(command) and is_line(command.target)


def _addresses_in(command: Command) -> list[tuple[str, str, str]]:
    """Return the addresses that it is, or that its name means, each as (address, kind of name, the name)."""
    if _is_offered(command) and not (command.meanings or is_line(command.target)):
        return [(command.target, ADDRESS, "")]
    names = [each for each in command.meanings if each.kind not in (APP, FILE)]
    return [(each.target, each.kind, "" if each.kind == ADDRESS else each.name) for each in names]


async def _line(command: Command, shown: Sequence[Address], history: History, thread: str) -> Address | None:
    """Return the address on the line that *command* refers to, or None."""
    if not _is_line(command):
        return None
    number = int(command.target)
    address = nth(shown, number)
    if address and address.url:
        return address
    if history.database.trouble and not shown:
        raise history.database.trouble
    if address:
        raise no_page(address, number, by="jarvis")
    raise no_line(thread, number, len(shown))
