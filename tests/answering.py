"""A plain command, and an answer that comes later, in this process and on the parts of a House."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jarvis.actions import Hands, catalogue
from jarvis.core.concurrency import run_async
from jarvis.launcher.command import understood
from jarvis.output.prompts import nobody_answers
from jarvis.store.kept_questions import kept_question
from jarvis.turns import build
from jarvis.turns.answered_later import answer
from jarvis.turns.direct import DirectTurn

from .house import Asked

if TYPE_CHECKING:
    from jarvis.core.events import TurnEnded
    from jarvis.store.history import History
    from jarvis.store.open import Store

    from .house import House


def _turn_on(house: House, history: History, asked: Asked) -> tuple[Hands, DirectTurn]:
    hands = Hands(house.desktop, catalogue())
    return hands, DirectTurn(history, hands, house.settings, asked.append, nobody_answers)


def plainly(house: House, words: str) -> Asked:
    """What comes of a plain command, off a terminal."""
    asked, history = Asked(), build.plain_history(house.settings)
    _, turn = _turn_on(house, history, asked)
    meant = understood(words)
    assert meant, f"{words!r} is not plain."

    async def work() -> None:
        await turn.run(words, meant)
        await history.close()

    run_async(work())
    return asked


def answered(house: House, asked: Asked, said: str) -> Asked:
    """What comes of `jarvis --answer ID=SAID` to the question that *asked* ended with."""
    told, given = Asked(), f"{asked.summary['question']['id']}={said}"

    async def work(store: Store) -> TurnEnded | None:
        open_ = await kept_question(store.database, given.partition("=")[0])
        if open_ and not understood(open_.goal):
            return None
        _, turn = _turn_on(house, store.history, told)
        return await answer(given, store.history, turn, understood)

    return told if house.kept(work) else house.ask("", answer=given)
