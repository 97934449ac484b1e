"""Find the app that the system uses for a role: “the browser”, “my mail”, “a terminal”, “the files”.

Source: MIME Applications Associations 1.0; for terminals xdg-terminals.list, or what Debian links to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from .. import folders
from ..apps import ROLES, App, entry_id
from .session import which

_TYPES = {
    "browser": "x-scheme-handler/https",
    "mail": "x-scheme-handler/mailto",
    "files": "inode/directory",
    "editor": "text/plain",
}
# The apps for settings: no default can be chosen, since each desktop has its own.
_SETTINGS = {
    "gnome": ("org.gnome.Settings", "gnome-control-center"),
    "kde": ("systemsettings", "org.kde.systemsettings", "kdesystemsettings"),
    "xfce": ("xfce-settings-manager",),
    "x-cinnamon": ("cinnamon-settings",),
    "mate": ("matecc",),
    "lxqt": ("lxqt-config",),
}
_MOST_BYTES = 256 * 1024


def for_role(names: Sequence[str], env: Mapping[str, str]) -> App | None:
    """Return the system's app for the role that one of *names* is; None if there is none."""
    if "the files" in names:  # files mentioned before, not the file manager
        return None
    return next((app for name in names if (app := role(name, env))), None)


def role(name: str, env: Mapping[str, str]) -> App | None:
    """Return the system's app for the role of that *name*, in lower case; None: no role, or no app for it."""
    from .desktop_entries import find_entry  # few names are roles

    kind = ROLES.get(name)
    ids = _ids(kind, env) if kind else ()
    return next((app for id_ in ids if (app := find_entry(id_, env))), None)


def _ids(kind: str, env: Mapping[str, str]) -> Iterator[str]:
    """Return the ids of the apps that may have the role, the most important first."""
    if kind == "terminal":
        return _terminals(env)
    if kind == "settings":
        return (id_ for desktop in _desktops(env) for id_ in _SETTINGS.get(desktop, ()))
    return map(entry_id, _defaults(_TYPES[kind], env))


def _defaults(kind: str, env: Mapping[str, str]) -> Iterator[str]:
    """Yield the file names of the default desktop entries for *kind*, the most important first."""
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
        lines = (line.partition(":")[0] for line in _lines(path) if line and line[0] not in "#-/")
        yield from map(entry_id, lines)
    if chosen := which("x-terminal-emulator", env):
        program = os.path.basename(os.path.realpath(chosen)).partition(".")[0]
        yield program
        yield from _entries_of(program, env)


def _entries_of(program: str, env: Mapping[str, str]) -> Iterator[str]:
    """Return the ids of the entries that start *program*: that of `kgx` is org.gnome.Console."""
    from .desktop_entries import index  # few names are roles

    apps = (app for app in index(env) if app.command)
    return (app.id for app in apps if os.path.basename(app.command[0]) == program)


def _lists(name: str, env: Mapping[str, str], *, data: bool) -> Iterator[str]:
    """Yield the paths where lists of that *name* may be: for this desktop before those for any."""
    system = env.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    places = [folders.config_folder(env), *system.split(":")]
    if data:
        places += [os.path.join(folder, "applications") for folder in folders.data(env)]
    for place in places:
        yield from (os.path.join(place, f"{desktop}-{name}") for desktop in _desktops(env))
        yield os.path.join(place, name)


def _desktops(env: Mapping[str, str]) -> list[str]:
    """Return the names of this desktop, in lower case, the closest first."""
    names = env.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return [name for name in names if name and "/" not in name]


def _lines(path: str) -> list[str]:
    try:
        if not os.path.isfile(path):  # a pipe would keep us waiting
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.strip() for line in file.read(_MOST_BYTES).splitlines()]
    except OSError:
        return []
