"""One run of a turn: carries the graph's interrupts to the front end and back, and tells what happens."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, cast

from langgraph.types import Command, Interrupt

from ..agent.begin import gather
from ..agent.executor import ACT
from ..agent.gemini import Models
from ..agent.graph import run_graph
from ..agent.meter import Meter
from ..agent.planner import facts_of, known_in
from ..agent.reading import Reading, addresses_of
from ..agent.reception import Ending, is_told_by_itself
from ..agent.savers import Savers
from ..agent.state import (
    Context,
    SessionParts,
    State,
    TurnTables,
    addresses_in,
    plan_in,
    planned_in,
    standing_in,
    steps_in,
)
from ..core.concurrency import Clock, Limiter
from ..core.errors import Fault, JarvisError, NeedsAnswer, Terminated, UsageError, foreseen
from ..core.events import (
    Acting,
    Notice,
    Observed,
    ReplyDelta,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
    Waiting,
)
from ..core.frontend import Front, Words, hurry
from ..core.intent import folded
from ..core.types import APP, SITE, Address, Outcome, Request, Step, Turn, unknown
from ..core.urls import typed_addresses
from ..policy import guard
from ..policy.approval import Approval
from ..store.locks import Lock
from ..store.turns import Journal, find_turn, reopening
from .closing import close
from .summary import Listed, elsewhere, listed_in, note_on, reply_in, unverified_in, usage_of

_FUSE = 60  # supersteps; the budgets end a turn long before
_log = logging.getLogger(__name__)


async def _nothing_in_particular(part: object) -> None:
    return None


class Engine(NamedTuple):
    """What takes the turns of a session to their ends."""

    graph: Any
    savers: Savers
    parts: SessionParts
    models: Models
    meter: Callable[[Turn, str], Meter]  # of a turn, by the model of that name
    limiter: Limiter


class LoopTurn:
    """Implements approval.Asks, by its front end."""

    def __init__(self, engine: Engine, turn: Turn, words: Words, front: Front, lock: Lock) -> None:
        self._graph = engine.graph.copy(update={"checkpointer": engine.savers.make()})
        self._savers = engine.savers
        self._parts = parts = engine.parts
        self._words = words
        self._front = front
        self._limiter = engine.limiter
        self._config = {"configurable": {"thread_id": turn.id}, "recursion_limit": _FUSE}
        self._state: State = {"addresses": [], "calls": 0, "tokens": [0, 0]}  # as far as the graph has told
        self._steps: list[Step] = []  # that were told, with what they made
        self._came: dict[int, Outcome] = {}  # what the hands said last, by its step
        self._streamed = ""  # of a reply that is being written
        self._first: State = {"goal": words.own}
        self._is_parked = False
        self.listed: Listed | None = None  # by this turn
        clock = Clock(parts.budgets.seconds)
        keep_typed, memory = parts.history.addresses.keep_typed, parts.memory
        self._context = Context(
            words=words,
            front=front,
            lock=lock,
            meter=engine.meter(turn, words.model),
            model=engine.models.patient(words.model, clock.left),
            clock=clock,
            journal=Journal(parts.history.database, turn),
            tables=TurnTables(front.tell),
            turn=turn,
            reading=Reading(words.own, (), parts.actions, _nothing_in_particular, parts.open_actions.wants),
            approval=Approval(turn, front, parts.actions, keep_typed, memory, self._away, self._settle),
        )

        hurry.set(self._context.hurry)

    @property
    def list_before(self) -> Listed:
        """The list last shown before this turn, as far as it is known."""
        return self._context.thread.shown, self._context.thread.kept

    async def run(self) -> TurnEnded:
        """Take the turn to its end. Cancelled, it tells that it ended before it raises."""
        try:
            return await self._ended()
        except BaseException:
            self._context.hurry.set()
            if self._has_begun:
                await self._broken_off_by(self._front.interruption)
            raise
        finally:
            if not self._is_parked:
                await self._savers.delete(self._graph.checkpointer, self._context.turn.id)

    async def _ended(self) -> TurnEnded:
        """Take the turn to its end, unless it is cancelled: also while a failure is being written down."""
        try:
            with foreseen(), self._savers.translated():
                await self._drive()
                return await self._end(self._state["status"], self._state["exit_status"])
        except Fault as fault:
            if not self._has_begun:
                raise
            _log.exception("a fault of ours", exc_info=fault.__cause__)
            told = TurnFailed(fault.code, fault.message, fault.hint)
            await self._break_off()
            return await self._end("failed", fault.exit_status, told)
        except JarvisError as error:
            if not self._has_begun:
                raise
            if "status" in self._state:  # only its checkpoint could not be kept, for which nobody has a use
                return await self._end(self._state["status"], self._state["exit_status"])
            return await self._failed(error)

    @property
    def _has_begun(self) -> bool:
        """Whether history has the turn: whoever is told of one that failed before that can ask again."""
        return self._context.turn.n > 0

    async def _drive(self) -> None:
        """Run the graph to its end, from interrupt to interrupt."""
        work = await self._first_work()
        while waits := await run_graph(self._graph, work, self._config, self._context, self._seen):
            work = Command(
                resume={waits.id: await self._said_to(waits)}
            )  # by id: a bare dict may be taken for ids

    async def _first_work(self) -> Any:
        """Return what the graph begins with: a new turn, what answers its checkpoint, or it from history.

        An answer in the middle, an hour later, a brain that died: all begin here. Where history is ahead of
        the checkpoint, by steps since its interrupt, history counts.
        """
        if self._words.did is None:
            return self._first
        turn, database = self._context.turn.id, self._parts.history.database
        snapshot = await self._graph.aget_state(self._config)
        before = await find_turn(database, turn)
        is_latest = len(before.steps if before else ()) <= len(snapshot.values.get("steps", [])) + 1
        is_same = snapshot.values.get("goal") == self._words.own
        for waits in snapshot.interrupts if is_latest and is_same else ():
            if said := self._known(waits, snapshot.values):
                await database.run_all(reopening(turn))
                await self._take_up(snapshot.values)
                return Command(resume={waits.id: said})
        await self._graph.checkpointer.adelete_thread(turn)
        if self._words.answer and not self._words.did:  # a row alone says nothing of what they were asked
            raise UsageError("Nothing is left of what the question was about.", hint="Ask again.")
        return self._first

    def _known(self, waits: Interrupt, state: State) -> dict[str, Any] | None:
        """Return what the client brought for *waits*. What a checkpoint says is not acted on, nor shown."""
        if waits.value == ACT:
            n = len(state["steps"]) + 1
            did = {each.n: each.outcome for each in self._words.did or ()}
            return _record(did[n]) if n in did else None
        question, _, said = self._words.answer.partition("=")
        return {"question": question, "said": said}  # to no question: so it is asked anew

    async def _take_up(self, state: State) -> None:
        """Go on from *state*, in which another run left the turn."""
        context, typed = self._context, addresses_of(state["typed"])
        context.turn = Turn(context.turn.id, state["thread"], state["n"], tuple(typed), state["given"])
        await gather(context, self._parts)
        self._parts.open_actions.beside_core(state.get("packs", ()))  # which loads them
        context.reading.recall(state["reading"])
        self._state = state
        self._tell_begun()
        context.tables.tell(state, state.get("told", 0))
        self._steps = steps_in(state)

    async def _said_to(self, waits: Interrupt) -> dict[str, Any]:
        """Return what the front end says to what this very run decided on."""
        request = cast(Request, self._context.request)  # it was decided on before the interrupt
        if waits.value == ACT:
            self._front.tell(Acting(request))
            with self._context.clock.away():
                outcome = await self._front.act(request._replace(ends=plan_in(self._state).finish))
            self._came = {len(self._steps) + 1: outcome}
            return _record(outcome)
        facts = facts_of(self._state, self._context, self._parts, steps_in(self._state))
        known = guard.known_by_id(facts)
        said = await self._context.approval.ask(request, known)
        return {"question": self._context.approval.question(request, known).id, "said": said}

    async def _seen(self, mode: str, update: dict[str, Any]) -> None:
        if mode == "custom":
            self._heard(update)
            return
        for node, changed in update.items():
            self._state = {**self._state, **(changed or {})}
            if node == "begin":
                self._tell_begun()
            if node == "planner":
                self._tell_plan()
            self._tell_steps("tables" in (changed or {}))

    def _tell_begun(self) -> None:
        for unsure in self._state["unreported"]:
            self._front.tell(Unsure(*unsure))
        turn = self._context.turn
        self._front.tell(TurnStarted(turn.thread, turn.id, self._words.own))

    def _tell_plan(self) -> None:
        self._context.tables.tell(self._state, self._state.get("told", 0))
        action = self._parts.actions[plan_in(self._state).action]
        if not action.ends_turn:
            known = known_in(self._state, self._context)
            self._front.tell(planned_in(self._state, len(self._steps) + 1, action.effect, known))

    def _tell_steps(self, has_table: bool) -> None:
        """Tell the steps that came to an outcome: each is in history by now, if it takes any."""
        table = self._context.tables.of(self._state)[-1] if has_table else None
        for step in steps_in(self._state)[len(self._steps) :]:
            self._tell_step(step._replace(outcome=step.outcome._replace(table=table)))

    def _tell_step(self, step: Step) -> None:
        self._steps.append(step)
        action = self._parts.actions[step.plan.action]
        is_told = is_told_by_itself(step, action)
        self._front.tell(Observed(step.n, action.name, action.effect, step.outcome, not is_told))

    def _heard(self, update: dict[str, Any]) -> None:
        """Heed what the planner says while it waits for the model."""
        if "notice" in update:
            self._front.tell(Notice(update["notice"]))
        elif "waiting" in update:
            self._front.tell(Waiting(update["waiting"]))
        elif "delta" not in update:  # the calls so far, or the whole reply
            self._state.update(update)  # type: ignore[typeddict-item]
        else:
            self._context.tables.tell(self._state)
            links = () if self._streamed else tuple(each.url for each in addresses_in(self._state))
            self._streamed += update["delta"]
            self._front.tell(ReplyDelta(update["delta"], links))

    @asynccontextmanager
    async def _away(self) -> AsyncIterator[None]:
        """Leave out the time in which the person thinks, and let another turn through meanwhile."""
        with self._context.clock.away():
            async with self._limiter.away():
                yield

    def _settle(self, request: Request, chosen: Address | None, for_good: bool) -> None:
        reading = self._context.reading
        if chosen is not None and for_good and reading.intent is not None:
            self._remember(reading.intent.parts[request.part - 1].value, chosen)
        reading.settle(request, chosen)

    def _remember(self, named: str, chosen: Address) -> None:
        """Remember which one they mean by a name that means several things."""
        name = folded(named)
        try:
            self._parts.pick(name, APP if chosen.source == APP else SITE, chosen.url)
        except JarvisError as error:  # what they said counts, now
            self._front.tell(Notice(f"{error.message} It counts this once."))
        else:
            told = f"“{name}” means this from now on. To undo it: jarvis alias rm {name}"
            self._front.tell(Notice(told))

    async def _failed(self, error: JarvisError) -> TurnEnded:
        """Close a turn that ended early; one whose question nobody could answer waits for that."""
        await self._break_off()
        told = TurnFailed(error.code, error.message, self._context.approval.hint(error) or error.hint)
        self._is_parked = isinstance(error, NeedsAnswer) and self._context.approval.pending is not None
        return await self._end(
            "needs_answer" if isinstance(error, NeedsAnswer) else "failed", error.exit_status, told
        )

    async def _broken_off_by(self, reason: JarvisError) -> None:
        """Close a turn that was cancelled. Whoever is gone may answer the question that stands later."""
        kept = f"What was done so far is kept: jarvis threads show {self._context.turn.thread}"
        approval = self._context.approval
        told = TurnFailed(reason.code, reason.message, approval.hint(reason) or kept)
        self._is_parked = isinstance(reason, Terminated) and approval.pending is not None
        await self._break_off()
        await self._end("needs_answer" if self._is_parked else "interrupted", reason.exit_status, told)

    async def _break_off(self) -> None:
        """Note what came of what the hands were at: it may or may not have happened, unless that is known."""
        begun = self._state.get("request") or {}
        if "n" not in begun:
            return
        action, target = self._parts.actions[begun["action"]], begun["target"]
        outcome = self._came.get(begun["n"]) or action.proven(target) or unknown(action.name, target)
        step = Step(begun["n"], plan_in(self._state), outcome._replace(part=begun["part"]))
        self._state = {**self._state, "request": None}
        await self._context.journal.finish(step)
        self._tell_step(step)

    def _intent(self) -> tuple[str, ...] | None:
        """Return what the words asked for, as far as it was read."""
        intent, told = self._context.reading.intent, self._state.get("intent")
        return intent.told if intent else None if told is None else tuple(told)

    async def _end(self, status: str, exit_status: int, error: TurnFailed | None = None) -> TurnEnded:
        context, state, actions, steps = self._context, self._state, self._parts.actions, self._steps
        listed = await elsewhere(context.reading, self._parts.history)
        context.tables.tell(state)
        tables = context.tables.listed(state)
        note = note_on(steps, actions, context.reading, context.meter, listed)
        note = f"{context.model.told} {note}".strip()
        pending = context.approval.pending if status == "needs_answer" else None
        ending = Ending(
            turn=context.turn,
            goal=self._words.own,
            status=status,
            exit_status=exit_status,
            steps=steps,
            usage=usage_of(state, steps, actions, context.meter, context.clock.elapsed),
            replied=reply_in(state, self._streamed, note, first=len(context.tables.lines(state)) + 1),
            is_cut_off=bool(self._streamed) and not state.get("reply"),
            error=error,
            question=pending.question if pending else None,
            intent=self._intent(),
            beside=context.meter.counting_tokens(),
            tables=tables,
            standing=standing_in(state, context.thread.listed),
        )
        if ending.shown:
            self.listed = listed_in(ending, state)
        if context.model.told and not state.get("reply"):  # a reply says so itself
            self._front.tell(Notice(context.model.told))
        named = [*typed_addresses(self._words.own), *context.thread.vouched]
        return await close(
            ending._replace(unverified=unverified_in(ending, state, named)),
            self._parts.history,
            actions,
            self._front,
            context.journal,
            pending,
            [Unsure(*unsure) for unsure in state.get("unreported", [])],
        )


def _record(outcome: Outcome) -> dict[str, Any]:
    return outcome._replace(found=(), table=None)._asdict()
