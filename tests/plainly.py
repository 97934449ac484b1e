"""Plain turns in this process, on a desktop that only writes down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jarvis import launcher
from jarvis.actions import desktop_actions
from jarvis.config.settings import read_settings
from jarvis.desktop.desktop import Desktop
from jarvis.language.command_grammar import parse_words
from jarvis.launcher.names import Names
from jarvis.output.questions import nobody_answers
from jarvis.store.database import run_sync
from jarvis.turns import plain
from jarvis.turns.plain import PlainTurn

from .house import RecordingDesktop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jarvis.core.events import Event, Question, TurnEnded
    from jarvis.launcher import Command


def understood(words: str, names: Names | None = None) -> Command | None:
    """What *words* plainly ask for."""
    return launcher.understood(parse_words(words), names)


class Plainly:
    """A plain turn's parts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desktop = RecordingDesktop(folder)
        self.events: list[Event] = []
        self.settings = read_settings({"JARVIS_HOME": str(folder)})
        self.history = plain.plain_history(self.settings)
        self.environment = {"PATH": "", "XDG_DATA_HOME": str(folder), "XDG_DATA_DIRS": str(folder / "none")}
        self.names = Names(self.environment, self.settings.folders.aliases, self.settings.folders.cache)
        self.answer: Callable[[Question], str] = nobody_answers

    def install(self, name: str, app_id: str = "", command: str = "/bin/true", **keys: str) -> Path:
        """A desktop entry for the app of that *name*."""
        file = self.folder / "applications" / f"{app_id or name}.desktop"
        file.parent.mkdir(exist_ok=True)
        lines = [f"{key}={value}" for key, value in {"Name": name, "Exec": command, **keys}.items()]
        file.write_text("\n".join(["[Desktop Entry]", "Type=Application", *lines, ""]))
        return file

    def rows(self, sql: str) -> Any:
        return run_sync(self.history.database.run(sql))

    def run(self, words: str) -> TurnEnded:
        meant = understood(words, self.names)
        assert meant, f"{words!r} is not plain."
        return self.do(words, meant)

    def do(self, words: str, meant: Command) -> TurnEnded:
        turn = PlainTurn(
            self.history,
            lambda: Desktop(self.desktop, desktop_actions()),
            self.settings,
            self.events.append,
            self.answer,
        )
        return run_sync(turn.run(words, meant))
