"""A whole turn: how it ended, as its steps tell it, and the one object that --json prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..actions.base import Action
from ..core.events import SCHEMA, Failed, Question, Source
from ..core.intent import asked_for
from ..core.stdlib import Any, NamedTuple
from ..core.types import NOT_ASKED, REPEATED, Step

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
    intent: tuple[str, ...] | None = None  # what the words asked for; None: they were not read
    unverified: tuple[str, ...] = ()  # the addresses in what is told that nothing vouches for


def judge(steps: Sequence[Step], actions: Actions, intent: Sequence[str] = ()) -> Judgement:
    """The turn's status: failed where a step did and no later one made it good, whatever was replied.

    That something was refused which nobody asked for, or which was done already, says nothing of it.
    intent: the parts that the steps were for.
    """
    for i, step in enumerate(steps):
        is_news = not step.is_good and step.code not in (REPEATED, NOT_ASKED)
        if is_news and not (
            _is_served(step, steps, intent)
            or any(_is_the_same(later, step, actions) for later in steps[i + 1 :])
        ):
            status = "refused" if step.state in ("refused", "declined") else "failed"
            return Judgement(status, step.exit_status or 1, step)
    return Judgement("done", 0)


def _is_the_same(later: Step, step: Step, actions: Actions) -> bool:
    """Whether *later* brought what *step* should have brought."""
    ours, other = actions[step.action], actions[later.action]
    same = later.arguments == step.arguments or ours.effect == "reads"
    return later.is_good and other.effect == ours.effect and same


def _is_served(step: Step, steps: Sequence[Step], intent: Sequence[str]) -> bool:
    """Whether all came about that the part asks for which *step* was for, by whatever other way."""
    wanted = asked_for(intent[step.part - 1]) if 0 < step.part <= len(intent) else 1
    return step.part != 0 and sum(each.is_good and each.part == step.part for each in steps) >= wanted


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
        "intent": None if whole.intent is None else list(whole.intent),
        "unverified": list(whole.unverified),
        "question": whole.question.as_record() if whole.question else None,
        "usage": whole.usage._asdict(),
        "error": error._asdict() if (error := whole.error or _error_of(whole, actions)) else None,
    }


def _step(step: Step) -> dict[str, Any]:
    names = ("n", "action", "arguments", "state", "outcome")
    return {**{name: getattr(step, name) for name in names}, "arguments": dict(step.arguments)}


def _error_of(whole: Whole, actions: Actions) -> Failed | None:
    """The step that the turn failed by."""
    step = judge(whole.steps, actions, whole.intent or ()).step if whole.status != "done" else None
    return Failed(step.code or step.state, step.outcome, step.hint) if step else None
