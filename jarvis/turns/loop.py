"""One turn of the loop: drives the graph, asks the hands, writes history, tells the front end."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from langgraph.types import Command

from ..actions.base import BrainAction
from ..agent.graph import Reception, run_graph
from ..agent.offers import facts_of, known_in, last_step_in, standing_in
from ..agent.prompt import transcript
from ..agent.reading import Reading
from ..agent.result import Ending
from ..agent.state import Context, State, TurnTables, addresses_in, first_state, plan_in, planned_in
from ..core.concurrency import Clock
from ..core.errors import Fault, JarvisError, NeedsAnswer, Terminated, foreseen
from ..core.events import Notice, ReplyDelta, TurnEnded, TurnFailed, TurnStarted, Unsure, Waiting
from ..core.frontend import Front, Words, hurried
from ..core.tables import Table
from ..core.types import Facts, Plan, Request, Turn
from ..core.urls import typed_addresses
from ..launcher.lookup import Lookup
from ..store.locks import Lock
from .asking import Asking
from .before import NOTHING_BEFORE, Before, read_before
from .closing import Listed, elsewhere, listed_in, note_on, reply_in, unverified_in, usage_of
from .ending import close
from .keeping import Acts
from .parts import SessionParts
from .progress import Progress
from .steps import StepRunner

_FUSE = 60  # supersteps; the budgets end a turn long before
_log = logging.getLogger(__name__)


class LoopTurn:
    def __init__(
        self,
        parts: SessionParts,
        turn: Turn,
        words: Words,
        front: Front,
        lock: Lock,
        left: Sequence[Unsure] = (),
        progress: Progress | None = None,
    ) -> None:
        """left: what is to be told of earlier turns. progress: how far it has come, in another brain."""
        self._parts = parts
        self._turn = turn
        self._words = words
        self._front = front
        self._left = left
        self._progress = progress
        self._clock = Clock(parts.budgets.seconds)
        self._meter = parts.meter(turn, words.model)
        self._model = parts.model(words.model, self._clock.left)
        self._config = {"configurable": {"thread_id": turn.id}, "recursion_limit": _FUSE}
        self._state: State = {"addresses": [], "calls": 0, "tokens": [0, 0]}  # as far as the graph has told
        self._tables = TurnTables(front.tell)
        self._streamed = ""  # of a reply that is being written
        typed = [address for address in turn.typed if address.source == "typed"]
        named = [address for address in turn.typed if address.source == "site"]
        look_up = Lookup(front.find_apps, named, parts.aliases)
        self._reading = Reading(words.own, typed, parts.actions, look_up, parts.open_actions.wants)
        self._before = NOTHING_BEFORE  # what was in the thread, once it is read
        self.list_before: Listed = ((), None)  # as far as it is known
        self.listed: Listed | None = None  # by this turn
        self._context: Context  # once it is gathered, before the first step
        self._plan = Plan("", {})  # none yet
        self._asking = Asking(turn, front, parts, self._reading, self._clock)
        self._steps = StepRunner(
            turn,
            person=Acts(front, parts.actions, parts.services),
            history=parts.history,
            actions=parts.actions,
            facts=self._facts,
            policy=parts.policy,
            ask=self._asking,
            approval=lambda: self._asking.approval,
            lock=lock,
            away=self._clock.away,
            intent=self._intent,
        )

    async def run(self) -> TurnEnded:
        """Take the turn to its end. Cancelled, it tells that it ended before it raises."""
        try:
            return await self._ended()
        except BaseException:
            hurried.set(True)
            reason = self._front.interruption
            kept = f"What was done so far is kept: jarvis threads show {self._turn.thread}"
            told = TurnFailed(reason.code, reason.message, self._asking.approval.hint(reason) or kept)
            # Whoever is gone may answer the question that stands later.
            waits = isinstance(reason, Terminated) and self._asking.approval.pending
            status = "needs_answer" if waits else "interrupted"
            await self._broken_off(status, reason.exit_status, told)
            raise
        finally:
            with suppress(JarvisError):  # the sweep of the next start does it
                await self._parts.saver.adelete_thread(self._turn.id)

    async def _ended(self) -> TurnEnded:
        """Take the turn to its end, unless it is cancelled: also while a failure is being written down."""
        try:
            with foreseen():
                for unsure in self._left:
                    self._front.tell(unsure)
                self._front.tell(TurnStarted(self._turn.thread, self._turn.id, self._words.own))
                await self._drive()
                return await self._end(self._state["status"], self._state["exit_status"])
        except Fault as fault:
            _log.exception("a fault of ours", exc_info=fault.__cause__)
            told = TurnFailed(fault.code, fault.message, fault.hint)
            return await self._broken_off("failed", fault.exit_status, told)
        except JarvisError as error:
            return await self._failed(error)

    async def _drive(self) -> None:
        """Run the graph to its end, from interrupt to interrupt."""
        today = self._meter.finding_today()
        self._before = before = await read_before(self._parts.history, self._turn, *today)
        self._meter.look_at(before.beside)
        self.list_before = before.shown, before.kept
        work: Any = first_state(
            self._words.own, self._words.piped, before.offered, self._packs(before.tables)
        )
        self._state = work = self._gone_on(work)
        self._context = context = self._gathered(before)
        if self._progress and self._progress.is_met(self._parts.actions):
            self._state = {**work, **await Reception(self._parts.actions)(work)}
            work = None
        while work is not None:
            n = await run_graph(self._parts.graph, work, self._config, context, self._clock, self._seen)
            work = await self._resumption(context.requests[n]) if n else None

    def _gone_on(self, first: State) -> State:
        """Return the state as of now: the *first* one, or that in which another brain left it."""
        if not self._progress:
            return first
        self._steps.recall(self._progress.steps)
        return self._progress.state(first, [*self._before.offered, *self._turn.typed])

    def _facts(self) -> Facts:
        # The hands' own steps are in the state once the graph goes on.
        steps = self._steps.steps[: len(self._state.get("steps", []))]
        return facts_of(self._state, self._context, steps)

    async def _resumption(self, request: Request) -> Command[Any]:
        action = self._parts.actions[request.action]
        if isinstance(action, BrainAction) and not action.is_noted_first:  # the executor goes on with it
            outcome = await self._steps.approve(request, self._plan)
        else:
            outcome = await self._steps.run(self._plan, request)
        return Command(resume=outcome._asdict())

    async def _seen(self, mode: str, update: dict[str, Any]) -> None:
        if mode == "custom":
            self._heard(update)
            return
        for node, changed in update.items():
            self._state = {**self._state, **changed}
            if node == "planner":
                self._tables.tell(self._state, self._state.get("told", 0))
                self._plan = plan_in(self._state)
                action = self._parts.actions[self._plan.action]
                if not action.ends_turn:
                    known = known_in(self._state, self._context)
                    n = len(self._steps.steps) + 1
                    self._front.tell(planned_in(self._state, n, action.effect, known))
            if node == "executor" and len(self._state["steps"]) > len(self._steps.steps):
                table = self._tables.of(self._state)[-1] if "tables" in changed else None
                await self._steps.keep(last_step_in(self._state, table))

    def _heard(self, update: dict[str, Any]) -> None:
        """Heed what the planner says while it waits for the model."""
        if "notice" in update:
            self._front.tell(Notice(update["notice"]))
        elif "waiting" in update:
            self._front.tell(Waiting(update["waiting"]))
        elif "delta" not in update:  # the calls so far, or the whole reply
            self._state.update(update)  # type: ignore[typeddict-item]
        else:
            self._tables.tell(self._state)
            links = () if self._streamed else tuple(each.url for each in addresses_in(self._state))
            self._streamed += update["delta"]
            self._front.tell(ReplyDelta(update["delta"], links))

    def _packs(self, listed: Sequence[Table]) -> tuple[str, ...]:
        """Return the packs that are open, and let the turn use up what these may. listed: before it."""
        actions = self._parts.open_actions
        opened = actions.opened(self._words.own, [table.kind for table in listed])
        packs = actions.sound(opened, lambda fault: self._front.tell(Notice(fault)))
        budgets = actions.budgets(packs, self._parts.budgets)
        self._clock.allow(budgets.seconds)
        self._meter.allow(budgets.credits)
        return packs

    def _gathered(self, before: Before) -> Context:
        """Return what the graph works with."""
        turn = self._turn
        self._reading.comes_after(before.exchanges, len(before.shown))
        if not self._words.own:  # several lines that were piped in alone are material
            self._reading.take_nothing()
        return Context(
            reading=self._reading,
            is_clean=before.is_clean(turn.typed) and not self._words.piped,
            policy=self._parts.policy(),
            transcript=transcript(before.exchanges),
            shown=[address.id for address in before.shown],
            listed=before.tables,
            tables=self._tables,
            offers=turn.offers,
            streams=self._front.streams,
            allowed=self._parts.allowed(turn.thread),
            holds_key=self._parts.holds_key,
            market=self._parts.market,
            place=self._front.place,
            pictures=self._front.pictures,
            keep_found=self._steps.keep_found,
            meter=self._meter,
            model=self._model,
        )

    async def _failed(self, error: JarvisError) -> TurnEnded:
        """Close a turn that ended early."""
        told = TurnFailed(error.code, error.message, self._asking.approval.hint(error) or error.hint)
        status = "needs_answer" if isinstance(error, NeedsAnswer) else "failed"
        return await self._end(status, error.exit_status, told)

    async def _broken_off(self, status: str, exit_status: int, told: TurnFailed) -> TurnEnded:
        """Close a turn that was interrupted: the hands' last act may or may not have happened."""
        await self._steps.break_off()
        return await self._end(status, exit_status, told)

    def _intent(self) -> tuple[str, ...] | None:
        """Return what the words asked for, as far as it was read."""
        return self._reading.intent.told if self._reading.intent else None

    async def _end(self, status: str, exit_status: int, error: TurnFailed | None = None) -> TurnEnded:
        self._steps.tell_written()  # it may have ended right after
        steps, state, actions = self._steps.steps, self._state, self._parts.actions
        listed = await elsewhere(self._reading, self._parts.history)
        self._tables.tell(state)
        tables = self._tables.listed(state)
        note = note_on(steps, actions, self._reading, self._meter, listed)
        note = f"{self._model.told} {note}".strip()
        ending = Ending(
            turn=self._turn,
            goal=self._words.own,
            status=status,
            exit_status=exit_status,
            steps=steps,
            usage=usage_of(state, steps, actions, self._meter, self._clock.elapsed),
            replied=reply_in(state, self._streamed, note, first=len(self._tables.lines(state)) + 1),
            is_cut_off=bool(self._streamed) and not state.get("reply"),
            error=error,
            intent=self._intent() if self._progress is None else self._intent() or self._progress.intent,
            beside=[*self._meter.counting_rest(), *self._parts.saver.deleting(self._turn.id)],
            tables=tables,
            standing=standing_in(state, self._before.listed),
        )
        if ending.shown:
            self.listed = listed_in(ending, state)
        if self._model.told and not state.get("reply"):  # a reply says so itself
            self._front.tell(Notice(self._model.told))
        named = [*typed_addresses(self._words.own), *self._before.vouched]
        return await close(
            ending._replace(unverified=unverified_in(ending, state, named)),
            self._parts.history,
            actions,
            self._front,
            unwritten=self._steps.unwritten,
            pending=self._asking.approval.pending if status == "needs_answer" else None,
            left=self._left,
        )
