"""Describe an installed app in the same way on every system."""

from __future__ import annotations

from typing import NamedTuple

# Common short names: each stands for this one app, never for a similar one.
SHORT_NAMES = {
    "chrome": "google chrome", "edge": "microsoft edge", "vs code": "visual studio code",
    "vscode": "visual studio code", "word": "microsoft word", "excel": "microsoft excel",
    "powerpoint": "microsoft powerpoint", "obs": "obs studio", "brave": "brave browser",
}  # fmt: skip
# Roles: the system has an app for each. After each, its other names.
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
    # In every language, if they were asked for; only to compare with, not cleaned for printing.
    translations: tuple[str, ...] = ()
    generic_translations: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name to show."""
        return f"{self.names[0]} ({self.system})" if self.system else self.names[0]

    @property
    def key(self) -> str:
        """Return the key, which means this app alone and can't be mistaken for a name."""
        return self.id + ENTRY if self.path.endswith(ENTRY) else self.path


def entry_id(key: str) -> str:
    """Return the id of the desktop entry that *key* names; empty if it names none."""
    return key.removesuffix(ENTRY) if key.endswith(ENTRY) else ""


def is_key(name: str) -> bool:
    """Return whether *name* has the form of an app's key."""
    return name.startswith(("/", START_MENU)) or bool(entry_id(name))
