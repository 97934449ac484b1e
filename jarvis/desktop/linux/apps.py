"""Find the app that a name means, and start it by its own command: no words of a plan ever reach it.

The names of the apps are kept until the time stamp of a folder with their entries changes. An entry that is
edited in place changes no folder's stamp: so it is read again before its app is started.
"""

from __future__ import annotations

import os
import time
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from ...actions.base import HANDED_OVER, RUNNING, Launched
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
_SETTLED = 2.0  # seconds; within them a folder may change again without another stamp


def find_apps(name: str, env: Mapping[str, str]) -> AppsFound:
    """Return the apps that *name* means, or else those with a similar name."""
    return apps.apps_found(name, index(env), lambda names: for_role(names, env))


def launch_app(name: str, env: Mapping[str, str], grace: float, cache: str = "") -> Launched:
    """Start the app that *name* means or is the key of, and watch it for *grace* seconds.

    cache: the folder in which the names of apps are kept, empty for none.
    """
    require(env)
    app = _meant(name, env, cache)
    argv = _command(app, env)
    status = spawn_detached(argv, env, cwd=_folder(app, env), grace=grace)
    if status:
        raise LaunchFailed(
            f"{app.name} failed right after its start (status {status}).", hint=f"To see why: {_typed(argv)}"
        )
    return Launched(app.name, RUNNING if status is None else HANDED_OVER)


def _meant(name: str, env: Mapping[str, str], cache: str) -> App:
    if apps.is_key(name):
        return apps.by_key(name, lambda: filter(None, [find_entry(entry_id(name), env)]))
    hits = apps.exact_keys(apps.forms(name), _keys(env, cache)) if cache else []
    app = read_entry(hits[0].path, hits[0].id, env) if len(hits) == 1 else None
    if app and apps.exact_matches(apps.forms(name), [app]):
        return app
    return apps.only_one(name, apps.find(name, index(env), lambda names: for_role(names, env)))


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


def _typed(argv: list[str]) -> str:
    """Return *argv* as a person would type it."""
    from shlex import join  # only after a failure

    return join(argv)


def _folder(app: App, env: Mapping[str, str]) -> str:
    wanted = (app.cwd, home_of(env))
    return next((folder for folder in wanted if os.path.isabs(folder) and os.path.isdir(folder)), "/")


def apps_called(
    names: Sequence[str], env: Mapping[str, str], cache: str, *, roles: bool = True
) -> list[tuple[str, str]]:
    """Return the apps whose whole name, program or role is one of *names*, each as (name shown, key).

    names: in lower case, without signs, best first. cache: the folder of the kept names, empty for none.
    """
    wanted = [*names, *map(apps.normalise, names)]
    hits = apps.exact_keys(wanted, _keys(env, cache), apps.without_article(wanted))
    if not hits and roles:  # an app of that very name comes before the one that has the role
        hits = list(filter(None, [for_role(names, env)]))
    return [(app.name, app.key) for app in hits]


def names_kept(cache: str) -> list[tuple[str, str]]:
    """Return the kept names of the apps, fresh or not: each as (name in lower case, name in the menu)."""
    return [(name, keys.app.name) for keys in _keys_in(_kept(cache)) for name in keys.names]


def _keys(env: Mapping[str, str], cache: str) -> list[Keys]:
    """Return what the apps are called: as it is kept, if that is still true, else as it is read anew."""
    now = _state(env)
    kept = _kept(cache)
    if kept.get("state") == now and all(_stamp(path) == at for path, at in kept["folders"]):
        return _keys_in(kept)
    stamps = [(path, _stamp(path)) for path in _folders(env)]  # before their entries are read
    keys = [apps.keys_of(app) for app in index(env)]
    if cache and all(time.time_ns() - at > _SETTLED * 1e9 for _, at in stamps):
        rows = [[k.app.id, k.app.path, k.app.names, k.app.command, k.names, k.programs] for k in keys]
        _keep(cache, {"state": now, "folders": stamps, "apps": rows})
    return keys


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


def _file(cache: str) -> str:
    return os.path.join(cache, "apps.json")


def _kept(cache: str) -> dict[str, Any]:
    if not cache:
        return {}
    try:
        with open(_file(cache), encoding="utf-8") as stream:
            kept = loads(stream.read())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) and kept.get("state", [0])[0] == _FORMAT else {}


def _keep(cache: str, record: dict[str, Any]) -> None:
    try:
        private_folder(cache)
        replace_file(_file(cache), dumps(record))  # ASCII, which keeps names that are not UTF-8
    except StoreFailed:
        pass  # a full disk only makes the next look-up slower


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

    Source: MIME Applications Associations 1.0; for terminals xdg-terminals.list, or what Debian links to.
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
    for path in _lists("mimeapps.list", env, *entry_folders(env)):
        section = ""
        for line in read_lines(path):
            if line.startswith("["):
                section = line
            key, equals, value = line.partition("=")
            if section == "[Default Applications]" and equals and key.strip() == kind:
                yield from filter(None, map(str.strip, value.split(";")))


def _terminals(env: Mapping[str, str]) -> Iterator[str]:
    for path in _lists("xdg-terminals.list", env):
        lines = (line.partition(":")[0] for line in read_lines(path) if line and line[0] not in "#-/")
        yield from map(entry_id, lines)
    if chosen := which("x-terminal-emulator", env):
        program = os.path.basename(os.path.realpath(chosen)).partition(".")[0]
        yield program
        # The entry that starts it may be called otherwise: that of `kgx` is org.gnome.Console.
        yield from (app.id for app in index(env) if program in map(os.path.basename, app.command[:1]))


def _lists(name: str, env: Mapping[str, str], *more: str) -> Iterator[str]:
    """Yield the paths where lists of that *name* may be: for this desktop before those for any."""
    system = env.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    for place in (config_folder(env), *system.split(":"), *more):
        yield from (os.path.join(place, f"{desktop}-{name}") for desktop in _desktops(env))
        yield os.path.join(place, name)


def _desktops(env: Mapping[str, str]) -> list[str]:
    """Return the names of this desktop, in lower case, the closest first."""
    names = env.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return [name for name in names if name and "/" not in name]
