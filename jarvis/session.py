"""One turn: words in, events out. Drives the graph, asks the hands, writes history."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, Protocol

from langgraph.types import Command

from .actions.base import Action
from .errors import CutOff, JarvisError, OutOfTime, ThreadBusy
from .events import (
    Acting,
    Event,
    Failed,
    Notice,
    Observed,
    Planned,
    Replied,
    ReplyDelta,
    TurnEnded,
    TurnStarted,
)
from .graph.prompt import transcript
from .graph.reception import judge
from .graph.state import Context, State, addresses_in, plan_in, steps_in
from .settings import Settings
from .store.history import History, Turn
from .store.locks import ThreadLock
from .summary import Ending, listed, summary
from .turn import UNKNOWN, Outcome, Plan, Request
from .urls import typed_addresses

_BUSY_SECONDS = 10.0
_FUSE = 60  # supersteps; the budgets end a turn long before


class Front(Protocol):
    """The person's side: it is told what happens, and its hands act."""

    place: str  # time and place, one line, for the model
    pictures: str  # the folder for pictures

    def tell(self, event: Event) -> None: ...

    async def act(self, request: Request) -> Outcome:
        """Perform it in the person's session. Failures are outcomes too."""
        ...


class Session:
    def __init__(
        self, graph: Any, saver: Any, history: History, settings: Settings, actions: Mapping[str, Action]
    ) -> None:
        self.graph = graph
        self.saver = saver
        self.history = history
        self.settings = settings
        self.actions = actions

    async def turn(self, words: str, thread: str, front: Front) -> TurnEnded:
        """Everything that happens for *words*, told to *front* as it happens.

        Raises StoreFailed or ThreadBusy where nothing was begun; any later error is an event.
        """
        lock = ThreadLock(self.settings.folders.state, thread)
        try:
            await self._take(lock, thread, front)
            for abandoned in self.history.close_abandoned(thread):
                for what in abandoned.unknown:
                    front.tell(
                        Notice(
                            f"The last turn stopped in the middle. It may or may not have happened: {what}"
                        )
                    )
            turn = self.history.begin(thread, words, typed_addresses(words))
            return await _Running(self, turn, words, front).run()
        finally:
            lock.release()

    async def _take(self, lock: ThreadLock, thread: str, front: Front) -> None:
        deadline = time.monotonic() + _BUSY_SECONDS
        told = False
        while not lock.take():
            by = f"in use by process {lock.holder() or 'unknown'}"
            if time.monotonic() > deadline:
                raise ThreadBusy(
                    f"The thread {thread} is {by}.", hint="Wait for it, or use another: jarvis -t other …"
                )
            if not told:
                front.tell(Notice(f"The thread {thread} is {by}: waiting"))
            told = True
            await asyncio.sleep(0.05)


