"""The quick way in this process, with hands that only write down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jarvis import build
from jarvis.actions import catalogue
from jarvis.frontends.asking import nobody_answers
from jarvis.hands import Hands
from jarvis.names import Names
from jarvis.plain import PlainTurn, understood
from jarvis.settings import read
from jarvis.store.database import at_once

from .house import RecordingDesktop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jarvis.events import Event, Question, TurnEnded


class Quick:
    """A plain turn's parts."""

    def __init__(self, folder: Path) -> None:
        self.desktop = RecordingDesktop(folder)
        self.events: list[Event] = []
        self.settings = read({"JARVIS_HOME": str(folder)})
        self.history = build.plain_history(self.settings)
        self.hands = Hands(self.desktop, catalogue())
        self.names = Names()
        self.answer: Callable[[Question], str] = nobody_answers

    def rows(self, sql: str) -> Any:
        return at_once(self.history.database.run(sql))

    def run(self, words: str) -> TurnEnded:
        meant = understood(words, self.names)
        assert meant, f"{words!r} is not plain."
        pictures = str(self.desktop.pictures())
        turn = PlainTurn(self.history, self.hands, self.settings, pictures, self.events.append, self.answer)
        return at_once(turn.run(words, *meant))
