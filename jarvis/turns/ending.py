"""Closes a turn: written down first, then told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..actions.base import Action
from ..agent.result import Ending, summary
from ..core.errors import JarvisError
from ..core.events import Notice, TurnEnded, Unsure
from ..store.database import Statement
from ..store.history import History
from ..store.untold import note_told
from .steps import Person

if TYPE_CHECKING:  # few turns ask
    from ..policy.approval import Pending


async def close(
    ending: Ending,
    history: History,
    actions: Mapping[str, Action],
    person: Person,
    *,
    unwritten: Sequence[Statement] = (),
    pending: Pending | None = None,
    left: Sequence[Unsure] = (),
) -> TurnEnded:
    """Write down how the turn ended, then tell it. A failure to write does not hide what was done and said.

    unwritten: what could not be written down before.
    pending: the question that nobody could be asked, with what it takes to carry out an answer.
    left: what was told of earlier turns.
    """
    ended = ending._replace(question=pending.question if pending else None)
    why: JarvisError | None
    try:
        away = await _write(ended, history, unwritten, pending)
        why = history.trouble
    except JarvisError as failure:
        away, why = None, failure
    if away:
        person.tell(Notice(f"Kept on this machine until the server takes it. {away.message}"))
    if why:
        ended = ended._replace(unkept=f"{why.message} {why.hint}")
        person.tell(Notice(f"This is not in history. {ended.unkept}"))
    if ended.replied.text and not ended.is_cut_off:  # what was cut off was told as it came
        person.tell(ended.replied._replace(unverified=ended.unverified))
    if ended.error:
        person.tell(ended.error)
    last = TurnEnded(ended.status, ended.exit_status, summary(ended, actions))
    person.tell(last)
    unsure = [(turn, n) for _, turn, n, *_ in left]
    unsure += [(ended.turn.id, step.n) for step in ended.steps if step.outcome.state == "unknown"]
    if unsure and await person.has_shown():
        with suppress(JarvisError):  # then it is told once more
            await note_told(history.database, unsure)
    return last


async def _write(
    ending: Ending, history: History, unwritten: Sequence[Statement], pending: Pending | None
) -> JarvisError | None:
    """Write *ending* down. Return why it is kept on this machine; None: it is in history."""
    error = ending.error
    return await history.end(
        ending.turn,
        ending.status,
        ending.replied.text,
        shown=ending.shown,
        tables=[*ending.standing, *ending.tables],
        error=f"{error.code}: {error.message}" if error else None,
        usage=ending.usage._asdict(),
        question=pending.as_record() if pending else None,
        intent=ending.intent,
        beside=[*unwritten, *ending.beside],
    )
