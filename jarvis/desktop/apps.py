"""What an installed app is, on any system."""

from __future__ import annotations

from ..typed import NamedTuple

# Short names that everybody uses: for the very same app, never for another one like it.
SHORT_NAMES = {
    "chrome": "google chrome", "edge": "microsoft edge", "vs code": "visual studio code",
    "vscode": "visual studio code", "word": "microsoft word", "excel": "microsoft excel",
    "powerpoint": "microsoft powerpoint", "obs": "obs studio", "brave": "brave browser",
}  # fmt: skip

ARTICLES = ("the", "my", "a", "an")


class App(NamedTuple):
    """One app that can be started."""

    id: str  # the system's own name for it: a desktop id without `.desktop`, a bundle's id, an AppID
    path: str  # of its desktop entry or bundle; on Windows, what the shell is told to open
    names: tuple[str, ...]  # in the person's language first, then in English
    generic: tuple[str, ...] = ()  # “Web Browser”; in the same two languages
    command: tuple[str, ...] = ()  # Exec, field codes not filled in; empty: the system starts it by its path
    terminal: bool = False  # runs in a terminal window
    cwd: str = ""
    system: str = ""  # “Windows” or “Linux”, where a person has the apps of both

    @property
    def name(self) -> str:
        """What to call it."""
        return f"{self.names[0]} ({self.system})" if self.system else self.names[0]
