"""Steps written down as a turn writes them, without one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jarvis.agent.prompt import shown_before
from jarvis.core.errors import UsageError
from jarvis.core.types import ActionRequest, Address, Effect, Found, Outcome, Plan, Step, Turn
from jarvis.store import history as statements
from jarvis.store.history import Journal
from jarvis.store.turns import PastTurn, find_asking, finding_before, take_question, turns_in

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
) -> None:
    request = ActionRequest(n, action, Effect("opens", target), rule=rule)
    await Journal(history.database, turn).start(request, Plan(action, arguments, text=why))


async def end_step(history: History, turn: Turn, n: int, outcome: Outcome, opened: str = "") -> None:
    journal = Journal(history.database, turn)
    await journal.finish(Step(n, Plan("", {}), outcome), opened)
    await journal.flush()


async def keep_found(
    history: History, turn: Turn, n: int, found: Sequence[Found], known: Sequence[Address] = ()
) -> tuple[Address, ...]:
    """Return *found* under its ids, with no step written down."""
    return await history.database.atomically(
        lambda transaction: statements.keep_found(transaction, turn, n, found, known)
    )


async def turns_before(database: Database, turn: Turn) -> list[PastTurn]:
    """Return the turns before *turn* that the model sees."""
    return turns_in(*await database.run_all(*finding_before(turn, shown_before(turn.n))))


async def waiting(database: Database, question: str) -> PastTurn | None:
    """Return the turn that waits for an answer to the question of that id."""
    with suppress(UsageError):
        turn = await find_asking(database, question)
        return turn if turn.waits else None
    return None


async def taken(database: Database, question: str) -> PastTurn | None:
    """Take the question of that id, and return its turn, if it waited."""
    turn = await waiting(database, question)
    return turn if turn and await take_question(database, turn) else None
