"""The app that the system itself uses for a role: “the browser”, “my mail”, “a terminal”, “the files”.

Source: MIME Applications Associations 1.0; for terminals xdg-terminals.list, or what Debian links to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from . import folders
from .apps import App
from .proc import which

_TYPES = {
    "x-scheme-handler/https": "browser/web browser/internet browser/internet",
    "x-scheme-handler/mailto": "mail/email/e mail/mail client/email client/mail program/email program",
    "inode/directory": "files/file manager/file browser",
    "": "terminal/terminal window/terminal emulator/console",
}
_ROLES = {name: kind for kind, names in _TYPES.items() for name in names.split("/")}
_MOST_BYTES = 256 * 1024


def role(name: str, env: Mapping[str, str]) -> App | None:
    """The system's own choice for the role of that *name*, in lower case; None: no role, or none chosen."""
    kind = _ROLES.get(name)
    if kind is None:
        return None
    ids = _terminals(env) if not kind else _defaults(kind, env)
    return next((app for id_ in ids if (app := _installed(id_, env))), None)


def is_role(name: str) -> bool:
    """Whether *name*, in lower case, is that of a role."""
    return name in _ROLES


def _defaults(kind: str, env: Mapping[str, str]) -> Iterator[str]:
    """The desktop ids that were made the default for *kind*, what counts most first."""
    for path in _lists("mimeapps.list", env, data=True):
        section = ""
        for line in _lines(path):
            if line.startswith("["):
                section = line
            key, equals, value = line.partition("=")
            if section == "[Default Applications]" and equals and key.strip() == kind:
                yield from filter(None, map(str.strip, value.split(";")))


def _terminals(env: Mapping[str, str]) -> Iterator[str]:
    for path in _lists("xdg-terminals.list", env, data=False):
        yield from (line.partition(":")[0] for line in _lines(path) if line and line[0] not in "#-/")
    if chosen := which("x-terminal-emulator", env):
        yield f"{os.path.basename(os.path.realpath(chosen)).partition('.')[0]}.desktop"


def _lists(name: str, env: Mapping[str, str], *, data: bool) -> Iterator[str]:
    """Where lists of that *name* may be: for this desktop before those for any."""
    system = env.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    places = [folders.config(env), *system.split(":")]
    if data:
        places += [os.path.join(folder, "applications") for folder in folders.data(env)]
    desktops = [part.lower() for part in env.get("XDG_CURRENT_DESKTOP", "").split(":") if part]
    for place in places:
        yield from (os.path.join(place, f"{desktop}-{name}") for desktop in desktops if "/" not in desktop)
        yield os.path.join(place, name)


def _lines(path: str) -> list[str]:
    try:
        if not os.path.isfile(path):  # nor do we wait for a pipe
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.strip() for line in file.read(_MOST_BYTES).splitlines()]
    except OSError:
        return []


def _installed(file: str, env: Mapping[str, str]) -> App | None:
    """The app of the desktop entry *file*, as its id stands in a list."""
    from . import desktop_entries  # few names are a role's

    id_ = file.removesuffix(".desktop")
    if not id_ or "/" in file or id_ == file:
        return None
    for folder in folders.data(env):
        path = os.path.join(folder, "applications", file)
        if os.path.isfile(path):
            return desktop_entries.read(path, id_, env)  # one that is hidden hides those below it
    return None
