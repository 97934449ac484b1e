"""Find the app that a name means, and start it by its own command: no words of a plan ever reach it.

The names of the apps are kept until the time stamp of a folder with their entries changes. An entry that is
edited in place changes no folder's stamp: so it is read again before its app is started.
"""

from __future__ import annotations

import os
from contextlib import suppress
from json import dumps, loads
from shlex import join
from typing import TYPE_CHECKING, Any, NamedTuple

from ...actions import HANDED_OVER, RUNNING, Launched
from ...config.sources import home_of
from ...core.errors import LaunchFailed, NotInstalled, StoreFailed
from ...core.files import private_folder, replace_file
from .. import apps
from ..apps import ROLES, App, Keys, entry_id
from .entries import entry_folders, expand_exec, find_entry, in_terminal, index, read_entry
from .session import (
    check_only_ours,
    config_folder,
    read_lines,
    require,
    spawn_detached,
    which,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...core.types import AppsFound

_FORMAT = 3


class Menu(NamedTuple):
    """The apps of the session's menu."""

    env: Mapping[str, str]
    cache: str = ""  # the folder in which their names are kept; empty: they aren't

    def find(self, name: str) -> AppsFound:
        """Return the apps that *name* means, or else those with a similar name."""
        return apps.apps_found(name, self.all(), self._for_role)

    def launch(self, name: str, grace: float) -> Launched:
        """Start the app that *name* means or is the key of, and watch it for *grace* seconds."""
        require(self.env)
        app = self._meant(name)
        argv = _command(app, self.env)
        status = spawn_detached(argv, self.env, cwd=_folder(app, self.env), grace=grace)
        if status:
            told = f"{app.name} failed right after its start (status {status})."
            raise LaunchFailed(told, hint=f"To see why: {join(argv)}")
        return Launched(app.name, RUNNING if status is None else HANDED_OVER)

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the apps whose whole name, program or role is one of *names*, each as (name shown, key).

        names: in lower case, without signs, best first.
        """
        wanted = [*names, *map(apps.normalise, names)]
        hits = apps.exact_keys(wanted, self._keys(), apps.without_article(wanted))
        if not hits and roles:  # an app of that very name comes before the one that has the role
            hits = list(filter(None, [self._for_role(names)]))
        return [(app.name, app.key) for app in hits]

    def names_kept(self) -> list[tuple[str, str]]:
        """Return the kept names, fresh or not: each as (name in lower case, name in the menu)."""
        return [(name, keys.app.name) for keys in _keys_in(self._kept()) for name in keys.names]

    def all(self) -> list[App]:
        """Return every app that a menu would show."""
        return index(self.env)

    def _meant(self, name: str) -> App:
        if apps.is_key(name):
            return apps.by_key(name, lambda: filter(None, [find_entry(entry_id(name), self.env)]))
        hits = apps.exact_keys(apps.forms(name), self._keys()) if self.cache else []
        app = read_entry(hits[0].path, hits[0].id, self.env) if len(hits) == 1 else None
        if app and apps.exact_matches(apps.forms(name), [app]):
            return app
        return apps.only_one(name, apps.find(name, self.all(), self._for_role))

    def _for_role(self, names: Sequence[str]) -> App | None:
        return for_role(names, self.env)

    def _keys(self) -> list[Keys]:
        """Return what the apps are called: as it is kept, if that is still true, else as it is read anew."""
        now, kept = _state(self.env), self._kept()
        if kept.get("state") == now and all(_stamp(path) == at for path, at in kept["folders"]):
            return _keys_in(kept)
        stamps = [(path, _stamp(path)) for path in _folders(self.env)]  # before their entries are read
        keys = [*map(apps.keys_of, self.all())]
        if self.cache:
            rows = [[k.app.id, k.app.path, k.app.names, k.app.command, k.names, k.programs] for k in keys]
            self._keep({"state": now, "folders": stamps, "apps": rows})
        return keys

    @property
    def _file(self) -> str:
        return os.path.join(self.cache, "apps.json")

    def _kept(self) -> dict[str, Any]:
        if not self.cache:
            return {}
        try:
            with open(self._file, encoding="utf-8") as stream:
                kept = loads(stream.read())
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) and kept.get("state", [0])[0] == _FORMAT else {}

    def _keep(self, record: dict[str, Any]) -> None:
        with suppress(StoreFailed):  # a full disk only makes the next look-up slower
            private_folder(self.cache)
            replace_file(self._file, dumps(record))  # ASCII, which keeps names that are not UTF-8


def _command(app: App, env: Mapping[str, str]) -> list[str]:
    # An app without Exec is started over D-Bus, which gio does.
    argv = expand_exec(app.command, name=app.name, path=app.path) or ["gio", "launch", app.path]
    program = which(argv[0], env)
    if not program:
        raise NotInstalled(f"{app.name} is in the menu, but its program ({argv[0]}) is not installed.")
    for path in (app.path, program):
        check_only_ours(path, app.name, env)
    argv[0] = program
    if not app.terminal:
        return argv
    if terminal := in_terminal(argv, env):
        return terminal
    raise LaunchFailed(
        f"{app.name} needs a terminal window, and no terminal is installed.", hint="sudo apt install xterm"
    )


def _folder(app: App, env: Mapping[str, str]) -> str:
    wanted = (app.cwd, home_of(env))
    return next((folder for folder in wanted if os.path.isabs(folder) and os.path.isdir(folder)), "/")


def _keys_in(kept: Mapping[str, Any]) -> list[Keys]:
    return [
        Keys(App(id_, path, tuple(names), command=tuple(command)), whole, programs)
        for id_, path, names, command, whole, programs in kept.get("apps", ())
    ]


def _state(env: Mapping[str, str]) -> list[Any]:
    """Return what decides, besides the folders, which apps there are and what they are called."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG", "XDG_CURRENT_DESKTOP", "PATH")
    return [_FORMAT, entry_folders(env), [env.get(name, "") for name in names]]


