"""Start an installed app by its own command and nothing else, so no words of a plan ever reach it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...actions.base import HANDED_OVER, RUNNING, Launched
from ...config.paths import home_of
from ...core.errors import LaunchFailed, NotInstalled
from .. import match
from ..apps import App, entry_id, is_key
from . import exec_line
from .app_cache import only
from .desktop_entries import find_entry, index
from .roles import for_role
from .session import check_only_ours, require, spawn_detached, which

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...core.types import AppsFound


def find_apps(name: str, env: Mapping[str, str]) -> AppsFound:
    """Return the apps that *name* means, or else those with a similar name."""
    apps = index(env, all_languages=True)
    return match.apps_found(name, apps, lambda names: for_role(names, env))


def launch_app(name: str, env: Mapping[str, str], grace: float, cache: str = "") -> Launched:
    """Start the app that *name* means or is the key of, and watch it for *grace* seconds.

    cache: the folder in which the app index is kept, empty for none.
    """
    require(env)
    return start_app(_meant(name, env, cache), env, grace)


def _meant(name: str, env: Mapping[str, str], cache: str) -> App:
    if is_key(name):
        return match.by_key(name, lambda: filter(None, [find_entry(entry_id(name), env)]))
    if app := only(name, env, cache):
        return app
    return match.only_one(name, match.find(name, index(env), lambda names: for_role(names, env)))


def start_app(app: App, env: Mapping[str, str], grace: float) -> Launched:
    """Start *app*, and watch it for *grace* seconds."""
    argv = _command(app, env)
    status = spawn_detached(argv, env, cwd=_folder(app, env), grace=grace)
    if status:
        raise LaunchFailed(
            f"{app.name} failed right after its start (status {status}).", hint=f"To see why: {_typed(argv)}"
        )
    return Launched(app.name, RUNNING if status is None else HANDED_OVER)


def _command(app: App, env: Mapping[str, str]) -> list[str]:
    # An app without Exec is started over D-Bus, which gio does.
    argv = exec_line.expand(list(app.command), name=app.name, path=app.path) or ["gio", "launch", app.path]
    program = which(argv[0], env)
    if not program:
        raise NotInstalled(f"{app.name} is in the menu, but its program ({argv[0]}) is not installed.")
    for path in (app.path, program):
        check_only_ours(path, app.name, env)
    argv[0] = program
    if not app.terminal:
        return argv
    in_terminal = exec_line.in_terminal(argv, env)
    if not in_terminal:
        raise LaunchFailed(
            f"{app.name} needs a terminal window, and no terminal is installed.",
            hint="sudo apt install xterm",
        )
    return in_terminal


def _typed(argv: list[str]) -> str:
    """Return *argv* as a person would type it."""
    from shlex import join  # only after a failure

    return join(argv)


def _folder(app: App, env: Mapping[str, str]) -> str:
    wanted = (app.cwd, home_of(env))
    return next((folder for folder in wanted if os.path.isabs(folder) and os.path.isdir(folder)), "/")
