"""Tells how a turn ended, from history: the brain that closed it died before it could."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..actions.base import Action
from ..agent.result import Ending, Usage, is_told_by_itself, judge, summary
from ..core.errors import JarvisError
from ..core.events import Event, Observed, Replied, Source, TurnEnded, TurnFailed, TurnStarted, question_in
from ..core.types import OFFER, Performed, Step, Turn
from ..store.history import History
from ..store.left_turns import LeftTurn, steps_of
from ..store.tables import tables_in


async def replay(
    left: LeftTurn,
    goal: str,
    did: Sequence[Performed],
    history: History,
    actions: Mapping[str, Action],
    tell: Callable[[Event], None],
) -> TurnEnded:
    """Tell all of the turn *left*, which has ended. did: what the hands know of it."""
    outcomes = {each.n: each.outcome for each in did}
    steps = [
        step._replace(outcome=outcomes.get(step.n, step.outcome))
        for step in await steps_of(history.database, left.id)
    ]
    ending = await _ending(left, goal, steps, history, actions)
    tell(TurnStarted(left.thread, left.id, goal))
    for tabled in ending.tables:
        tell(tabled)
    for step in steps:
        action = actions[step.plan.action]
        is_told = is_told_by_itself(step, action)
        tell(Observed(step.n, action.name, action.effect, step.outcome, not is_told))
    if ending.replied.text:
        tell(ending.replied)
    if ending.error:
        tell(ending.error)
    ended = TurnEnded(ending.status, ending.exit_status, summary(ending, actions))
    tell(ended)
    return ended


async def _ending(
    left: LeftTurn, goal: str, steps: Sequence[Step], history: History, actions: Mapping[str, Action]
) -> Ending:
    lines, kept = await history.addresses.listed_in(left.thread, left.listed)
    sources = [Source(line.id, line.title, line.url) for line in lines if not line.id.startswith(OFFER)]
    question = question_in(left.question) if left.question else None
    hint = f"To answer: jarvis --answer {question.id}={question.options[0].id}" if question else ""
    code, _, message = left.error.partition(": ")
    judgement = judge(steps, actions, left.intent or ())
    return Ending(
        turn=Turn(left.id, left.thread, left.n, ()),
        goal=goal,
        status=left.status,
        exit_status=_exit_statuses().get(code, 1) if code else judgement.exit_status,
        steps=steps,
        usage=Usage(**{name: left.usage[name] for name in Usage._fields if name in left.usage}),
        replied=Replied(left.reply, tuple(sources), first=len(lines) - len(sources) + 1),
        error=TurnFailed(code, message, hint) if code else None,
        question=question,
        intent=left.intent,
        tables=tables_in(kept),
    )


def _exit_statuses() -> dict[str, int]:
    """Return the exit status of each kind of error, by its code."""
    kinds = [JarvisError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {kind.code: kind.exit_status for kind in kinds}
