"""What an installed app is, on any system."""

from __future__ import annotations

from ..core.stdlib import NamedTuple

# Short names that everybody uses: for the very same app, never for another one like it.
SHORT_NAMES = {
    "chrome": "google chrome", "edge": "microsoft edge", "vs code": "visual studio code",
    "vscode": "visual studio code", "word": "microsoft word", "excel": "microsoft excel",
    "powerpoint": "microsoft powerpoint", "obs": "obs studio", "brave": "brave browser",
}  # fmt: skip
# What the system itself has an app for, each with what else it is called.
_ROLES = {
    "browser": "web browser/internet browser/internet",
    "mail": "email/e mail/mail client/email client/mail program/email program",
    "files": "file manager/file browser",
    "terminal": "terminal window/terminal emulator/console",
    "editor": "text editor",
    "settings": "system settings",
}
ROLES = {name: role for role, others in _ROLES.items() for name in (role, *others.split("/"))}
START_MENU = "shell:AppsFolder\\"
ENTRY = ".desktop"

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
    # In every language, where they were asked for; to be compared with, and not fit to print.
    translations: tuple[str, ...] = ()
    generic_translations: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What to call it."""
        return f"{self.names[0]} ({self.system})" if self.system else self.names[0]

    @property
    def key(self) -> str:
        """What means this app alone, and is written as no name is."""
        return self.id + ENTRY if self.path.endswith(ENTRY) else self.path


def entry_id(key: str) -> str:
    """The id of the desktop entry that *key* names; empty where it names none."""
    return key.removesuffix(ENTRY) if key.endswith(ENTRY) else ""


def is_key(name: str) -> bool:
    """Whether *name* is written as an app's key is."""
    return name.startswith(("/", START_MENU)) or bool(entry_id(name))
