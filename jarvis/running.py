"""One turn under way: drives the graph, asks the hands, writes history, tells the front end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any

from langgraph.types import Command

from .acting import Acts, Sight
from .actions.base import Action
from .clock import Clock, hurried
from .config.limits import Budgets
from .consent import Memory
from .ending import Ending, close
from .errors import JarvisError, NeedsAnswer, StoreFailed, fault
from .events import (
    Failed,
    Notice,
    Planned,
    Replied,
    ReplyDelta,
    Source,
    TurnEnded,
    TurnStarted,
)
from .front import Front, Words
from .grant import grant_of
from .graph.prompt import transcript
from .graph.state import Context, State, addresses_in, facts_of, plan_in, steps_in
from .meter import Meter
from .policy import Policy
from .store.history import History
from .store.locks import Lock
from .summary import Usage
from .turn import SAID, Address, Plan, Request, Turn
from .typed import NamedTuple

_FUSE = 60  # supersteps; the budgets end a turn long before
_log = logging.getLogger(__name__)


class Parts(NamedTuple):
    """What every turn of a session shares."""

    graph: Any
    saver: Any
    history: History
    actions: Mapping[str, Action]
    budgets: Budgets
    meter: Callable[[Turn], Meter]
    policy: Callable[[], Policy]  # as it is now
    memory: Memory


class Running:
    def __init__(self, parts: Parts, turn: Turn, words: Words, front: Front, lock: Lock) -> None:
        self._parts = parts
        self._turn = turn
        self._words = words
        self._front = front
        self._clock = Clock(parts.budgets.seconds)
        self._meter = parts.meter(turn)
        self._config = {"configurable": {"thread_id": turn.id}, "recursion_limit": _FUSE}
        self._state: State = {"addresses": [], "calls": 0, "tokens": [0, 0]}  # as far as the graph has told
        self._streamed = ""  # of a reply that is being written
        self._asks_to_open = False  # the person, in plain words
        self._acts = Acts(*(turn, front, parts.history, parts.actions, parts.memory, self._clock, lock))

    async def run(self) -> TurnEnded:
        """The turn, to its end. Cancelled, it tells that it ended before it raises."""
        try:
            return await self._ended()
        except BaseException:
            hurried.set(True)
            reason = self._front.interruption
            kept = f"What was done so far is kept: jarvis threads show {self._turn.thread}"
            told = Failed(reason.code, reason.message, kept)
            await self._broken_off("interrupted", reason.exit_status, told)
            raise
        finally:
            with suppress(JarvisError):  # the sweep of the next start does it
                await self._parts.saver.adelete_thread(self._turn.id)

    async def _ended(self) -> TurnEnded:
        """The turn, to its end, unless it is cancelled: also while a failure is being written down."""
        try:
            self._front.tell(TurnStarted(self._turn.thread, self._turn.id, self._words.text))
            await self._drive()
            return await self._finished()
        except JarvisError as error:
            return await self._failed(error)
        except Exception as error:  # noqa: BLE001 (told in a line, with what was done so far)
            _log.exception("a fault of ours")
            ours = fault(error)
            told = Failed("fault", ours.message, ours.hint)
            return await self._broken_off("failed", ours.exit_status, told)

    async def _drive(self) -> None:
        """Run the graph to its end, from interrupt to interrupt."""
        shown = await self._parts.history.addresses.shown(self._turn.thread)
        context = await self._gathered(shown)
        work: Any = await self._first_state(shown)
        while work is not None:
            request = await self._until_interrupt(work, context)
            work = await self._resumption(request, context) if request else None

    async def _until_interrupt(self, work: Any, context: Context) -> Request | None:
        request: Request | None = None
        stream = self._parts.graph.astream(
            work, self._config, context=context, stream_mode=["custom", "updates"], durability="sync"
        )
        async with aclosing(stream):
            while True:
                try:
                    async with asyncio.timeout(self._clock.left()):
                        mode, update = await anext(stream)
                except StopAsyncIteration:
                    return request
                except TimeoutError:
                    raise self._clock.out_of_time() from None
                if "__interrupt__" in update:
                    request = Request(**update["__interrupt__"][0].value)
                else:
                    await self._seen(mode, update)

    async def _resumption(self, request: Request, context: Context) -> Command[Any]:
        facts = facts_of(self._state, context, self._parts.actions)
        sight = Sight(context.grant, facts, context.policy)
        outcome = await self._acts.perform(request, plan_in(self._state), sight)
        # On a turn that is gone a resumption would plan from nothing.
        if not (await self._parts.graph.aget_state(self._config)).interrupts:
            raise StoreFailed("The turn is gone from its database.", hint="Ask again.")
        return Command(resume=outcome._asdict())

    async def _seen(self, mode: str, update: dict[str, Any]) -> None:
        if mode == "custom":
            self._heard(update)
            return
        for node, changed in update.items():
            self._state = {**self._state, **changed}
            if node == "planner" and not self._parts.actions[plan_in(self._state).action].ends_turn:
                self._planned(plan_in(self._state))
            if node == "executor" and len(steps_in(self._state)) > len(self._acts.steps):
                await self._acts.decided(steps_in(self._state)[-1], plan_in(self._state).text)

    def _heard(self, update: dict[str, Any]) -> None:
        """What the planner says while it waits for the model."""
        if "notice" in update:
            self._front.tell(Notice(update["notice"]))
        elif "delta" not in update:  # the calls so far, or the whole reply
            self._state.update(update)  # type: ignore[typeddict-item]
        else:
            self._streamed += update["delta"]
            self._front.tell(ReplyDelta(update["delta"]))

    def _planned(self, plan: Plan) -> None:
        urls = {address.id: address.url for address in addresses_in(self._state)}
        target = " ".join(urls.get(str(value), str(value)) for value in plan.arguments.values())
        effect = self._parts.actions[plan.action].effect
        self._front.tell(Planned(len(self._acts.steps) + 1, plan, effect, target))

    async def _gathered(self, shown: Sequence[Address]) -> Context:
        turn, history = self._turn, self._parts.history
        exchanges = await history.transcript(turn)
        grant = grant_of(self._words.own, exchanges[-1].goal if exchanges else "")
        self._asks_to_open = grant.opens == SAID
        return Context(
            grant,
            self._parts.policy(),
            transcript(exchanges),
            [address.id for address in shown],
            self._front.streams,
            await history.addresses.opened(turn.thread),
            frozenset(),
            self._front.place,
            self._front.pictures,
            lambda n, found, known: history.addresses.keep_found(turn, n, found, known),
            self._meter,
        )

    async def _first_state(self, shown: Sequence[Address]) -> State:
        offered = await self._parts.history.addresses.offered(self._turn, shown)
        self._state = {
            "goal": self._words.own,
            "material": self._words.piped,
            "addresses": [address._asdict() for address in offered],
            "steps": [],
            "calls": 0,
            "tokens": [0, 0],
        }
        return self._state

    async def _finished(self) -> TurnEnded:
        return await self._end(self._state["status"], self._state["exit_status"])

    async def _failed(self, error: JarvisError) -> TurnEnded:
        """It ended early."""
        told = Failed(error.code, error.message, self._acts.consent.hint(error) or error.hint)
        status = "needs_answer" if isinstance(error, NeedsAnswer) else "failed"
        return await self._end(status, error.exit_status, told)

    async def _broken_off(self, status: str, exit_status: int, told: Failed) -> TurnEnded:
        """Ctrl-C, or a fault of our own: what the hands were at may or may not have happened."""
        await self._acts.break_off()
        return await self._end(status, exit_status, told)

    async def _end(self, status: str, exit_status: int, error: Failed | None = None) -> TurnEnded:
        is_cut_off = bool(self._streamed) and "reply" not in self._state
        ending = Ending(
            *(self._turn, self._words.text, status, exit_status, self._acts.steps, self._usage()),
            *(Replied(f"{self._streamed} (cut off)") if is_cut_off else self._replied(), error),
            unwritten=self._acts.unwritten,
            pending=self._acts.consent.pending if status == "needs_answer" else None,
            is_cut_off=is_cut_off,
        )
        return await close(ending, self._parts.history, self._parts.actions, self._front.tell)

    def _usage(self) -> Usage:
        searches = sum(self._parts.actions[step.action].effect == "reads" for step in self._acts.steps)
        tokens, seconds = self._state["tokens"], round(self._clock.elapsed, 3)
        return Usage(self._state["calls"], searches, tokens[0], tokens[1], seconds)

    def _replied(self) -> Replied:
        """The whole reply, which is there even where the turn failed after it."""
        if not (reply := self._state.get("reply", "")):
            return Replied("")
        sources = (Source(s["id"], s["title"], s["url"]) for s in self._state.get("sources", []))
        return Replied(reply, tuple(sources), self._note())

    def _note(self) -> str:
        """What is to be known of the model's words."""
        effects = [(self._parts.actions[step.action].effect, step.is_good) for step in self._acts.steps]
        if ("reads", False) in effects and ("reads", True) not in effects:
            return f"From the model's memory: nothing could be looked up. {self._meter.told}".rstrip()
        opened_nothing = self._asks_to_open and all(effect == "reads" for effect, _ in effects)
        notes = ["Nothing was opened or started."] if opened_nothing else []
        if self._meter.told and ("reads", True) not in effects:
            notes.insert(0, f"From the model's memory: nothing was looked up. {self._meter.told}")
        return " ".join(notes)
