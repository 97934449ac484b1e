"""The loop: plan one action, perform it, look, plan the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

from ..actions.base import Action, BrainAction, Search
from ..config.settings import Budgets
from ..core.types import step_in
from .executor import Executor
from .model import Model
from .planner import Planner
from .result import judge
from .state import Context, State, steps_in


def build_graph(
    model: Model,
    search: Search,
    actions: Mapping[str, Action],
    budgets: Budgets,
    checkpointer: BaseCheckpointSaver[str],
) -> Any:
    """Compile the loop."""

    def after_planner(state: State) -> str:
        return "reception" if actions[state["plan"]["action"]].ends_turn else "executor"

    def after_executor(state: State) -> str:
        last = step_in(state["steps"][-1])
        # A search is never all: what it found is still to be used, or told.
        met = (
            last.is_good
            and state["plan"]["finish"]
            and not isinstance(actions[last.plan.action], BrainAction)
        )
        return "reception" if met else "planner"

    graph = StateGraph(State, context_schema=Context)
    graph.add_node("planner", Planner(model, actions, budgets))  # one model call, exactly one Plan
    graph.add_node("executor", Executor(search, actions))  # guard, then search or hand it to the desktop
    graph.add_node("reception", Reception(actions))  # what it comes to
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", after_planner, ["executor", "reception"])
    graph.add_conditional_edges("executor", after_executor, ["planner", "reception"])
    graph.add_edge("reception", END)
    return graph.compile(checkpointer=checkpointer)


class Reception:
    """Says what the turn comes to: its status, from the steps. No model call."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    # A plain function would be run on a thread.
    async def __call__(self, state: State) -> State:
        judgement = judge(steps_in(state), self._actions, state.get("intent") or ())
        return {"status": judgement.status, "exit_status": judgement.exit_status}
