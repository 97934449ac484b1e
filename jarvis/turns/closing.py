"""How a turn ends, on the quick way and in the loop: in history first, then for whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..actions.base import Action
from ..agent.result import Usage, Whole, summary
from ..core.errors import JarvisError
from ..core.events import Event, Failed, Replied, TurnEnded
from ..core.stdlib import TYPE_CHECKING, NamedTuple
from ..core.types import Outcome, Step, Turn
from ..store.history import History

if TYPE_CHECKING:  # few turns ask
    from ..policy.approval import Pending


class Unwritten(NamedTuple):
    """What came of a step, where it could not be written down at once."""

    n: int
    outcome: Outcome
    opened: str = ""  # the id of the address that it opened


class Ending(NamedTuple):
    turn: Turn
    goal: str
    status: str  # done | failed | needs_answer | refused | interrupted
    exit_status: int
    steps: Sequence[Step]
    usage: Usage
    replied: Replied = Replied("")
    error: Failed | None = None  # why it ended early
    unwritten: Unwritten | None = None
    pending: Pending | None = None  # what nobody could be asked
    is_cut_off: bool = False  # the reply broke off
    intent: tuple[str, ...] | None = None  # what the words asked for; None: they were not read
    unverified: tuple[str, ...] = ()  # the addresses in what is told that nothing vouches for


async def close(
    ending: Ending, history: History, actions: Mapping[str, Action], tell: Callable[[Event], None]
) -> TurnEnded:
    """Write it down and tell it. That it can't be written down does not hide what was done and said."""
    ended = await _written(ending, history)
    if ended.replied.text and not ended.is_cut_off:  # what was cut off was told as it came
        tell(ended.replied._replace(unverified=ended.unverified))
    if ended.error:
        tell(ended.error)
    last = TurnEnded(ended.status, ended.exit_status, summary(_whole(ended), actions))
    tell(last)
    return last


async def _written(ending: Ending, history: History) -> Ending:
    """*ending* as it is after it was written down: a failure to do so is part of it."""
    error = ending.error
    try:
        if ending.unwritten:
            await history.end_step(ending.turn, *ending.unwritten)
        await history.end(
            ending.turn,
            ending.status,
            ending.replied.text,
            shown=[source.id for source in ending.replied.sources],
            error=f"{error.code}: {error.message}" if error else None,
            usage=ending.usage._asdict(),
            question=ending.pending.as_record() if ending.pending else None,
        )
    except JarvisError as failure:
        error = error or Failed(failure.code, failure.message, failure.hint)
        exit_status = ending.exit_status or failure.exit_status
        return ending._replace(status="failed", exit_status=exit_status, error=error)
    return ending


def _whole(ending: Ending) -> Whole:
    return Whole(
        *(ending.turn.thread, ending.turn.id, ending.goal, ending.status, ending.replied.text),
        *(ending.steps, ending.replied.sources, ending.usage, ending.error),
        ending.pending.question if ending.pending else None,
        ending.intent,
        ending.unverified,
    )
