"""The end of a turn, plain or not: written down first, then told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from ..actions.base import Action
from ..agent.reception import Ending, summary
from ..core.errors import JarvisError
from ..core.events import (
    Event,
    Notice,
    TurnEnded,
    Unsure,
)
from ..store.history import History
from ..store.turns import Journal

if TYPE_CHECKING:  # few turns ask, and a plain command has no loop
    from ..policy.approval import Pending


class Frontend(Protocol):
    """What a turn's end is told to."""

    def tell(self, event: Event) -> None: ...

    async def has_shown(self) -> bool: ...


async def close(
    ending: Ending,
    history: History,
    actions: Mapping[str, Action],
    front: Frontend,
    journal: Journal,
    pending: Pending | None = None,
    unreported: Sequence[Unsure] = (),
) -> TurnEnded:
    """Write down how the turn ended, then tell it. A failure to write does not hide what was done and said.

    pending: the question that nobody could be asked, with what it takes to carry out an answer.
    unreported: what was told of earlier turns.
    """
    why: JarvisError | None
    try:
        await _write(ending, history, journal, pending)
        why = history.trouble
    except JarvisError as failure:
        why = failure
    if why:
        ending = ending._replace(unkept=f"{why.message} {why.hint}")
        front.tell(Notice(f"This is not in history. {ending.unkept}", must_know=True))
    if ending.replied.text and not ending.is_cut_off:  # what was cut off was told as it came
        front.tell(ending.replied._replace(unverified=ending.unverified))
    last = tell_end(ending, actions, front.tell)
    unsure = [(turn, n) for _, turn, n, *_ in unreported]
    unsure += [(ending.turn.id, step.n) for step in ending.steps if step.outcome.state == "unknown"]
    if unsure and await front.has_shown():
        with suppress(JarvisError):  # then it is told once more
            await history.note_told(unsure)
    return last


def tell_end(ending: Ending, actions: Mapping[str, Action], tell: Callable[[Event], None]) -> TurnEnded:
    if ending.error:
        tell(ending.error)
    ended = TurnEnded(ending.status, ending.exit_status, summary(ending, actions))
    tell(ended)
    return ended


async def _write(ending: Ending, history: History, journal: Journal, pending: Pending | None) -> None:
    error = ending.error
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