def _folders(env: Mapping[str, str]) -> Iterator[str]:
    """Return every folder that may hold entries, whether it exists or not."""
    for root in entry_folders(env):
        yield root
        yield from (os.path.join(folder, name) for folder, below, _ in os.walk(root) for name in below)


def _stamp(path: str) -> int:
    """Return the time of the last change of *path* in nanoseconds; 0 if it does not exist."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


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


def for_role(names: Sequence[str], env: Mapping[str, str]) -> App | None:
    """Return the system's app for the role that one of *names* is; None if there is none.

    Source: MIME Applications Associations 1.0; for terminals what Debian links to.
    """
    if "the files" in names:  # files mentioned before, not the file manager
        return None
    ids = (id_ for name in names if name in ROLES for id_ in _ids(ROLES[name], env))
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
    for path in _lists(env):
        section = ""
        for line in read_lines(path):
            if line.startswith("["):
                section = line
            key, equals, value = line.partition("=")
            if section == "[Default Applications]" and equals and key.strip() == kind:
                yield from filter(None, map(str.strip, value.split(";")))


def _terminals(env: Mapping[str, str]) -> Iterator[str]:
    if chosen := which("x-terminal-emulator", env):
        program = os.path.basename(os.path.realpath(chosen)).partition(".")[0]
        yield program
        # The entry that starts it may be called otherwise: that of `kgx` is org.gnome.Console.
        yield from (app.id for app in index(env) if program in map(os.path.basename, app.command[:1]))


def _lists(env: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths where lists of defaults may be: for this desktop before those for any."""
    system = env.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    for place in (config_folder(env), *system.split(":"), *entry_folders(env)):
        yield from (os.path.join(place, f"{desktop}-mimeapps.list") for desktop in _desktops(env))
        yield os.path.join(place, "mimeapps.list")


def _desktops(env: Mapping[str, str]) -> list[str]:
    """Return the names of this desktop, in lower case, the closest first."""
    names = env.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return [name for name in names if name and "/" not in name]
