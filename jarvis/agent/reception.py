"""The end of a turn, plain or not: what its steps come to, which is written down first, then told.

It has the one object that --json prints. Plain commands end by it too: it imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..actions.base import Action
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated
from ..core.events import (
    SCHEMA,
    Event,
    Notice,
    Observed,
    Question,
    Replied,
    Tabled,
    TurnEnded,
    TurnFailed,
    Unsure,
)
from ..core.intent import Intent, asked_for
from ..core.types import NOT_ASKED, REPEATED, Step, Turn, step_in
from ..store.history import History
from ..store.turns import Journal, note_reported

if TYPE_CHECKING:  # few turns ask, and a plain command has no loop
    from ..policy.approval import Approval, Pending
    from .meter import Meter
    from .reading import Reading
    from .state import State

Actions = Mapping[str, Action]
_NOT_DONE = "Nothing was opened or started."


class Judgement(NamedTuple):
    """How a turn ended, as its steps tell it."""

    status: str  # done | failed | refused
    exit_status: int
    step: Step | None = None  # the step that decided it


async def receive(actions: Actions, state: State) -> State:
    """Be the graph's last node: what the turn comes to, from its steps. No model call."""
    steps = [step_in(record) for record in state.get("steps", [])]
    judgement = judge(steps, actions, state.get("intent") or ())
    return {"status": judgement.status, "exit_status": judgement.exit_status}


class Usage(NamedTuple):
    """What a turn used up."""

    model_calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    credits: int = 0  # searches that it was billed for
    searches_left: int | None = None  # that the day had left after them; None: it has no limit, or none was


class Ending(NamedTuple):
    """How a turn ended, and all there is to tell of it."""

    turn: Turn
    goal: str
    status: str  # done | failed | needs_answer | refused | interrupted
    exit_status: int
    steps: Sequence[Step]
    usage: Usage
    replied: Replied = Replied("")  # in the model's words
    is_cut_off: bool = False  # the reply broke off
    error: TurnFailed | None = None  # why it ended early
    question: Question | None = None  # that nobody could be asked
    intent: tuple[str, ...] | None = None  # what the words asked for; None: they were not read
    beside: Sequence[tuple[Any, ...]] = ()  # statements that are to be run where it is written down
    unverified: tuple[str, ...] = ()  # the addresses in what is told that nothing vouches for
    tables: Sequence[Tabled] = ()  # that were found or worked out
    standing: Sequence[Tabled] = ()  # those of the list of before, where the sources are numbered on from it
    unkept: str | None = None  # why it is not in history; None: it is, or will be

    @property
    def shown(self) -> list[str]:
        """The ids on the numbered lines, in their order: those of the tables, then the reply's sources."""
        tables = [*self.standing, *self.tables]
        offers = [row.id for each in tables if each.first for row in each.table.rows]
        return [*offers, *(source.id for source in self.replied.sources)]


def judge(steps: Sequence[Step], actions: Actions, intent: Sequence[str] = ()) -> Judgement:
    """Return the turn's status: failed where a step did and no later one made it good, whatever was replied.

    That something was refused which nobody asked for, or which was done already, says nothing of it.
    intent: the parts that the steps were for.
    """
    for i, step in enumerate(steps):
        if step.is_good or step.outcome.code in (REPEATED, NOT_ASKED) or _is_served(step, steps, intent):
            continue
        if not any(_is_the_same(later, step, actions) for later in steps[i + 1 :]):
            status = "refused" if step.outcome.state in ("refused", "declined") else "failed"
            return Judgement(status, step.outcome.exit_status or 1, step)
    return Judgement("done", 0)


def _is_the_same(later: Step, step: Step, actions: Actions) -> bool:
    """Return whether *later* brought what *step* should have brought."""
    # What was looked up may be found by other words.
    is_lookup = actions[step.plan.action].effect == "reads"
    is_same = is_lookup or later.plan.arguments == step.plan.arguments
    return later.is_good and later.plan.action == step.plan.action and is_same


def _is_served(step: Step, steps: Sequence[Step], intent: Sequence[str]) -> bool:
    """Return whether all was done that the part of *step* asks for, by whatever other way."""
    part = step.outcome.part
    wanted = asked_for(intent[part - 1]) if 0 < part <= len(intent) else 1
    return part != 0 and sum(each.is_good and each.outcome.part == part for each in steps) >= wanted


def is_told_by_itself(step: Step, action: Action) -> bool:
    """Return whether what came of *step* is told: of a search that worked a reply tells, or a table."""
    return step.outcome.state != "done" or (action.answers and step.outcome.table is None)


