"""Use the desktop of a person who runs Linux in Windows (WSL): its screen and browser are those of Windows.

What the person chose for Linux still counts: $BROWSER, a default browser where there is a screen (WSLg),
and Linux apps besides those of Windows.
"""

from __future__ import annotations

import contextlib
import os
from io import BytesIO
from typing import TYPE_CHECKING

from ...actions.base import HANDED_OVER, RUNNING, Launched
from ...core import urls
from ...core.errors import CaptureFailed, LaunchFailed, NotInstalled
from ...core.types import AppsFound
from ..folders import config_folder, pictures
from ..linux import browser
from ..linux.session import session_environment, spawn_detached, which
from ..programs import run_program
from . import powershell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..apps import App
    from .apps import StartApps

# Imported when first used: opening an address must not wait for what finds apps or takes pictures.

_SYSTEM = "/mnt/c/Windows/System32"
_LINUX, _WINDOWS = "Linux", "Windows"
_LINUX_URL_GRACE = 2.5
_APP_GRACE = 1.0
_WINDOWS_TIMEOUT = 10.0  # PowerShell alone may take some seconds, the first time
_INTEROP = "Let WSL run Windows programs: put `enabled=true` under `[interop]` in /etc/wsl.conf"


class Wsl:
    """The Desktop of WSL. Times are in seconds.

    cache: the folder to keep the list of apps in, empty for none. system: the folder of Windows' programs.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        cache: str = "",
        system: str = _SYSTEM,
        windows_timeout: float = _WINDOWS_TIMEOUT,
        app_grace: float = _APP_GRACE,
    ) -> None:
        self._env = env
        self._cache = cache
        self._rundll32 = program("rundll32.exe", system, env)
        self._app_grace = app_grace
        self._timeout = windows_timeout
        self._shell = powershell.PowerShell(
            program("powershell.exe", f"{system}/WindowsPowerShell/v1.0", env), env, windows_timeout
        )

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        if state := browser.by_choice(url, self._env, _LINUX_URL_GRACE):
            return state
        if _has_linux_browser(self._env):
            return browser.open_url(url, self._env, _LINUX_URL_GRACE)
        for argv in open_url_argvs(url, self._rundll32, self._shell.program):
            # A program may be missing, or WSL may not be allowed to run Windows programs.
            with contextlib.suppress(NotInstalled, LaunchFailed):
                status = spawn_detached(argv, self._env, cwd="/", grace=self._timeout)
                if not status:
                    return HANDED_OVER if status == 0 else RUNNING
        raise LaunchFailed("Windows did not open the address.", hint=f"Copy it into a browser: {url}")

    def open_file(self, path: str) -> str:
        """Have Windows show it, which has its own name for each file of Linux."""
        wslpath = which("wslpath", self._env)
        named = run_program([wslpath, "-w", path], self._env, self._timeout) if wslpath else None
        if named is None or named.trouble:
            raise LaunchFailed("Windows has no name for that file.", hint=_INTEROP)
        ended = self._shell.run(powershell.start_process(named.out.decode("utf-8", "replace").strip()))
        if ended.trouble:
            raise LaunchFailed(f"The app for it did not start: {ended.trouble}.", hint=_INTEROP)
        return HANDED_OVER

    def find_apps(self, name: str) -> AppsFound:
        from .. import match

        apps = self._that_may_be(name, self._start_menu(), all_languages=True)
        return match.apps_found(name, apps, self._role(apps))

    def launch_app(self, name: str) -> Launched:
        apps = self._start_menu()
        app = self._meant(name, apps)
        if app.system == _LINUX:
            from ..linux.launch import start_app

            return start_app(app, self._env, self._app_grace)
        ended = self._shell.run(powershell.start_process(app.path))
        if ended.trouble:
            apps.forget()
            raise LaunchFailed(
                f"{app.name} did not start: {ended.trouble}.", hint="Start it from the start menu."
            )
        return Launched(app.name, HANDED_OVER)

    def capture(self, path: str) -> tuple[int, int]:
        """Save a picture of all screens of Windows at *path*, a path of Linux. Return its size in pixels."""
        from .. import shots

        ended = self._shell.run(powershell.SCREEN)
        if ended.trouble:
            raise CaptureFailed(f"The screen could not be read: {ended.trouble}.", hint=_INTEROP)
        return shots.keep(shots.read_picture(BytesIO(ended.out)), path)

    def pictures(self) -> str:
        """Return the folder of Linux: asking Windows for its own would take a second."""
        return pictures(self._env)

    def _meant(self, name: str, menu: StartApps) -> App:
        from .. import match
        from ..apps import entry_id, is_key

        if entry_id(name):
            return match.by_key(name, self._linux_apps)
        if is_key(name):
            return menu.with_key(name)
        apps = self._that_may_be(name, menu)
        return match.only_one(name, match.find(name, apps, self._role(apps)))

    def _that_may_be(self, name: str, menu: StartApps, *, all_languages: bool = False) -> list[App]:
        """Return the apps in which to look for *name*: those of Windows and of Linux.

        If Windows does not answer, return only the Linux app with exactly that name. Raises LaunchFailed.
        """
        from ..match import matching

        linux = self._linux_apps(all_languages=all_languages)
        try:
            return menu.that_may_be(name, linux)
        except LaunchFailed:
            if app := matching(name, linux):
                return [app]
            raise

    def _linux_apps(self, *, all_languages: bool = False) -> list[App]:
        from ..linux.desktop_entries import index

        apps = index(self._env, all_languages=all_languages) if session_environment(self._env) else []
        return [app._replace(system=_LINUX) for app in apps]

    def _start_menu(self) -> StartApps:
        from .apps import StartApps

        return StartApps(self._shell, self._cache, _WINDOWS)

    def _role(self, apps: Sequence[App]) -> Callable[[Sequence[str]], App | None]:
        """Return the function that finds the app of a role.

        Windows' choice comes before that of Linux, except for a browser that is the default of Linux.
        """
        from ..apps import ROLES
        from ..linux.roles import for_role
        from .roles import role

        def chosen(names: Sequence[str]) -> App | None:
            own = for_role(names, self._env)
            linux = next((app for app in apps if own and app.path == own.path), None)
            is_browser = "browser" in map(ROLES.get, names)
            if linux and is_browser and _has_linux_browser(self._env):
                return linux
            return role(names, apps, self._shell) or linux

        return chosen


def open_url_argvs(url: str, rundll32: str, shell: str) -> list[list[str]]:
    """Return the commands that open *url* in Windows' default browser, best first.

    Not explorer.exe, which always reports failure and takes an address with `?` for a folder, nor cmd.exe,
    which ends the address at `&`.
    """
    return [
        [rundll32, "url.dll,FileProtocolHandler", url],
        powershell.powershell_argv(shell, powershell.start_process(url)),
    ]


def program(name: str, folder: str, env: Mapping[str, str]) -> str:
    """Return the path of Windows' own program; by the PATH only if Windows' disk is somewhere else."""
    own = f"{folder}/{name}"
    return own if os.path.isfile(own) else which(name, env) or own


def _has_linux_browser(env: Mapping[str, str]) -> bool:
    """Return whether the person set a default browser in Linux, and it has a screen."""
    try:
        with open(
            os.path.join(config_folder(env), "mimeapps.list"), encoding="utf-8", errors="replace"
        ) as file:
            is_set = any(line.startswith("x-scheme-handler/https=") for line in file)
    except OSError:
        return False
    return is_set and session_environment(env) is not None and which("xdg-open", env) is not None
