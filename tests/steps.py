"""Steps written down as a turn writes them, without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jarvis.core.types import Address, Effect, Found, Outcome, Plan, Request, Step, Turn
from jarvis.store import addresses
from jarvis.store.turns import Exchange, Journal, exchanges_in, finding_exchanges

if TYPE_CHECKING:
    from jarvis.store.database import Database
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


async def keep_found(
    history: History, turn: Turn, n: int, found: Sequence[Found], known: Sequence[Address] = ()
) -> tuple[Address, ...]:
    """Return *found* under its ids, with no step written down."""
    return await history.database.atomically(
        lambda transaction: addresses.keep_found(transaction, turn, n, found, known)
    )


async def exchanges_before(database: Database, turn: Turn) -> list[Exchange]:
    """Return the turns before *turn* that the model sees."""
    return exchanges_in(*await database.run_all(*finding_exchanges(turn)))
