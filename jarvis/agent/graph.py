"""The loop: plan one action, perform it, look, plan the next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..actions.base import Action, Services
from ..config.settings import Budgets
from ..core.concurrency import Clock
from ..core.types import DECLINED, Step
from ..packs.open_actions import OpenActions
from .executor import Executor
from .planner import Planner
from .result import judge
from .state import Context, State, steps_in


def build_graph(
    services: Services,
    actions: OpenActions,
    budgets: Budgets,
    checkpointer: BaseCheckpointSaver[str],
) -> Any:
    """Compile the loop. services: what actions in the brain work with."""
    every = actions.every

    def after_planner(state: State) -> str:
        return "reception" if every[state["plan"]["action"]].ends_turn else "executor"

    def after_executor(state: State, runtime: Runtime[Context]) -> str:
        steps = steps_in(state)
        last = steps[-1]
        # A no ends the turn, unless they asked for something else besides.
        if last.outcome.code == DECLINED and not runtime.context.reading.left(steps):
            return "reception"
        action = every[last.plan.action]
        # A search is never all: what it found is still to be used, or told.
        met = last.is_good and state["plan"]["finish"] and action.answers
        return "reception" if met or _is_given_up(action, steps) else "planner"

    graph = StateGraph(State, context_schema=Context)
    graph.add_node("planner", Planner(actions, budgets))  # one model call, exactly one Plan
    graph.add_node("executor", Executor(services, every))  # guard, then search or hand it to the desktop
    graph.add_node("reception", Reception(every))  # what it comes to
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", after_planner, ["executor", "reception"])
    graph.add_conditional_edges("executor", after_executor, ["planner", "reception"])
    graph.add_edge("reception", END)
    return graph.compile(checkpointer=checkpointer)


def _is_given_up(action: Action, steps: Sequence[Step]) -> bool:
    """Return whether what sums up came out unsound as often as it may: it is shown as it is then."""
    amiss = sum(not step.is_good for step in steps if step.plan.action == action.name)
    return action.sums_up and amiss >= action.attempts


async def run_graph(
    graph: Any,
    work: Any,
    config: Mapping[str, Any],
    context: Context,
    clock: Clock,
    seen: Callable[[str, dict[str, Any]], Awaitable[None]],
) -> int:
    """Run *graph* as far as it goes; return the number of the step that the hands are to do. 0: it has ended.

    work: its first state, or what it resumes with. seen: is given the kind of each of its updates, and it.
    """
    n = 0
    stream = graph.astream(
        work, config, context=context, stream_mode=["custom", "updates"], durability="sync"
    )
    async with aclosing(stream):
        while True:
            try:
                async with asyncio.timeout(clock.left()):
                    kind, update = await anext(stream)
            except StopAsyncIteration:
                return n
            except TimeoutError:
                raise clock.out_of_time() from None
            if "__interrupt__" in update:
                n = update["__interrupt__"][0].value
            else:
                await seen(kind, update)


class Reception:
    """Says what the turn comes to: its status, from the steps. No model call."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    # A plain function would be run on a thread.
    async def __call__(self, state: State) -> State:
        judgement = judge(steps_in(state), self._actions, state.get("intent") or ())
        return {"status": judgement.status, "exit_status": judgement.exit_status}
