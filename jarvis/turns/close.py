"""The end of a turn, plain or not: it is written down first, then told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..actions.base import Action
from ..agent.reception import TurnResult, is_shown, summary
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated
from ..core.events import Event, Notice, Observed, TurnEnded, TurnFailed, UnknownStep
from ..core.intent import Intent
from ..core.types import Step
from ..store.history import History
from ..store.turns import Journal, note_reported

if TYPE_CHECKING:  # few turns ask, and a plain command has no loop
    from ..agent.meter import Meter
    from ..agent.reading import Reading
    from ..policy.approval import Approval, Pending

Actions = Mapping[str, Action]
_NOT_DONE = "Nothing was opened or started."


def observed(step: Step, actions: Actions) -> Observed:
    """Return what to tell of *step*."""
    action = actions[step.plan.action]
    return Observed(step.n, action.name, action.effect, step.outcome, not is_shown(step, action))


async def close(
    result: TurnResult,
    error: JarvisError | None,
    approval: Approval | None,
    history: History,
    actions: Actions,
    tell: Callable[[Event], None],
    has_shown: Callable[[], bool],
    journal: Journal,
    unreported: Sequence[UnknownStep] = (),
) -> TurnEnded:
    """Write down how the turn ended, then tell it. A failure to write does not hide what was done and said.

    result: by its steps. error: that ended it early. approval: the question of whoever is gone waits in it.
    has_shown: whether all that was told was shown. unreported: what was told of earlier turns.
    """
    waits = isinstance(error, (NeedsAnswer, Terminated))
    pending = approval.pending if approval and waits else None
    if error:
        result = _ended_early(result, error, pending)
    if why := await _written(result, history, journal, pending):
        result = result._replace(unkept=f"{why.message} {why.hint}")
        tell(Notice(f"This is not in history. {result.unkept}", must_know=True))
    if result.replied.text and not result.is_cut_off:  # what was cut off was told as it came
        tell(result.replied._replace(unverified=result.unverified))
    if result.error:
        tell(result.error)
    ended = TurnEnded(result.status, result.exit_status, summary(result, actions))
    tell(ended)
    unsure = [(turn, n) for _, turn, n, *_ in unreported]
    unsure += [(result.turn.id, step.n) for step in result.steps if step.outcome.state == "unknown"]
    if unsure and has_shown():
        with suppress(JarvisError):  # then it is told once more
            await note_reported(history.database, unsure)
    return ended


def _ended_early(result: TurnResult, error: JarvisError, pending: Pending | None) -> TurnResult:
    """Return *result* as *error* has it. pending: the question that nobody could be asked."""
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    question = pending.question if pending else None
    later = f"To answer: jarvis --answer {question.id}={question.options[0].id}" if question else ""
    return result._replace(
        status="needs_answer" if pending or isinstance(error, NeedsAnswer) else status,
        exit_status=error.exit_status,
        error=TurnFailed(error.code, error.message, later or error.hint),
        question=question,
    )


async def _written(
    result: TurnResult, history: History, journal: Journal, pending: Pending | None
) -> JarvisError | None:
    """Write down how the turn ended; return why that, or what came before it, is not in history."""
    error = result.error
    try:
        await history.end(
            result.turn,
            result.status,
            result.replied.text,
            shown=result.shown,
            tables=[*result.standing, *result.tables],
            error=f"{error.code}: {error.message}" if error else None,
            usage=result.usage._asdict(),
            question=pending.as_record() if pending else None,
            intent=result.intent,
            extra=[*journal.unwritten, *result.extra],
        )
    except JarvisError as failure:
        return failure
    return history.trouble


def note_on(steps: Sequence[Step], actions: Actions, reading: Reading, meter: Meter) -> str:
    """Return what is to be known of the model's words, from what was done."""
    looked_up = [step.is_good for step in steps if actions[step.plan.action].effect == "reads"]
    if looked_up and not any(looked_up):
        return f"From the model's memory: nothing could be looked up. {meter.told}".rstrip()
    notes = []
    if meter.told and not looked_up:
        notes.append(f"From the model's memory: nothing was looked up. {meter.told}")
    parts = (reading.intent or Intent()).parts
    may_be_done = [step for step in steps if step.is_good or step.outcome.state == "unknown"]
    if parts and not any(step.outcome.part for step in may_be_done):
        kept = {want.form for action in actions.values() if action.effect == "keeps" for want in action.wants}
        notes.append("Nothing was kept." if all(part.form in kept for part in parts) else _NOT_DONE)
    return " ".join(notes)
