"""A plain command, and an answer that comes later, in this process and on the parts of a House."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jarvis.actions import desktop_actions
from jarvis.core.concurrency import run_async
from jarvis.desktop.desktop import Desktop
from jarvis.output.questions import nobody_answers
from jarvis.store.turns import find_asking
from jarvis.turns import plain
from jarvis.turns.plain import PlainTurn, take
from tests.plainly import understood

from .house import Asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from jarvis.core.events import Question, TurnEnded
    from jarvis.store.history import History
    from jarvis.store.open import Store

    from .house import House


def _turn_on(
    house: House, history: History, asked: Asked, ask: Callable[[Question], str] = nobody_answers
) -> PlainTurn:
    return PlainTurn(
        history, lambda: Desktop(house.desktop, desktop_actions()), house.settings, asked.append, ask
    )


def plainly(house: House, words: str) -> Asked:
    """What comes of a plain command, off a terminal."""
    asked, history = Asked(), plain.plain_history(house.settings)
    turn = _turn_on(house, history, asked)
    meant = understood(words)
    assert meant, f"{words!r} is not plain."

    async def work() -> None:
        await turn.run(words, meant)
        await history.database.close()

    run_async(work())
    return asked


def answered(house: House, asked: Asked, said: str) -> Asked:
    """What comes of `jarvis --answer ID=SAID` to the question that *asked* ended with."""
    told, given = Asked(), f"{asked.summary['question']['id']}={said}"

    async def work(store: Store) -> TurnEnded | None:
        open_ = await find_asking(store.database, given.partition("=")[0])
        meant = understood(open_.goal) if open_ and open_.is_own else None
        if open_ and meant is None:
            return None
        taken = await take(store.database, given)
        assert meant
        return await _turn_on(house, store.history, told).answer(taken, meant, given)

    return told if house.kept(work) else house.ask("", answer=given)
