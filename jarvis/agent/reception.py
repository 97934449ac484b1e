"""The end of a turn, plain or planned: records its result first, then reports it.

Also makes the object for --json. Plain commands end here too, so it imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..actions.base import Action
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, Terminated
from ..core.events import (
    SCHEMA,
    Event,
    Notice,
    Question,
    Replied,
    StepFinished,
    TableShown,
    TurnEnded,
    TurnFailed,
)
from ..core.intent import Intent
from ..core.types import ASIDE, LOOKUPS, MISPLANNED, NOT_ASKED, REPEATED, Options, Step, Turn
from ..output.screen import Screen
from ..output.tellers import answer_teller
from ..store.history import History, Journal

if TYPE_CHECKING:  # few turns ask, and a plain command has no loop
    from ..policy.questions import Approval, Pending

Actions = Mapping[str, Action]
_OF_NO_MATTER = (REPEATED, NOT_ASKED, ASIDE)  # to how the turn ends: the codes of what was not done


class Usage(NamedTuple):
    """The usage of a turn."""

    model_calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    credits: int = 0  # searches that it was billed for
    searches_left: int | None = None  # that the day had left after them; None: it has no limit, or none was


class TurnResult(NamedTuple):
    """The end of a turn, with everything to report."""

    turn: Turn
    goal: str
    status: str  # done | failed | needs_answer | refused | interrupted
    exit_status: int
    steps: Sequence[Step]
    usage: Usage
    failed: int = 0  # the number of the step by which it failed; 0: by none
    replied: Replied = Replied("")  # in the model's words
    is_cut_off: bool = False  # the reply broke off
    error: TurnFailed | None = None  # why it ended early
    question: Question | None = None  # that nobody could be asked
    intent: tuple[str, ...] | None = None  # what the words asked for; None: they were not read
    extra: Sequence[tuple[Any, ...]] = ()  # statements that are to be run where it is written down
    unmet: Sequence[str] = ()  # the parts of what they asked for that no step did
    unverified: tuple[str, ...] = ()  # the addresses in what is told that nothing vouches for
    tables: Sequence[TableShown] = ()  # that were found or worked out
    standing: Sequence[TableShown] = ()  # those of the list before, if the sources are numbered on from it
    unkept: str | None = None  # why it is not in history; None: it is, or will be

    @property
    def listed_ids(self) -> list[str]:
        """The ids on the numbered lines, in their order: those of the tables, then the reply's sources."""
        tables = [*self.standing, *self.tables]
        offers = [row.id for each in tables if each.first for row in each.table.rows]
        return [*offers, *(source.id for source in self.replied.sources)]


def fail_if_unmet(
    result: TurnResult, unmet: Sequence[str], lines: str, error: JarvisError | None
) -> TurnResult:
    """Mark the turn as failed if no step did what the user asked for, no matter what it replied.

    lines: what was not done, in a line. error: that ended the turn early, and explains it.
    """
    result = result._replace(unmet=unmet)
    if not unmet or error or result.status != "done":
        return result
    return result._replace(status="failed", exit_status=1, error=TurnFailed("not_done", lines, ""))


def judge(steps: Sequence[Step], actions: Actions, intent: Intent | None) -> tuple[str, int, int]:
    """Return the turn's status (done, failed, or refused) and exit status, judged by its steps.

    Also returns the number of the step that failed, or 0. intent: of the steps.
    """
    if (step := _not_made_good(steps, actions, intent or Intent())) is None:
        return "done", 0, 0
    status = "refused" if step.outcome.state in ("refused", "declined") else "failed"
    return status, step.outcome.exit_status or 1, step.n


def _not_made_good(steps: Sequence[Step], actions: Actions, intent: Intent) -> Step | None:
    """Return the first failed step that no later step replaced, or None.

    A refusal doesn't count if nobody asked for that step, or if it was done already.
    """
    for i, step in enumerate(steps):
        if step.is_good or step.outcome.code in _OF_NO_MATTER or _is_served(step, steps, intent):
            continue
        if not any(_is_the_same(later, step, actions) for later in steps[i + 1 :]):
            return step
    return None


def _is_the_same(later: Step, step: Step, actions: Actions) -> bool:
    """Return whether *later* brought what *step* should have brought."""
    # What was looked up may be found by other words.
    is_lookup = actions[step.plan.action].effect in LOOKUPS
    is_same = is_lookup or later.plan.arguments == step.plan.arguments
    return later.is_good and later.plan.action == step.plan.action and is_same


def _is_served(step: Step, steps: Sequence[Step], intent: Intent) -> bool:
    """Return whether some other step did everything that the part of *step* asks for."""
    n = step.outcome.part
    wanted = intent.part(n).most if 0 < n <= len(intent.parts) else 1
    return n != 0 and sum(each.is_good and each.outcome.part == n for each in steps) >= wanted


