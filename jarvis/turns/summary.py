"""The end of a turn, plain or not: what it comes to, which is written down first, then told.

Also of one that had ended, whose brain died before it could tell that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from ..actions.base import Action
from ..agent.reception import Ending, Usage, is_told_by_itself, judge, summary
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated
from ..core.events import (
    Event,
    Notice,
    Observed,
    Question,
    Replied,
    Source,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
    question_in,
)
from ..core.intent import Intent
from ..core.types import OFFER, Outcome, Step, Turn, unknown
from ..store.history import History, told_list
from ..store.turns import Journal, PastTurn, note_reported

if TYPE_CHECKING:  # few turns ask, and a plain command has no loop
    from ..agent.meter import Meter
    from ..agent.reading import Reading
    from ..core.frontend import Words
    from ..policy.approval import Approval, Pending

Actions = Mapping[str, Action]
_NOT_DONE = "Nothing was opened or started."
_EXIT_STATUSES = {"needs_answer": NeedsAnswer.exit_status, "interrupted": Interrupted.exit_status}


class Frontend(Protocol):
    """What a turn's end is told to."""

    def tell(self, event: Event) -> None: ...

    async def has_shown(self) -> bool: ...


def cut_off(action: Action, target: str) -> Outcome:
    """Return the outcome of what the hands were at: not known, unless it left a proof."""
    return action.proven(target) or unknown(action.name, target)


def observed(step: Step, actions: Actions) -> Observed:
    """Return what to tell of *step*."""
    action = actions[step.plan.action]
    return Observed(step.n, action.name, action.effect, step.outcome, not is_told_by_itself(step, action))


async def close(
    ending: Ending,
    error: JarvisError | None,
    approval: Approval | None,
    history: History,
    actions: Actions,
    front: Frontend,
    journal: Journal,
    unreported: Sequence[Unsure] = (),
) -> TurnEnded:
    """Write down how the turn ended, then tell it. A failure to write does not hide what was done and said.

    ending: by its steps. error: that ended it early. approval: the question of whoever is gone waits in it.
    unreported: what was told of earlier turns.
    """
    waits = isinstance(error, (NeedsAnswer, Terminated))
    pending = approval.pending if approval and waits else None
    if error:
        ending = _ended_early(ending, error, pending)
    if why := await _written(ending, history, journal, pending):
        ending = ending._replace(unkept=f"{why.message} {why.hint}")
        front.tell(Notice(f"This is not in history. {ending.unkept}", must_know=True))
    if ending.replied.text and not ending.is_cut_off:  # what was cut off was told as it came
        front.tell(ending.replied._replace(unverified=ending.unverified))
    last = _tell_end(ending, actions, front.tell)
    unsure = [(turn, n) for _, turn, n, *_ in unreported]
    unsure += [(ending.turn.id, step.n) for step in ending.steps if step.outcome.state == "unknown"]
    if unsure and await front.has_shown():
        with suppress(JarvisError):  # then it is told once more
            await note_reported(history.database, unsure)
    return last


def _ended_early(ending: Ending, error: JarvisError, pending: Pending | None) -> Ending:
    """Return *ending* as *error* has it. pending: the question that nobody could be asked."""
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    question = pending.question if pending else None
    return ending._replace(
        status="needs_answer" if pending or isinstance(error, NeedsAnswer) else status,
        exit_status=error.exit_status,
        error=TurnFailed(error.code, error.message, answering_hint(question) or error.hint),
        question=question,
    )


def answering_hint(question: Question | None) -> str:
    """Return how to answer *question* later."""
    return f"To answer: jarvis --answer {question.id}={question.options[0].id}" if question else ""


async def _written(
    ending: Ending, history: History, journal: Journal, pending: Pending | None
) -> JarvisError | None:
    """Write down how the turn ended; return why that, or what came before it, is not in history."""
    error = ending.error
    try:
        await history.end(
            ending.turn,
            ending.status,
            ending.replied.text,
            shown=ending.shown,
            tables=[*ending.standing, *ending.tables],
            error=f"{error.code}: {error.message}" if error else None,
            usage=ending.usage._asdict(),
            question=pending.as_record() if pending else None,
            intent=ending.intent,
            beside=[*journal.unwritten, *ending.beside],
        )
    except JarvisError as failure:
        return failure
    return history.trouble


def _tell_end(ending: Ending, actions: Actions, tell: Callable[[Event], None]) -> TurnEnded:
    if ending.error:
        tell(ending.error)
    ended = TurnEnded(ending.status, ending.exit_status, summary(ending, actions))
    tell(ended)
    return ended


def note_on(
    steps: Sequence[Step], actions: Actions, reading: Reading, meter: Meter, listed: tuple[str, str] | None
) -> str:
    """Return what is to be known of the model's words, from what was done.

    listed: the thread that has a list, where they asked for a line in one that has none; and its title.
    """
    looked_up = [step.is_good for step in steps if actions[step.plan.action].effect == "reads"]
    if looked_up and not any(looked_up):
        return f"From the model's memory: nothing could be looked up. {meter.told}".rstrip()
    notes = []
    if meter.told and not looked_up:
        notes.append(f"From the model's memory: nothing was looked up. {meter.told}")
    if listed:
        notes.append(f"Nothing was listed in this thread. {told_list(*listed)}")
    else:
        notes += [f"The list last shown has no line {line}." for line in reading.lines_beyond]
    parts = (reading.intent or Intent()).parts
    may_be_done = [step for step in steps if step.is_good or step.outcome.state == "unknown"]
    if parts and not any(step.outcome.part for step in may_be_done):
        kept = {want.form for action in actions.values() if action.effect == "keeps" for want in action.wants}
        notes.append("Nothing was kept." if all(part.form in kept for part in parts) else _NOT_DONE)
    return " ".join(notes)


async def replay(
    left: PastTurn, words: Words, history: History, actions: Actions, tell: Callable[[Event], None]
) -> TurnEnded:
    """Tell all of the turn *left*, which has ended. words: its own, with what the hands did."""
    outcomes = {each.n: each.outcome for each in words.did or ()}
    steps = [step._replace(outcome=outcomes.get(step.n, step.outcome)) for step in left.steps]
    lines, tables = await history.listed_in(left.thread, left.listed)
    sources = [Source(line.id, line.title, line.url) for line in lines if not line.id.startswith(OFFER)]
    question = question_in(left.question) if left.question else None
    code, _, message = left.error.partition(": ")
    by_steps = judge(steps, actions, left.intent or ()).exit_status
    ending = Ending(
        turn=Turn(left.id, left.thread, left.n, ()),
        goal=words.own,
        status=left.status,
        exit_status=_EXIT_STATUSES.get(left.status, by_steps or 1) if code else by_steps,
        steps=steps,
        usage=Usage(**(left.usage or {})),
        replied=Replied(left.reply, tuple(sources), first=len(lines) - len(sources) + 1),
        error=TurnFailed(code, message, answering_hint(question)) if code else None,
        question=question,
        intent=left.intent,
        tables=tables,
    )
    tell(TurnStarted(left.thread, left.id, words.own))
    for table in ending.tables:
        tell(table)
    for step in steps:
        tell(observed(step, actions))
    if left.reply:
        tell(ending.replied)
    return _tell_end(ending, actions, tell)
