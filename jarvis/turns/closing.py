"""How a turn ends, whichever way it went: in history first, then for whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..actions.base import Action
from ..agent.result import Ending, summary
from ..core.errors import JarvisError
from ..core.events import Event, TurnEnded, TurnFailed
from ..core.stdlib import TYPE_CHECKING
from ..core.types import Step
from ..store.history import History
from .steps import Unwritten

if TYPE_CHECKING:  # a plain command needs none of them
    from ..agent.meter import Meter
    from ..agent.reading import Reading
    from ..policy.approval import Pending


async def close(
    ending: Ending,
    history: History,
    actions: Mapping[str, Action],
    tell: Callable[[Event], None],
    *,
    unwritten: Unwritten | None = None,
    pending: Pending | None = None,
) -> TurnEnded:
    """Write it down and tell it. That it can't be written down does not hide what was done and said.

    pending: the question that nobody could be asked, with what it takes to carry out an answer.
    """
    ending = ending._replace(question=pending.question if pending else None)
    ended = await _written(ending, history, unwritten, pending)
    if ended.replied.text and not ended.is_cut_off:  # what was cut off was told as it came
        tell(ended.replied._replace(unverified=ended.unverified))
    if ended.error:
        tell(ended.error)
    last = TurnEnded(ended.status, ended.exit_status, summary(ended, actions))
    tell(last)
    return last


async def _written(
    ending: Ending, history: History, unwritten: Unwritten | None, pending: Pending | None
) -> Ending:
    """*ending* as it is after it was written down: a failure to do so is part of it."""
    error = ending.error
    try:
        if unwritten:
            await history.end_step(ending.turn, unwritten.n, unwritten.outcome, unwritten.opened)
        await history.end(
            ending.turn,
            ending.status,
            ending.replied.text,
            shown=[source.id for source in ending.replied.sources],
            error=f"{error.code}: {error.message}" if error else None,
            usage=ending.usage._asdict(),
            question=pending.as_record() if pending else None,
        )
    except JarvisError as failure:
        error = error or TurnFailed(failure.code, failure.message, failure.hint)
        exit_status = ending.exit_status or failure.exit_status
        return ending._replace(status="failed", exit_status=exit_status, error=error)
    return ending


def note_on(steps: Sequence[Step], actions: Mapping[str, Action], reading: Reading, meter: Meter) -> str:
    """Return what is to be known of the model's words, from what was done."""
    looked_up = [step.is_good for step in steps if actions[step.plan.action].effect == "reads"]
    if looked_up and not any(looked_up):
        return f"From the model's memory: nothing could be looked up. {meter.told}".rstrip()
    notes = [f"From the model's memory: nothing was looked up. {meter.told}"]
    notes = notes if meter.told and not looked_up else []
    notes += [f"The list last shown has no line {line}." for line in reading.lines_beyond]
    may_be_done = [step for step in steps if step.is_good or step.outcome.state == "unknown"]
    asks = bool(reading.intent and reading.intent.parts)
    if asks and not any(step.outcome.part for step in may_be_done):
        notes.append("Nothing was opened or started.")
    return " ".join(notes)