class _Running:
    """A turn under way."""

    def __init__(self, session: Session, turn: Turn, words: str, front: Front) -> None:
        self._session = session
        self._history = session.history
        self._turn = turn
        self._words = words
        self._front = front
        self._state: State = {}  # as far as the graph has told
        self._streamed = ""  # of a reply that is being written
        self._acting: Request | None = None
        self._began = time.monotonic()
        self._away = 0.0  # seconds that were the person's or the desktop's, not ours

    async def run(self) -> TurnEnded:
        self._front.tell(TurnStarted(self._turn.thread, self._turn.id, self._words))
        try:
            await self._drive()
            ended = self._finished()
        except JarvisError as error:
            ended = self._failed(error)
        except BaseException:
            self._interrupted()
            raise
        self._front.tell(ended)
        await self._session.saver.adelete_thread(self._turn.id)
        return ended

    async def _drive(self) -> None:
        """Run the graph to its end, from interrupt to interrupt."""
        work: Any = self._first_state()
        while work is not None:
            work = await self._until_interrupt(work)

    async def _until_interrupt(self, work: Any) -> Command[Any] | None:
        stream = self._session.graph.astream(
            work,
            {"configurable": {"thread_id": self._turn.id}, "recursion_limit": _FUSE},
            context=self._context,
            stream_mode=["custom", "updates"],
            durability="sync",
        )
        request: Request | None = None
        async with aclosing(stream):
            while True:
                try:
                    async with asyncio.timeout(self._left()):
                        mode, update = await anext(stream)
                except StopAsyncIteration:
                    break
                except TimeoutError:
                    raise self._out_of_time() from None
                if "__interrupt__" in update:
                    request = Request(**update["__interrupt__"][0].value)
                else:
                    self._seen(mode, update)
        return Command(resume=(await self._act(request))._asdict()) if request else None

    def _seen(self, mode: str, update: dict[str, Any]) -> None:
        if mode == "custom":
            self._streaming(update)
            return
        for node, changed in update.items():
            self._state = {**self._state, **changed}
            if node == "planner" and not self._session.actions[plan_in(self._state).action].ends_turn:
                self._planned(plan_in(self._state))
            if node == "executor":
                self._observed()

    def _planned(self, plan: Plan) -> None:
        urls = {address.id: address.url for address in addresses_in(self._state)}
        target = " ".join(urls.get(str(value), str(value)) for value in plan.arguments.values())
        self._front.tell(Planned(len(self._state.get("steps", [])) + 1, plan, target))

    def _streaming(self, update: dict[str, Any]) -> None:
        if "notice" in update:
            self._front.tell(Notice(update["notice"]))
        elif "calls" in update:
            self._state["calls"] = update["calls"]
        else:
            self._streamed += update["delta"]
            self._front.tell(ReplyDelta(update["delta"]))

    def _observed(self) -> None:
        """The executor has come to an outcome: into history, unless the hands' already is, and told."""
        step = steps_in(self._state)[-1]
        outcome = Outcome(step.state, step.outcome, step.value, step.code, step.hint, step.exit_status)
        if self._acting is None:
            self._history.start_step(self._turn, step.n, step.action, step.arguments, step.value)
            self._history.end_step(self._turn, step.n, outcome)
        self._acting = None
        self._front.tell(Observed(step.n, step.action, outcome))

    async def _act(self, request: Request) -> Outcome:
        """Have the hands act, between two rows of history: what was started is never done again."""
        plan = plan_in(self._state)
        self._history.start_step(self._turn, request.n, request.action, plan.arguments, request.target)
        self._acting = request
        self._front.tell(Acting(request))
        left = time.monotonic()
        try:
            outcome = await self._front.act(request)
        finally:
            self._away += time.monotonic() - left
        known = {address.id: address for address in addresses_in(self._state)}
        self._history.end_step(self._turn, request.n, outcome, known.get(str(plan.arguments.get("address"))))
        return outcome

    def _first_state(self) -> State:
        turn, front = self._turn, self._front
        self._context = Context(
            transcript(self._history.transcript(turn)),
            front.place,
            front.pictures,
            lambda n, found, known: self._history.keep_found(turn, n, found, known),
        )
        addresses = [address._asdict() for address in self._history.offered(turn)]
        self._state = {"goal": self._words, "addresses": addresses, "steps": [], "calls": 0, "tokens": [0, 0]}
        return self._state

    def _left(self) -> float:
        left = self._session.settings.budgets.seconds - (time.monotonic() - self._began - self._away)
        if left <= 0:
            raise self._out_of_time()
        return left

    def _out_of_time(self) -> OutOfTime:
        seconds = self._session.settings.budgets.seconds
        return OutOfTime(
            f"This took more than {seconds:g} s.", hint="Ask for less, or allow more: --timeout 120"
        )

    def _finished(self) -> TurnEnded:
        state = self._state
        sources = listed(state.get("sources", []))
        self._front.tell(Replied(state.get("reply", ""), sources, self._from_memory()))
        shown = [source.id for source in sources]
        return self._close(
            state.get("status", "failed"), state.get("exit_status", 1), state["reply"], shown=shown
        )

    def _failed(self, error: JarvisError) -> TurnEnded:
        """It ended early. A step that failed before is the reason that counts."""
        partial = f"{self._streamed} (cut off)" if self._streamed else ""
        told = Failed(error.code, error.message, error.hint)
        self._front.tell(told)
        earlier = judge(steps_in(self._state), self._session.actions, self._words)
        status = earlier.exit_status if earlier.step and not isinstance(error, CutOff) else error.exit_status
        return self._close("failed", status, partial, error=told)

    def _interrupted(self) -> None:
        """Ctrl-C, or a fault of our own: what the hands were at may or may not have happened."""
        if self._acting is not None:
            self._history.end_step(self._turn, self._acting.n, UNKNOWN)
        self._history.end(self._turn, "interrupted", f"{self._streamed} (cut off)" if self._streamed else "")

    def _close(
        self,
        status: str,
        exit_status: int,
        reply: str,
        *,
        shown: list[str] | None = None,
        error: Failed | None = None,
    ) -> TurnEnded:
        ending = Ending(status, reply, error, time.monotonic() - self._began)
        whole = summary(self._turn, self._words, self._state, ending, self._session.actions)
        self._history.end(
            self._turn,
            status,
            reply,
            shown=shown or (),
            error=f"{error.code}: {error.message}" if error else None,
            usage=whole["usage"],
        )
        return TurnEnded(status, exit_status, whole)

    def _from_memory(self) -> bool:
        searches = [step.state for step in steps_in(self._state) if step.action == "search"]
        return bool(searches) and "done" not in searches
