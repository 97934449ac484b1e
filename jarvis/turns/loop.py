"""One run of a turn: carries the graph's interrupts to the front end and back, and sends its events."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, cast

from langgraph.types import Command, Interrupt

from ..actions.base import Action, failed
from ..actions.fields import unused_limits
from ..agent.begin import gather
from ..agent.citations import unverified
from ..agent.executor import ACT, PlannedSteps, cut_off
from ..agent.graph import Savers, run_graph
from ..agent.meter import Meter
from ..agent.models import Models
from ..agent.reading import IntentTracker
from ..agent.reception import TurnResult, Usage, close, fail_if_unmet, observed
from ..agent.state import (
    Context,
    Person,
    Resources,
    SessionParts,
    State,
    TurnTables,
    addresses_in,
    plan_in,
    planned_in,
    standing_in,
    steps_in,
)
from ..agent.steps import read_given
from ..core.concurrency import Clock, Limiter
from ..core.errors import FAULT, JarvisError, UsageError, report_bugs
from ..core.events import (
    Frontend,
    Notice,
    Replied,
    ReplyDelta,
    Source,
    TurnEnded,
    TurnStarted,
    Unreported,
    Words,
    to_show,
)
from ..core.text import one_line
from ..core.types import LOOKUPS, ActionRequest, Address, NamedFile, Outcome, Step, Turn
from ..core.urls import typed_addresses
from ..launcher.names import known_hosts
from ..pages.page import TurnFiles
from ..policy.questions import Approval
from ..store.addresses import pages_in
from ..store.database import Lock, Locks
from ..store.history import Journal, reopening
from ..store.turns import find_turn

_FUSE = 60  # supersteps; the budgets end a turn long before
_log = logging.getLogger(__name__)


class Engine(NamedTuple):
    """Runs the turns of a session to their end."""

    graph: Any
    savers: Savers
    parts: SessionParts
    models: Models
    meter: Callable[[Turn, str], Meter]  # of a turn, by the model of that name
    limiter: Limiter
    locks: Locks  # of threads


class LoopTurn:
    """Implements questions.Asks, by its front end."""

    def __init__(self, engine: Engine, turn: Turn, lock: Lock, words: Words, frontend: Frontend) -> None:
        """lock: of its thread."""
        self._graph = engine.graph.copy(update={"checkpointer": engine.savers.make()})
        self._engine = engine
        self._parts = parts = engine.parts
        self._words = words
        self._frontend = frontend
        self._config = {"configurable": {"thread_id": turn.id}, "recursion_limit": _FUSE}
        # As far as the graph has told.
        self._state: State = {"goal": words.own, "addresses": [], "calls": 0, "tokens": [0, 0]}
        self._steps: list[Step] = []  # that were told, with what they made
        self._planned = 0  # the number of the step whose plan was told last
        # What came of what the desktop was given, by its step; None: it is at it.
        self._acts: dict[int, Outcome | None] = {each.n: each.outcome for each in words.did or ()}
        self._streamed = ""  # of a reply that is being written
        self._has_ended = self._is_parked = False
        clock = Clock(parts.budgets.seconds)
        model = engine.models.patient(words.model, clock.left)
        self._context = Context(
            person=Person(words, frontend),
            resources=Resources(clock, model, engine.meter(turn, words.model)),
            journal=Journal(parts.history.database, turn, lock, lambda: self._context.reading.parts_by_id),
            tables=TurnTables(frontend.tell),
            reading=IntentTracker(words.own, parts.actions, parts.open_actions.wants),
            approval=Approval(
                turn, frontend, parts.actions, parts.files.remember, parts.files.remember_choice, self._away
            ),
            files=TurnFiles(),
        )

    async def run(self) -> TurnEnded:
        """Run the turn to its end. If cancelled, it reports the end before it raises.

        Raises any error that keeps it from beginning. The user can then ask again.
        """
        try:
            return await self._through()
        except asyncio.CancelledError:  # perhaps while a failure is being written down
            if self._context.turn.n:
                reason = self._frontend.interruption
                reason.hint = reason.hint or self._kept_so_far()
                await self._end(reason)
            raise
        finally:
            if not self._is_parked:
                await self._forget()

    async def confirm(self) -> None:
        """Have the front end confirm that it showed the turn, if that has ended, and write that down."""
        if self._has_ended:
            reported = [Unreported(*each) for each in self._state.get("unreported", [])]
            is_shown = await self._frontend.confirmed()
            await self._context.journal.confirm(reported, is_shown=is_shown)

    async def _forget(self) -> None:
        """Delete what the graph kept of the turn."""
        engine, context = self._engine, self._context
        saver, history, turn = self._graph.checkpointer, self._parts.history, context.turn.id
        await engine.savers.delete(saver, turn, history, engine.locks, is_private=context.is_private)

    def _kept_so_far(self) -> str:
        """Return a hint to the steps that were done, if there are any."""
        is_begun = self._steps or self._streamed
        return f"Your progress is saved: {to_show(self._context.turn.thread)}" if is_begun else ""

    async def _through(self) -> TurnEnded:
        try:
            with report_bugs(), self._engine.savers.translated():
                await self._drive()
        except JarvisError as error:
            if not self._context.turn.n:  # it is not in history
                raise
            if error.code == FAULT:
                _log.exception("a fault of ours", exc_info=error.__cause__)
            if "status" not in self._state:  # else only its checkpoint could not be kept
                return await self._end(error)
        return await self._end()

    async def _drive(self) -> None:
        """Run the graph to its end, from interrupt to interrupt."""
        work, clock = await self._first_work(), self._context.resources.clock
        while waits := await clock.run(
            run_graph(self._graph, work, self._config, self._context, self._on_graph_update)
        ):
            answer = await self._reply_to(waits)
            work = Command(resume={waits.id: answer})  # by id: a bare dict may be taken for ids

    async def _first_work(self) -> Any:
        """Return the graph's first input: a new turn, the answer to its checkpoint, or its state from
        history.

        Answers now or an hour later and turns of a dead brain all begin here. If history has more steps than
        the checkpoint, history counts.
        """
        if self._words.did is None:
            return self._state
        turn, database = self._context.turn.id, self._parts.history.database
        snapshot = await self._graph.aget_state(self._config)
        before = await find_turn(database, turn)
        self._context.journal.is_private = before is not None and before.is_private
        is_latest = len(before.steps if before else ()) <= len(snapshot.values.get("steps", [])) + 1
        is_same = snapshot.values.get("goal") == self._words.own
        for waits in snapshot.interrupts if is_latest and is_same else ():
            if answer := self._request_for(waits, snapshot.values):
                await database.run_all(reopening(turn))
                await self._take_up(snapshot.values)
                return Command(resume={waits.id: answer})
        await self._graph.checkpointer.adelete_thread(turn)
        if self._words.answer and not self._words.did:  # a row alone says nothing of what they were asked
            raise UsageError("Nothing is left of what the question was about.", hint="Ask again.")
        return self._state

    def _request_for(self, waits: Interrupt, state: State) -> dict[str, Any] | None:
        """Return the client's answer to *waits*. Nothing in a checkpoint is performed or shown."""
        if waits.value == ACT:
            outcome = self._acts.get(len(state["steps"]) + 1)
            return outcome.as_record() if outcome else None
        return read_given(self._words.answer)  # to no question: so it is asked anew

    async def _take_up(self, state: State) -> None:
        """Continue from *state*, in which another run left the turn."""
        context, typed = self._context, tuple(pages_in(Address(**each) for each in state["typed"]))
        paths = {file.path for file in self._words.files}
        files = [NamedFile(path, name, id=id_) for id_, path, name in state["files"]]
        context.files.files.update((f.id, f._replace(is_recalled=f.path not in paths)) for f in files)
        context.journal.turn = Turn(context.turn.id, state["thread"], state["n"], typed, state["given"])
        await gather(context, self._parts)
        self._parts.open_actions.of_packs(state.get("packs", ()))  # which loads them
        context.reading.recall(state["reading"])
        self._state = state
        self._tell_begun()
        context.tables.tell(state, state.get("shown_tables", 0))
        self._steps = steps_in(state)
        self._planned = len(self._steps) + 1

    async def _reply_to(self, waits: Interrupt) -> dict[str, Any]:
        """Return the front end's answer to an interrupt that this run decided on."""
        request = cast(ActionRequest, self._context.person.request)  # it was decided on before the interrupt
        if waits.value == ACT:
            self._frontend.tell(request)
            self._acts[request.n] = None
            with self._context.resources.clock.away():
                outcome = await self._frontend.desktop.act(request)
            self._acts[request.n] = outcome
            return outcome.as_record()
        return await PlannedSteps(self._parts, self._context, self._state).ask_about(request)

    def _on_graph_update(self, mode: str, update: dict[str, Any]) -> None:
        """Send events for a node's own news, and for new steps and the next plan in the state."""
        if mode == "custom":
            self._on_model_update(update)
            return
        before, self._state = self._state, cast(State, update)
        if "thread" in self._state and "thread" not in before:
            self._tell_begun()
        tables = self._context.tables.of(self._state)[len(before.get("tables", [])) :]
        for step in steps_in(self._state)[len(self._steps) :]:  # in history by now, if it takes any
            self._tell_step(
                step._replace(outcome=step.outcome._replace(table=tables[-1] if tables else None))
            )
        if self._state.get("plans") and self._planned <= len(self._steps):
            self._tell_plan()

    def _tell_begun(self) -> None:
        for unsure in self._state["unreported"]:
            self._frontend.tell(Unreported(*unsure))
        turn = self._context.turn
        self._frontend.tell(TurnStarted(turn.thread, turn.id, self._words.own))

    def _tell_plan(self) -> None:
        self._planned = len(self._steps) + 1
        self._context.tables.tell(self._state, self._state.get("shown_tables", 0))
        action = self._parts.actions[plan_in(self._state).action]
        if not action.ends_turn:
            addresses = self._context.tables.addresses_by_id(self._state)
            self._frontend.tell(planned_in(self._state, self._planned, action.effect, addresses))

    def _tell_step(self, step: Step) -> None:
        self._steps.append(step)
        self._frontend.tell(observed(step, self._parts.actions))

    def _on_model_update(self, update: dict[str, Any]) -> None:
        """Tell what the planner says of its call to the model."""
        if "delta" not in update:  # the calls so far, or the whole reply
            self._state.update(update)  # type: ignore[typeddict-item]
            return
        self._context.tables.tell(self._state)
        self._streamed += update["delta"]
        self._frontend.tell(ReplyDelta(update["delta"]))

    @asynccontextmanager
    async def _away(self) -> AsyncIterator[None]:
        """Stop the clock while the user thinks, and let another turn run meanwhile."""
        with self._context.resources.clock.away():
            async with self._engine.limiter.away():
                yield

    async def _break_off(self, error: JarvisError) -> None:
        """Note what came of what the desktop was given: that may have happened, unless that is known.

        What it was not given did not happen.
        """
        begun = self._state.get("request") or {}
        if "n" not in begun:
            self._context.journal.drop_started()  # the turn ended before the graph told of it
            return
        action, target = self._parts.actions[begun["action"]], begun["target"]
        outcome = self._acts.get(begun["n"], failed(action.not_done(target), error))
        if outcome is None or outcome.state == "approved":  # or the brain was at it, which the desktop let
            outcome = await cut_off(self._parts, self._context.turn.id, begun["n"], action, target)
        step = Step(begun["n"], plan_in(self._state), outcome._replace(part=begun["part"]))
        self._state = {**self._state, "request": None}
        await self._context.journal.finish(step)
        self._tell_step(step)

    async def _end(self, error: JarvisError | None = None) -> TurnEnded:
        """Close the turn. error: if it ended early. A question that nobody could answer waits."""
        if error:
            await self._break_off(error)
        context, state, approval = self._context, self._state, self._context.approval
        context.tables.tell(state)
        self._tell_unused()
        self._tell_unread()
        result = TurnResult(
            turn=context.turn,
            goal=self._words.own,
            status=state.get("status", ""),
            exit_status=state.get("exit_status", 0),
            failed=state.get("failed", 0),
            steps=self._steps,
            usage=self._usage(),
            replied=self._replied(),
            is_cut_off=bool(self._streamed) and not state.get("reply"),
            intent=context.reading.parts_by_id,
            extra=context.resources.meter.counting_tokens(),
            tables=context.tables.tables_to_save(state),
            standing=standing_in(state, context.tables.thread.listed),
        )
        unmet = context.reading.unmet(self._steps)
        note = context.reading.describe_unmet(unmet, self._failed_search())
        result = fail_if_unmet(result, context.reading.by_id(unmet), note, error)
        result = result._replace(unverified=self._unverified_in(result, error.message if error else ""))
        note = "" if state.get("reply") else context.resources.model.note  # a reply says so itself
        for text in filter(None, (note, context.resources.meter.near)):
            self._frontend.tell(Notice(text))
        history, actions, tell = self._parts.history, self._parts.actions, self._frontend.tell
        ended = await close(result, error, approval, history, actions, tell, context.journal)
        self._has_ended = True
        self._is_parked = ended.status == "needs_answer" and approval.pending is not None
        return ended

    def _failed_search(self) -> str:
        """Return the last search, if no search of this turn found anything."""
        actions = self._parts.actions
        searched = [step for step in self._steps if step.is_good and actions[step.plan.action].searches]
        lookups = self._state.get("lookups", [])[-len(searched) :] if searched else []
        return "" if any(found for _, found, *_ in lookups) else str(lookups[-1][0]) if lookups else ""

    def _tell_unused(self) -> None:
        """Report amounts in the words that no step used as a limit."""
        amounts = unused_limits(self._words.own, self._steps, self._parts.actions)
        if text := " ".join(f"“{one_line(amount, 60)}” was not taken as a limit." for amount in amounts):
            self._frontend.tell(Notice(text, must_know=True))

    def _tell_unread(self) -> None:
        """Tell which of the files in the words nobody tried to read, though the model answered."""
        files = self._context.files.files
        tried = {value for step in self._steps for value in step.plan.arguments.values()}
        left = [f.name for f in files.values() if f.id not in tried and not os.path.isdir(f.path)]
        if left and self._state.get("reply"):
            self._frontend.tell(Notice(f"Not read: {', '.join(left)}.", must_know=True))

    def _usage(self) -> Usage:
        searches = sum(self._parts.actions[step.plan.action].searches for step in self._steps)
        meter, (read, written) = self._context.resources.meter, self._state["tokens"]
        seconds, left = round(self._context.resources.clock.elapsed, 3), meter.left.get("searches")
        return Usage(self._state["calls"], searches, read, written, seconds, meter.credits, left)

    def _replied(self) -> Replied:
        """Return the reply, even if the turn failed after it, or the part that was streamed."""
        if not (reply := self._state.get("reply", "")):
            return Replied(f"{self._streamed} (cut off)" if self._streamed else "")
        context = self._context
        note = _note_on(self._steps, self._parts.actions, context.resources.meter)
        sources = tuple(Source(**each) for each in self._state.get("sources", []))
        first = len(context.tables.lines(self._state)) + 1
        return Replied(reply, sources, f"{context.resources.model.note} {note}".strip(), first=first)

    def _unverified_in(self, result: TurnResult, failure: str) -> tuple[str, ...]:
        """Return the addresses in the reply that neither the words, nor a search, nor our tables contain."""
        texts = [result.replied.text, *(step.outcome.text for step in result.steps), failure]
        texts += [source["title"] for source in self._state.get("sources", [])]
        urls = [address.url for address in (*result.turn.typed, *addresses_in(self._state))]
        urls += [row.url for each in result.tables for row in each.table.rows if row.url]
        urls += [*typed_addresses(self._words.own), *self._context.tables.thread.typed_before]
        return unverified("\n".join(texts), urls, known_hosts())


def _note_on(steps: Sequence[Step], actions: Mapping[str, Action], meter: Meter) -> str:
    """Return a note on the model's reply that follows from the steps."""
    looked_up = [step.is_good for step in steps if actions[step.plan.action].effect in (*LOOKUPS, "shows")]
    if any(looked_up) or not (looked_up or meter.note):
        return ""
    verb = "could be" if looked_up else "was"
    return f"From the model's memory: nothing {verb} looked up. {meter.note}".rstrip()
