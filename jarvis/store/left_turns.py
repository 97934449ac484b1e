"""Reads a turn that another brain was at, and brings what is written of it up to what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import loads
from typing import Any, NamedTuple

from ..core.types import Outcome, Performed, Plan, Step, Turn
from .abandoned import CLOSED_BY_OTHERS
from .database import Database, Row, Statement, Transaction
from .turns import ended, keeping

# Of a turn: it came to no end of its own.
IS_LEFT = f"(status = 'open' OR {CLOSED_BY_OTHERS})"


class LeftTurn(NamedTuple):
    """A turn as its row has it."""

    id: str
    thread: str
    n: int
    status: str
    reply: str
    error: str  # "code: message"; empty: none
    usage: Mapping[str, Any]
    intent: tuple[str, ...] | None
    question: Mapping[str, Any] | None
    listed: tuple[Row, ...]  # what it listed, as `Addresses.listed_in` takes it
    is_left: bool  # whether it came to no end of its own


async def find_left(database: Database, turn: str) -> LeftTurn | None:
    """Return the turn of that id; None where history has none."""
    rows = await database.run(
        "SELECT thread, n, status, reply, error, usage, intent, question, shown, tables,"
        f" CASE WHEN {IS_LEFT} THEN 1 ELSE 0 END FROM turns WHERE id = ?",
        turn,
    )
    if not rows:
        return None
    thread, n, status, reply, error, usage, intent, question, shown, tables, is_left = rows[0]
    return LeftTurn(
        *(turn, thread, n, status, reply, error or ""),
        usage=loads(usage) if usage else {},
        intent=None if intent is None else tuple(loads(intent)),
        question=loads(question) if question else None,
        listed=((shown, tables),) if shown else (),
        is_left=bool(is_left),
    )


async def steps_of(database: Database, turn: str) -> list[Step]:
    """Return the steps of *turn*, as far as they are written down."""
    rows = await database.run(
        "SELECT n, action, arguments, target, state, outcome, rule, why FROM steps WHERE turn = ? ORDER BY n",
        turn,
    )
    return [
        Step(n, Plan(action, loads(arguments), text=why), Outcome(state, outcome, target, rule=rule))
        for n, action, arguments, target, state, outcome, rule, why in rows
    ]


def reopening(turn: str) -> Statement:
    """Return what has *turn* go on, which was closed for now."""
    return "UPDATE turns SET status = 'open', ended_at = NULL WHERE id = ?", turn


async def settle(database: Database, left: LeftTurn, steps: Sequence[Step], did: Sequence[Performed]) -> None:
    """Have the turn *left* go on, with *steps* as all that happened in it, of which the hands *did* some.

    What else is written as begun did not happen: nobody's hands were told to.
    """
    turn = Turn(left.id, left.thread, left.n, ())
    performed = {each.n for each in did}
    last = max((step.n for step in steps), default=0)

    async def write(transaction: Transaction) -> None:
        await transaction.send(
            f"UPDATE turns SET status = 'open', ended_at = NULL WHERE id = ? AND {IS_LEFT}", turn.id
        )
        for step in steps:
            if step.n in performed:
                await _write(transaction, turn, step)
        await transaction.send("DELETE FROM steps WHERE turn = ? AND n > ?", turn.id, last)
        await transaction.send(
            "DELETE FROM addresses WHERE thread = ? AND turn = ? AND step > ?", turn.thread, turn.n, last
        )

    await database.atomically(write)


async def _write(transaction: Transaction, turn: Turn, step: Step) -> None:
    await transaction.send(*keeping(turn, step))  # history may have lost it
    address = step.plan.arguments.get("address")
    for statement in ended(turn, step.n, step.outcome, address if isinstance(address, str) else ""):
        await transaction.send(*statement)
