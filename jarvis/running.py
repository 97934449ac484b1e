"""One turn under way: drives the graph, asks the hands, writes history, tells the front end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any, NamedTuple

from langgraph.types import Command

from . import guard
from .actions.base import Action
from .actions.counting import asks_to_open
from .clock import Clock, hurried
from .consent import Consent, Remember
from .ending import Ending, Unwritten, close
from .errors import JarvisError, NeedsAnswer, StoreFailed
from .events import (
    Acting,
    Failed,
    Notice,
    Observed,
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
from .settings import Budgets
from .store.history import History
from .store.locks import Lock
from .summary import Usage
from .turn import Address, Outcome, Plan, Request, Step, Turn, unknown

_FUSE = 60  # supersteps; the budgets end a turn long before
_REPORT = "Please report it, with what it prints with -v."
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
    remember: Remember


class Running:
    def __init__(self, parts: Parts, turn: Turn, words: Words, front: Front, lock: Lock) -> None:
        self._parts = parts
        self._turn = turn
        self._words = words
        self._front = front
        self._lock = lock
        self._clock = Clock(parts.budgets.seconds)
        self._meter = parts.meter(turn)
        self._config = {"configurable": {"thread_id": turn.id}, "recursion_limit": _FUSE}
        self._state: State = {"addresses": [], "calls": 0, "tokens": [0, 0]}  # as far as the graph has told
        self._steps: list[Step] = []  # that have come to an outcome
        self._streamed = ""  # of a reply that is being written
        self._acting: Request | None = None
        self._unwritten: Unwritten | None = None
        self._consent = Consent(turn, front, parts.history, self._clock, parts.remember)
        self._context: Context | None = None

    async def run(self) -> TurnEnded:
        """The turn, to its end. Cancelled, it tells that it ended before it raises."""
        try:
            self._front.tell(TurnStarted(self._turn.thread, self._turn.id, self._words.text))
            await self._drive()
            return await self._finished()
        except JarvisError as error:
            return await self._failed(error)
        except Exception as fault:  # noqa: BLE001 (told in a line, with what was done so far)
            _log.exception("a fault of ours")
            told = Failed("fault", f"A fault of Jarvis's own: {type(fault).__name__}: {fault}", _REPORT)
            return await self._broken_off("failed", JarvisError.exit_status, told)
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

    async def _drive(self) -> None:
        """Run the graph to its end, from interrupt to interrupt."""
        self._context = context = await self._gathered()
        work: Any = await self._first_state()
        while work is not None:
            request = await self._until_interrupt(work, context)
            work = await self._resumption(request) if request else None

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

    async def _resumption(self, request: Request) -> Command[Any]:
        outcome = await self._act(request)
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
            if node == "executor" and len(steps_in(self._state)) > len(self._steps):
                await self._decided(steps_in(self._state)[-1])

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
        self._front.tell(Planned(len(self._steps) + 1, plan, effect, target))

    async def _decided(self, step: Step) -> None:
        """A step that needed no hands: searched, or refused."""
        outcome = Outcome(step.state, step.outcome, step.value, step.code, step.hint, step.exit_status)
        self._observed(step, outcome)
        await self._parts.history.start_step(self._turn, step.n, step.action, step.arguments, step.value)
        await self._parts.history.end_step(self._turn, step.n, outcome)

    async def _act(self, request: Request) -> Outcome:
        """Have the hands act, between two writes to history: what was started is never done again."""
        plan = plan_in(self._state)
        if request.ask:
            approved = await self._approved(request)
            if isinstance(approved, Outcome):
                return approved
            request, plan = approved
        refused = self._refused_now(request, plan)
        if refused:
            await self._decided(_step(request, plan, refused))
            return refused
        await self._lock.confirm()
        await self._parts.history.start_step(
            *(self._turn, request.n, request.action, plan.arguments, request.target),
            rule=request.rule,
            why=plan.text,
        )
        self._acting = request
        self._front.tell(Acting(request))
        with self._clock.away():
            outcome = await self._front.act(request)
        self._acting = None
        self._observed(_step(request, plan, outcome), outcome)
        self._unwritten = Unwritten(request.n, outcome, request.address)
        await self._parts.history.end_step(self._turn, *self._unwritten)
        self._unwritten = None
        return outcome

    async def _approved(self, request: Request) -> tuple[Request, Plan] | Outcome:
        """What may be done after they were asked, or what came of that."""
        plan, action = plan_in(self._state), self._parts.actions[request.action]
        known = {address.id: address for address in addresses_in(self._state)}
        said = await self._consent.to(request, action, known)
        if isinstance(said, Outcome):
            if request.effect != "reads":  # that one's executor tells it
                await self._decided(_step(request, plan, said))
            return said
        request, address = said
        if request.effect == "reads":
            return Outcome("approved", "") if self._consent.used(request) else unknown(request.action, "")
        if address:
            self._state = {**self._state, "addresses": _with(self._state, address)}
            plan = plan._replace(arguments={**plan.arguments, "address": address.id})
        return request._replace(rule=f"you said yes ({request.rule})"), plan

    def _refused_now(self, request: Request, plan: Plan) -> Outcome | None:
        """The guard once more, right before the act: only what it lets pass, or they said yes to, is done."""
        if self._context is None:
            raise RuntimeError("no turn is under way")
        action, effects = self._parts.actions[request.action], _effects(self._parts.actions)
        facts = facts_of(self._state, self._context, effects)
        again = guard.authorise(action, plan.arguments, self._context.grant, facts, self._context.policy)
        if isinstance(again, Outcome):
            return again
        is_same = (again.effect.kind, again.effect.target) == (request.effect, request.target)
        is_said = self._consent.used(request)
        # A picture's path is free until it is taken.
        if (is_same or request.effect == "captures") and (not again.ask or is_said):
            return None
        return guard.refusal(action.not_done(request.target), "it is not what was decided on.")

    def _observed(self, step: Step, outcome: Outcome) -> None:
        self._steps.append(step)
        self._front.tell(Observed(step.n, step.action, self._parts.actions[step.action].effect, outcome))

    async def _gathered(self) -> Context:
        turn, history = self._turn, self._parts.history
        exchanges = await history.transcript(turn)
        return Context(
            grant_of(self._words.own, exchanges[-1].goal if exchanges else ""),
            self._parts.policy(),
            transcript(exchanges),
            [address.id for address in await history.addresses.shown(turn.thread)],
            self._front.streams,
            await history.addresses.opened(turn.thread),
            frozenset(await history.allowed(turn.thread)),
            self._front.place,
            self._front.pictures,
            lambda n, found, known: history.addresses.keep_found(turn, n, found, known),
            self._meter,
        )

    async def _first_state(self) -> State:
        addresses = [address._asdict() for address in await self._parts.history.addresses.offered(self._turn)]
        self._state = {
            "goal": self._words.own,
            "material": self._words.piped,
            "addresses": addresses,
            "steps": [],
            "calls": 0,
            "tokens": [0, 0],
        }
        return self._state

    async def _finished(self) -> TurnEnded:
        return await self._end(self._state["status"], self._state["exit_status"])

    async def _failed(self, error: JarvisError) -> TurnEnded:
        """It ended early."""
        told = Failed(error.code, error.message, error.hint)
        status = "needs_answer" if isinstance(error, NeedsAnswer) else "failed"
        return await self._end(status, error.exit_status, told)

    async def _broken_off(self, status: str, exit_status: int, told: Failed) -> TurnEnded:
        """Ctrl-C, or a fault of our own: what the hands were at may or may not have happened."""
        if self._acting is not None:
            request, self._acting = self._acting, None
            outcome = unknown(request.action, request.target)
            self._observed(_step(request, plan_in(self._state), outcome), outcome)
            with suppress(JarvisError):  # it stays `started`, which comes to the same
                await self._parts.history.end_step(self._turn, request.n, outcome)
        return await self._end(status, exit_status, told)

    async def _end(self, status: str, exit_status: int, error: Failed | None = None) -> TurnEnded:
        is_cut_off = bool(self._streamed) and "reply" not in self._state
        ending = Ending(
            *(self._turn, self._words.text, status, exit_status, self._steps, self._usage()),
            *(Replied(f"{self._streamed} (cut off)") if is_cut_off else self._replied(), error),
            unwritten=self._unwritten,
            question=self._consent.question if status == "needs_answer" else None,
            is_cut_off=is_cut_off,
        )
        return await close(ending, self._parts.history, self._parts.actions, self._front.tell)

    def _usage(self) -> Usage:
        searches = sum(self._parts.actions[step.action].effect == "reads" for step in self._steps)
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
        effects = [(self._parts.actions[step.action].effect, step.is_good) for step in self._steps]
        if ("reads", False) in effects and ("reads", True) not in effects:
            return f"From the model's memory: nothing could be looked up. {self._meter.told}".rstrip()
        opened_nothing = asks_to_open(self._words.own) and all(effect == "reads" for effect, _ in effects)
        notes = ["Nothing was opened or started."] if opened_nothing else []
        if self._meter.told and ("reads", True) not in effects:
            notes.insert(0, f"From the model's memory: nothing was looked up. {self._meter.told}")
        return " ".join(notes)


def _effects(actions: Mapping[str, Action]) -> dict[str, str]:
    return {name: action.effect for name, action in actions.items()}


def _with(state: State, address: Address) -> list[dict[str, str]]:
    """The addresses of *state*, *address* among them."""
    others = [record for record in state["addresses"] if record["id"] != address.id]
    return [*others, address._asdict()]


def _step(request: Request, plan: Plan, outcome: Outcome) -> Step:
    return Step(
        *(request.n, request.action, plan.arguments, outcome.state, outcome.text, outcome.value),
        *(outcome.code, outcome.hint, outcome.exit_status),
    )
