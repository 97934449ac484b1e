"""Steps written down as a turn writes them, without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jarvis.core.types import Effect, Outcome, Plan, Request, Step, Turn
from jarvis.store.turns import Journal

if TYPE_CHECKING:
    from jarvis.store.history import History


async def start_step(
    history: History,
    turn: Turn,
    n: int,
    action: str,
    arguments: dict[str, Any],
    target: str,
    rule: str = "",
    why: str = "",
    intent: list[str] | None = None,
) -> None:
    request = Request(n, action, Effect("opens", target), rule=rule)
    await Journal(history.database, turn).start(request, Plan(action, arguments, text=why), intent)


async def end_step(history: History, turn: Turn, n: int, outcome: Outcome, opened: str = "") -> None:
    journal = Journal(history.database, turn)
    await journal.finish(Step(n, Plan("", {}), outcome), opened)
    await journal.flush()
