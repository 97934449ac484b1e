"""Holds a plan against the person's own words: what they have to have said, and did not, is left out."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..actions.base import Action
from ..actions.kinds import needs_words, unsaid
from ..core.text import one_line
from ..core.types import Plan
from .context import Context, SessionParts
from .offers import facts_of
from .state import State, steps_in

_LONGEST = 60  # characters of what the model made up


def without_unsaid(
    plan: Plan, action: Action, state: State, runtime: Runtime[Context], parts: SessionParts
) -> Plan:
    """Return *plan* without what the person has to have said and did not, which is told. Raises Unusable."""
    if not needs_words(action):
        return plan
    facts = facts_of(state, runtime.context, parts, steps_in(state))
    reading = runtime.context.reading
    names = unsaid(action, plan.arguments, reading.own_words, reading.words_before, facts)
    for name in names:
        written = one_line(str(plan.arguments[name]), _LONGEST)
        runtime.stream_writer({"notice": f"You did not say “{written}”, so it is not used."})
    return plan._replace(arguments={name: each for name, each in plan.arguments.items() if name not in names})