def is_shown(step: Step, action: Action) -> bool:
    """Return whether the outcome of *step* is shown. A reply or a table covers a successful search."""
    if step.outcome.code == MISPLANNED or (action.sums_up and step.outcome.table):  # which tells all of it
        return False
    is_listed = step.outcome.table and step.outcome.table.rows
    is_told = action.answers or action.effect == "shows"  # of which a picture is kept
    return step.outcome.state != "done" or (is_told and not is_listed)


def observed(step: Step, actions: Actions) -> StepFinished:
    """Return the event for *step*."""
    action = actions[step.plan.action]
    return StepFinished(step.n, action.name, action.effect, step.outcome, not is_shown(step, action))


async def close(
    result: TurnResult,
    error: JarvisError | None,
    approval: Approval | None,
    history: History,
    actions: Actions,
    tell: Callable[[Event], None],
    journal: Journal,
) -> TurnEnded:
    """Record the end of the turn, then report it. A failed write hides neither outcomes nor the reply.

    result: judged by its steps. error: that ended it early. approval: holds an open question.
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
    return ended


def _ended_early(result: TurnResult, error: JarvisError, pending: Pending | None) -> TurnResult:
    """Return *result* with *error*. pending: the question that nobody could answer."""
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    question = pending.question if pending else None
    later = question.answer_hint if question else ""
    return result._replace(
        status="needs_answer" if pending or isinstance(error, NeedsAnswer) else status,
        exit_status=error.exit_status,
        error=TurnFailed(error.code, error.message, later or error.hint),
        question=question,
    )


async def _written(
    result: TurnResult, history: History, journal: Journal, pending: Pending | None
) -> JarvisError | None:
    """Record the end of the turn. Returns why something is missing in history, or None."""
    error = result.error
    try:
        await history.end(
            result.turn,
            result.status,
            result.replied.text,
            shown=result.listed_ids,
            tables=[*result.standing, *result.tables],
            error=f"{error.code}: {error.message}" if error else None,
            usage=result.usage._asdict(),
            question=pending.as_record() if pending else None,
            intent=result.intent,
            extra=[*journal.lock.fence, *journal.unwritten, *result.extra],
        )
    except JarvisError as failure:
        return failure
    return history.database.trouble


def summary(result: TurnResult, actions: Actions) -> dict[str, Any]:
    """Return the object that --json prints."""
    error = result.error or _error_of(result, actions)
    # What happened, from the outcomes; then the model's words.
    lines = [step.outcome.text for step in result.steps if is_shown(step, actions[step.plan.action])]
    lines += [result.replied.text] if result.replied.text else []
    return {
        "schema": SCHEMA,
        "status": result.status,
        "thread": result.turn.thread,
        "turn": result.turn.id,
        "goal": result.goal,
        "reply": "\n".join(lines),
        "steps": [_step(step) for step in result.steps],
        "sources": [source._asdict() for source in result.replied.sources],
        **_tables([each for each in result.tables if each.first]),
        "intent": None if result.intent is None else list(result.intent),
        "unmet": list(result.unmet),
        "unverified": list(result.unverified),
        "unkept": result.unkept,
        "question": result.question.as_record() if result.question else None,
        "usage": result.usage._asdict(),
        "error": error._asdict() if error else None,
    }


def _step(step: Step) -> dict[str, Any]:
    plan, outcome = step.plan, step.outcome
    record = {"arguments": dict(plan.arguments), "state": outcome.state, "outcome": outcome.text}
    return {"n": step.n, "action": plan.action, **record}


def _tables(listed: Sequence[TableShown]) -> dict[str, Any]:
    """Return the tables that are *listed*, and the last of them that was worked out."""
    tables = [each.table.as_record(each.first) for each in listed]
    worked_out = [(n, table) for n, table in enumerate(tables, 1) if "checks" in table]
    results = [{"kind": table["kind"], "checks": table["checks"], "table": n} for n, table in worked_out]
    return {"tables": tables, "result": results[-1] if results else None}


def _error_of(result: TurnResult, actions: Actions) -> TurnFailed | None:
    """Return the error of the step that made the turn fail."""
    step = next((step for step in result.steps if step.n == result.failed), None)
    if step is None:
        return None
    outcome = step.outcome
    if outcome.code == MISPLANNED:  # what is said of it is for the model
        message = f"{actions[step.plan.action].not_done('')}: the model made no plan of it that makes sense."
        return TurnFailed(outcome.code, message, "Try other words.")
    return TurnFailed(outcome.code or outcome.state, outcome.text, outcome.hint)


def tell_unbegun(error: JarvisError, options: Options, screen: Screen) -> int:
    """Report an error that kept a turn from beginning. Returns its exit status."""
    failed = TurnFailed(error.code, error.message, error.hint)
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    nothing = TurnResult(Turn("", "", 0, ()), "", status, error.exit_status, (), Usage(), error=failed)
    whole = {**summary(nothing, {}), **dict.fromkeys(("thread", "turn", "goal"))}
    tell = answer_teller(options, screen)
    tell(failed)
    tell(TurnEnded(status, error.exit_status, whole))
    return error.exit_status
