"""The turn as a graph: everything that it does is a node, everything that it knows is in its state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Interrupt

from ..actions.base import Action
from ..core.concurrency import in_time
from ..core.types import DECLINED, Step
from .begin import Begin
from .executor import Executor
from .planner import Planner
from .reception import Reception
from .state import Context, SessionParts, State, steps_in


def build_graph(parts: SessionParts, saver: BaseCheckpointSaver[str]) -> Any:
    """Compile the turn. Where a node waits for the client, that is its first statement: see executor.py."""
    every, executor = parts.actions, Executor(parts)

    def after_begin(state: State) -> str:
        steps = steps_in(state)
        return "reception" if steps and _is_met(steps[-1], state, every) else "planner"

    def after_planner(state: State) -> str:
        return "reception" if every[state["plan"]["action"]].ends_turn else "executor"

    def after_executor(state: State, runtime: Runtime[Context]) -> str:
        if request := state.get("request"):
            return "question" if "ask" in request else "desktop"
        return after_step(state, runtime)

    def after_step(state: State, runtime: Runtime[Context]) -> str:
        steps = steps_in(state)
        last = steps[-1]
        # A no ends the turn, unless they asked for something else besides.
        if last.outcome.code == DECLINED and not runtime.context.reading.left(steps):
            return "reception"
        is_over = _is_met(last, state, every) or _is_given_up(every[last.plan.action], steps)
        return "reception" if is_over else "planner"

    graph = StateGraph(State, context_schema=Context)
    graph.add_node("begin", Begin(parts))  # the turn's row; what the thread knows
    graph.add_node("planner", Planner(parts))  # one model call, exactly one Plan
    graph.add_node("executor", executor.execute)  # guard; then look up here, or:
    graph.add_node("question", executor.question)  # ask the person, then the guard once more
    graph.add_node("desktop", executor.desktop)  # have the hands act; write down what came of it
    graph.add_node("reception", Reception(every))  # what it comes to
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", after_begin, ["planner", "reception"])
    graph.add_conditional_edges("planner", after_planner, ["executor", "reception"])
    graph.add_conditional_edges("executor", after_executor, ["question", "desktop", "planner", "reception"])
    graph.add_edge("question", "executor")
    graph.add_conditional_edges("desktop", after_step, ["planner", "reception"])
    graph.add_edge("reception", END)
    return graph.compile(checkpointer=saver)


def _is_met(last: Step, state: State, actions: Mapping[str, Action]) -> bool:
    """Return whether nothing is left after *last*. A search is never all: what it found is to be used."""
    return last.is_good and state["plan"]["finish"] and actions[last.plan.action].answers


def _is_given_up(action: Action, steps: Sequence[Step]) -> bool:
    """Return whether what sums up came out unsound as often as it may: it is shown as it is then."""
    amiss = sum(not step.is_good for step in steps if step.plan.action == action.name)
    return action.sums_up and amiss >= action.attempts


async def run_graph(
    graph: Any,
    work: Any,
    config: Mapping[str, Any],
    context: Context,
    seen: Callable[[str, dict[str, Any]], Awaitable[None]],
) -> Interrupt | None:
    """Run *graph* as far as it goes; return what it waits for. None: it has ended.

    work: its first state, or what it resumes with. seen: is given the kind of each of its updates, and it.
    """
    waits: Interrupt | None = None
    stream = graph.astream(
        work, config, context=context, stream_mode=["custom", "updates"], durability="exit"
    )
    async with aclosing(stream):
        while True:
            try:
                kind, update = await in_time(anext(stream), context.clock.left(), lambda: None)
            except StopAsyncIteration:
                return waits
            except TimeoutError:
                raise context.clock.out_of_time() from None
            if "__interrupt__" in update:
                waits = update["__interrupt__"][0]
            else:
                await seen(kind, update)
