"""A whole turn: how it ended, as its steps tell it, and the one object that --json prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .actions.base import Action
from .events import SCHEMA, Failed, Question, Source
from .turn import REPEATED, Step
from .typed import Any, NamedTuple

Actions = Mapping[str, Action]


class Judgement(NamedTuple):
    """How a turn ended, as its steps tell it."""

    status: str  # done | failed | refused
    exit_status: int
    step: Step | None = None  # the step that decided it


class Usage(NamedTuple):
    """What a turn used up."""

    model_calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


class Whole(NamedTuple):
    """All there is to tell of a turn."""

    thread: str
    turn: str
    goal: str
    status: str  # done | failed | needs_answer | refused | interrupted
    reply: str  # the model's words
    steps: Sequence[Step]
    sources: Sequence[Source]
    usage: Usage
    error: Failed | None
    question: Question | None = None  # that nobody could be asked


def judge(steps: Sequence[Step], actions: Actions, goal: str) -> Judgement:
    """The turn's status: failed where a step did and no later one made it good, whatever was replied."""
    for i, step in enumerate(steps):
        if (
            step.is_good
            or step.code == REPEATED
            or any(_makes_good(later, step, steps, actions, goal) for later in steps[i + 1 :])
        ):
            continue
        status = "refused" if step.state in ("refused", "declined") else "failed"
        return Judgement(status, step.exit_status or 1, step)
    return Judgement("done", 0)


def _makes_good(later: Step, step: Step, steps: Sequence[Step], actions: Actions, goal: str) -> bool:
    """Whether *later* brought what *step* should have brought.

    Another way to the same end counts, a site in place of an app, once all that was named has come out
    well. Another app is never the app that was asked for.
    """
    ours, other = actions[step.action], actions[later.action]
    if not later.is_good:
        return False
    if other.effect == ours.effect and (later.arguments == step.arguments or ours.effect == "reads"):
        return True
    from .words.counting import things_named  # a plain command has no use for it

    other_way = ours.effect == other.effect == "opens" or ours.effect in other.stands_in_for
    good = sum(each.is_good and actions[each.action].effect in ("opens", "launches") for each in steps)
    return other_way and good >= things_named(goal)


def told(steps: Sequence[Step], actions: Mapping[str, Action], reply: str) -> str:
    """What happened, from the outcomes; then the model's words. Searches that worked go without saying."""
    lines = [step.outcome for step in steps if step.state != "done" or actions[step.action].effect != "reads"]
    return "\n".join([*lines, reply] if reply else lines)


def summary(whole: Whole, actions: Mapping[str, Action]) -> dict[str, Any]:
    """The object of the contract."""
    return {
        "schema": SCHEMA,
        "status": whole.status,
        "thread": whole.thread,
        "turn": whole.turn,
        "goal": whole.goal,
        "reply": told(whole.steps, actions, whole.reply),
        "steps": [_step(step) for step in whole.steps],
        "sources": [source._asdict() for source in whole.sources],
        "question": whole.question.as_record() if whole.question else None,
        "usage": whole.usage._asdict(),
        "error": error._asdict() if (error := whole.error or _error_of(whole, actions)) else None,
    }


def _step(step: Step) -> dict[str, Any]:
    names = ("n", "action", "arguments", "state", "outcome")
    return {**{name: getattr(step, name) for name in names}, "arguments": dict(step.arguments)}


def _error_of(whole: Whole, actions: Actions) -> Failed | None:
    """The step that the turn failed by."""
    step = judge(whole.steps, actions, whole.goal).step if whole.status != "done" else None
    return Failed(step.code or step.state, step.outcome, step.hint) if step else None
