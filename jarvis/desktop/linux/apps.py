"""Find the app that a name means, and start it by its own command: no words of a plan ever reach it."""

from __future__ import annotations

import os
from shlex import join
from typing import TYPE_CHECKING, NamedTuple

from ...actions import HANDED_OVER, RUNNING, Launched
from ...config.sources import home_of
from ...core.errors import LaunchFailed, NoHandler, NotInstalled
from .. import apps
from ..apps import ROLES, App, entry_id
from . import (
    GRAPHICAL,
    check_only_ours,
    chosen_program,
    config_folder,
    read_lines,
    require,
    require_xdg_open,
    spawn_detached,
    which,
)
from .entries import entry_folders, expand_exec, in_terminal, index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...core.types import AppsFound


class Menu(NamedTuple):
    """The apps of the session's menu."""

    env: Mapping[str, str]

    def find(self, name: str) -> AppsFound:
        """Return the apps that *name* means, or else those with a similar name."""
        return apps.apps_found(name, self.all(), self.for_role)

    def launch(self, name: str, grace: float) -> Launched:
        """Start the app that *name* means or is the key of, and watch it for *grace* seconds."""
        require(self.env)
        app = apps.meant(name, list, self.all, self.for_role)  # none is known before all are read
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
        hits = apps.exact_matches(names, self.all())
        if not hits and roles:  # an app of that very name comes before the one that has the role
            hits = list(filter(None, [self.for_role(names)]))
        return [(app.name, app.key) for app in hits]

    def all(self) -> list[App]:
        """Return every app that a menu would show."""
        return index(self.env)

    def for_role(self, names: Sequence[str]) -> App | None:
        """Return the system's app for the role that one of *names* is; None if there is none.

        Source: MIME Applications Associations 1.0; for terminals what Debian links to.
        """
        if "the files" in names:  # files mentioned before, not the file manager
            return None
        known = {app.id: app for app in self.all()}
        ids = (id_ for name in names if name in ROLES for id_ in _ids(ROLES[name], self.env))
        return next((known[id_] for id_ in ids if id_ in known), None)


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


def opener(env: Mapping[str, str]) -> str:
    """Return what an address would be sent to, where there is a screen. Raises NoHandler and LaunchFailed."""
    chosen = chosen_program(env)
    if chosen:
        check_only_ours(chosen, os.path.basename(chosen), env)
    require_xdg_open(env)
    named = f"{chosen}, by $BROWSER" if chosen else next(_browsers(env), "")
    if not named:
        other = "or one that is there: xdg-settings set default-web-browser NAME.desktop"
        raise NoHandler("No browser is set up.", hint=f"sudo apt install firefox-esr   ({other})")
    return f"{named}; sent there by xdg-open"


def _browsers(env: Mapping[str, str]) -> Iterator[str]:
    """Yield the browsers that xdg-open may come to, the most important first."""
    if default := Menu(env).for_role(["browser"]):
        yield default.name
    yield from (name for name in GRAPHICAL.split(":") if which(name, env))


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
