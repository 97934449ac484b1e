"""The end of a turn of the loop: its reply, what that rests on, what nothing vouches for.

Also of one that had ended, whose brain died before it could tell that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from ..actions.base import Action
from ..agent.citations import unverified
from ..agent.meter import Meter
from ..agent.reading import Reading
from ..agent.reception import Ending, Usage, is_told_by_itself, judge
from ..agent.state import State, addresses_in
from ..core.errors import JarvisError
from ..core.events import Event, Observed, Replied, Source, TurnEnded, TurnFailed, TurnStarted, question_in
from ..core.intent import Intent
from ..core.types import OFFER, Address, Performed, Step, Turn
from ..language import sites
from ..store.history import History, told_list
from ..store.tables import kept_tables, offers_in, tables_in
from ..store.turns import PastTurn
from .closing import tell_end

Listed = tuple[Sequence[Address], bytes | None]  # its lines, and its tables as history keeps them
_NOT_DONE = "Nothing was opened or started."


def usage_of(
    state: State, steps: Sequence[Step], actions: Mapping[str, Action], meter: Meter, seconds: float
) -> Usage:
    """Return what the turn used up. seconds: that it took."""
    searches = sum(actions[step.plan.action].searches for step in steps)
    read, written = state["tokens"]
    return Usage(state["calls"], searches, read, written, round(seconds, 3), meter.credits, meter.left)


def reply_in(state: State, streamed: str, note: str, first: int) -> Replied:
    """Return the reply, which is there even where the turn failed after it; else what was *streamed*."""
    if reply := state.get("reply", ""):
        sources = (Source(s["id"], s["title"], s["url"]) for s in state.get("sources", []))
        return Replied(reply, tuple(sources), note, first=first)
    return Replied(f"{streamed} (cut off)" if streamed else "")


def unverified_in(ending: Ending, state: State, named: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses in what is told that neither the words, nor a search, nor our own table knows.

    named: the addresses in the person's words, now and before.
    """
    told = [ending.replied.text, *(step.outcome.text for step in ending.steps)]
    told += [source["title"] for source in state.get("sources", [])]
    told += [ending.error.message] if ending.error else []
    known = [address.url for address in (*ending.turn.typed, *addresses_in(state))]
    known += [row.url for each in ending.tables for row in each.table.rows if row.url]
    return unverified("\n".join(told), [*known, *named], sites.hosts())


def listed_in(ending: Ending, state: State) -> Listed:
    """Return the list that the turn showed."""
    tables = kept_tables([*ending.standing, *ending.tables]) if ending.standing or ending.tables else None
    known = {address.id: address._replace(snippet="") for address in addresses_in(state)} | offers_in(tables)
    return [known[id_] for id_ in ending.shown], tables


async def elsewhere(reading: Reading, history: History) -> str:
    """Return where the list is, of which they asked for a line in a thread that has none."""
    if reading.has_list or not reading.lines_beyond:
        return ""
    with suppress(JarvisError):  # the turn is being closed, and where a list is comes second
        if found := await history.listed_last():
            return told_list(*found)
    return ""


def note_on(
    steps: Sequence[Step], actions: Mapping[str, Action], reading: Reading, meter: Meter, listed: str
) -> str:
    """Return what is to be known of the model's words, from what was done. listed: where a list is."""
    looked_up = [step.is_good for step in steps if actions[step.plan.action].effect == "reads"]
    if looked_up and not any(looked_up):
        return f"From the model's memory: nothing could be looked up. {meter.told}".rstrip()
    notes = [f"From the model's memory: nothing was looked up. {meter.told}"]
    notes = notes if meter.told and not looked_up else []
    notes += [f"The list last shown has no line {line}." for line in reading.lines_beyond if not listed]
    notes += [f"Nothing was listed in this thread. {listed}"] if listed else []
    may_be_done = [step for step in steps if step.is_good or step.outcome.state == "unknown"]
    asks = bool(reading.intent and reading.intent.parts)
    if asks and not any(step.outcome.part for step in may_be_done):
        notes.append("Nothing was kept." if _asks_to_keep(reading, actions) else _NOT_DONE)
    return " ".join(notes)


def _asks_to_keep(reading: Reading, actions: Mapping[str, Action]) -> bool:
    """Return whether the words ask for nothing but a change of the person's own lists."""
    forms = {want.form for action in actions.values() if action.effect == "keeps" for want in action.wants}
    return all(part.form in forms for part in (reading.intent or Intent()).parts)


async def replay(
    left: PastTurn,
    goal: str,
    did: Sequence[Performed],
    history: History,
    actions: Mapping[str, Action],
    tell: Callable[[Event], None],
) -> TurnEnded:
    """Tell all of the turn *left*, which has ended. did: what the hands know of it."""
    outcomes = {each.n: each.outcome for each in did}
    steps = [step._replace(outcome=outcomes.get(step.n, step.outcome)) for step in left.steps]
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
    return tell_end(ending, actions, tell)


async def _ending(
    left: PastTurn, goal: str, steps: Sequence[Step], history: History, actions: Mapping[str, Action]
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
        usage=Usage(**{name: value for name, value in (left.usage or {}).items() if name in Usage._fields}),
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