def summary(ending: Ending, actions: Actions) -> dict[str, Any]:
    """Return the object that --json prints."""
    error = ending.error or _error_of(ending, actions)
    # What happened, from the outcomes; then the model's words.
    told = [step.outcome.text for step in ending.steps if is_told_by_itself(step, actions[step.plan.action])]
    told += [ending.replied.text] if ending.replied.text else []
    return {
        "schema": SCHEMA,
        "status": ending.status,
        "thread": ending.turn.thread,
        "turn": ending.turn.id,
        "goal": ending.goal,
        "reply": "\n".join(told),
        "steps": [_step(step) for step in ending.steps],
        "sources": [source._asdict() for source in ending.replied.sources],
        **_tables([each for each in ending.tables if each.first]),
        "intent": None if ending.intent is None else list(ending.intent),
        "unverified": list(ending.unverified),
        "unkept": ending.unkept,
        "question": ending.question.as_record() if ending.question else None,
        "usage": ending.usage._asdict(),
        "error": error._asdict() if error else None,
    }


def _step(step: Step) -> dict[str, Any]:
    plan, outcome = step.plan, step.outcome
    told = {"arguments": dict(plan.arguments), "state": outcome.state, "outcome": outcome.text}
    return {"n": step.n, "action": plan.action, **told}


def _tables(listed: Sequence[Tabled]) -> dict[str, Any]:
    """Return the tables that are *listed*, and the last of them that was worked out."""
    if not listed:
        return {"tables": [], "result": None}
    from ..core.table_records import record_of  # few turns have tables

    tables = [record_of(each.table, each.first) for each in listed]
    worked_out = [(n, table) for n, table in enumerate(tables, 1) if "checks" in table]
    results = [{"kind": table["kind"], "checks": table["checks"], "table": n} for n, table in worked_out]
    return {"tables": tables, "result": results[-1] if results else None}


def _error_of(ending: Ending, actions: Actions) -> TurnFailed | None:
    """Return the error of the step that made the turn fail."""
    step = None if ending.status == "done" else judge(ending.steps, actions, ending.intent or ()).step
    outcome = step.outcome if step else None
    return TurnFailed(outcome.code or outcome.state, outcome.text, outcome.hint) if outcome else None


# It is closed.


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
    tell: Callable[[Event], None],
    has_shown: Callable[[], bool],
    journal: Journal,
    unreported: Sequence[Unsure] = (),
) -> TurnEnded:
    """Write down how the turn ended, then tell it. A failure to write does not hide what was done and said.

    ending: by its steps. error: that ended it early. approval: the question of whoever is gone waits in it.
    has_shown: whether all that was told was shown. unreported: what was told of earlier turns.
    """
    waits = isinstance(error, (NeedsAnswer, Terminated))
    pending = approval.pending if approval and waits else None
    if error:
        ending = _ended_early(ending, error, pending)
    if why := await _written(ending, history, journal, pending):
        ending = ending._replace(unkept=f"{why.message} {why.hint}")
        tell(Notice(f"This is not in history. {ending.unkept}", must_know=True))
    if ending.replied.text and not ending.is_cut_off:  # what was cut off was told as it came
        tell(ending.replied._replace(unverified=ending.unverified))
    if ending.error:
        tell(ending.error)
    ended = TurnEnded(ending.status, ending.exit_status, summary(ending, actions))
    tell(ended)
    unsure = [(turn, n) for _, turn, n, *_ in unreported]
    unsure += [(ending.turn.id, step.n) for step in ending.steps if step.outcome.state == "unknown"]
    if unsure and has_shown():
        with suppress(JarvisError):  # then it is told once more
            await note_reported(history.database, unsure)
    return ended


def _ended_early(ending: Ending, error: JarvisError, pending: Pending | None) -> Ending:
    """Return *ending* as *error* has it. pending: the question that nobody could be asked."""
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    question = pending.question if pending else None
    later = f"To answer: jarvis --answer {question.id}={question.options[0].id}" if question else ""
    return ending._replace(
        status="needs_answer" if pending or isinstance(error, NeedsAnswer) else status,
        exit_status=error.exit_status,
        error=TurnFailed(error.code, error.message, later or error.hint),
        question=question,
    )


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


def note_on(steps: Sequence[Step], actions: Actions, reading: Reading, meter: Meter) -> str:
    """Return what is to be known of the model's words, from what was done."""
    looked_up = [step.is_good for step in steps if actions[step.plan.action].effect == "reads"]
    if looked_up and not any(looked_up):
        return f"From the model's memory: nothing could be looked up. {meter.told}".rstrip()
    notes = []
    if meter.told and not looked_up:
        notes.append(f"From the model's memory: nothing was looked up. {meter.told}")
    notes += [f"No line {line} was listed in this thread." for line in reading.lines_beyond]
    parts = (reading.intent or Intent()).parts
    may_be_done = [step for step in steps if step.is_good or step.outcome.state == "unknown"]
    if parts and not any(step.outcome.part for step in may_be_done):
        kept = {want.form for action in actions.values() if action.effect == "keeps" for want in action.wants}
        notes.append("Nothing was kept." if all(part.form in kept for part in parts) else _NOT_DONE)
    return " ".join(notes)
