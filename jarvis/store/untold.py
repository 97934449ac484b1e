"""Steps of which nobody knows whether they happened: told again and again, until a front end has shown it."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.events import Unsure
from .database import Database

UNTOLD = (
    "SELECT thread, turn, steps.n, action, target FROM steps JOIN turns ON turns.id = turn"
    " WHERE untold = 1 AND thread = ? ORDER BY turns.n, steps.n"
)


async def untold_in(database: Database, thread: str) -> list[Unsure]:
    """Return the steps of *thread* of which nobody has heard yet that it is not known."""
    return [Unsure(*row) for row in await database.run(UNTOLD, thread)]


async def note_told(database: Database, steps: Iterable[tuple[str, int]]) -> None:
    """Write down that the person was shown what is not known of *steps*, each as (turn, number)."""
    note = "UPDATE steps SET untold = 0 WHERE turn = ? AND n = ?"
    await database.run_all(*((note, *step) for step in steps))
