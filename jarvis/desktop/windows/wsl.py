"""Use the desktop of a person who runs Linux in Windows (WSL): its screen and browser are those of Windows.

$BROWSER still counts. The apps are those of the start menu, where WSL puts those of Linux too.
"""

from __future__ import annotations

import contextlib
import os
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from ...actions.base import HANDED_OVER, RUNNING, Launched
from ...core import urls
from ...core.errors import CaptureFailed, LaunchFailed, NotInstalled
from ..linux import browser
from ..linux.session import pictures, spawn_detached, which
from ..pictures import keep, read_picture
from ..programs import run_program
from .apps import SCREEN, PowerShell, StartMenu, powershell_argv, start_process

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...core.types import AppsFound
    from ..apps import App

_HELPER_GRACE = 2.5  # seconds
_INTEROP = "Let WSL run Windows programs: put `enabled=true` under `[interop]` in /etc/wsl.conf"


class Wsl(NamedTuple):
    """The Platform of WSL. Times are in seconds."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep the list of apps in; empty: it isn't kept
    system: str = "/mnt/c/Windows/System32"  # the folder of Windows' programs
    windows_timeout: float = 10.0  # PowerShell alone may take some seconds, the first time

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        if state := browser.by_choice(url, self.env, _HELPER_GRACE):
            return state
        for argv in open_url_argvs(url, self._program("rundll32.exe"), self._shell.program):
            # A program may be missing, or WSL may not be allowed to run Windows programs.
            with contextlib.suppress(NotInstalled, LaunchFailed):
                status = spawn_detached(argv, self.env, cwd="/", grace=self.windows_timeout)
                if not status:
                    return HANDED_OVER if status == 0 else RUNNING
        raise LaunchFailed("Windows did not open the address.", hint=f"Copy it into a browser: {url}")

    def open_file(self, path: str) -> str:
        """Have Windows show it, which has its own name for each file of Linux."""
        wslpath = which("wslpath", self.env)
        named = run_program([wslpath, "-w", path], self.env, self.windows_timeout) if wslpath else None
        if named is None or named.trouble:
            raise LaunchFailed("Windows has no name for that file.", hint=_INTEROP)
        ended = self._shell.run(start_process(named.out.decode("utf-8", "replace").strip()))
        if ended.trouble:
            raise LaunchFailed(f"The app for it did not start: {ended.trouble}.", hint=_INTEROP)
        return HANDED_OVER

    def find_apps(self, name: str) -> AppsFound:
        return self.start_menu.find(name)

    def launch_app(self, name: str) -> Launched:
        app = self.start_menu.meant(name)
        ended = self._shell.run(start_process(app.path))
        if ended.trouble:
            self.start_menu.forget()
            raise LaunchFailed(
                f"{app.name} did not start: {ended.trouble}.", hint="Start it from the start menu."
            )
        return Launched(app.name, HANDED_OVER)

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the app in the kept list that is one of *names*, as (name shown, key). No role counts."""
        return self.start_menu.called(names)

    def names(self) -> list[tuple[str, str]]:
        """Return no names: to list them takes a program, and seconds."""
        return []

    def apps(self) -> list[App]:
        """Return every app that can be started; none if Windows does not list them. It takes seconds."""
        return self.start_menu.all()

    def capture(self, path: str) -> tuple[int, int]:
        """Save a picture of all screens of Windows at *path*, a path of Linux. Return its size in pixels."""
        ended = self._shell.run(SCREEN)
        if ended.trouble:
            raise CaptureFailed(f"The screen could not be read: {ended.trouble}.", hint=_INTEROP)
        return keep(read_picture(BytesIO(ended.out)), path)

    def pictures(self) -> str:
        """Return the folder of Linux: asking Windows for its own would take a second."""
        return pictures(self.env)

    @property
    def start_menu(self) -> StartMenu:
        return StartMenu(self._shell, self.cache)

    @property
    def _shell(self) -> PowerShell:
        program = self._program("WindowsPowerShell/v1.0/powershell.exe")
        return PowerShell(program, self.env, self.windows_timeout)

    def _program(self, name: str) -> str:
        """Return the path of Windows' own program; by the PATH only if Windows' disk is somewhere else."""
        own = f"{self.system}/{name}"
        return own if os.path.isfile(own) else which(os.path.basename(name), self.env) or own


def open_url_argvs(url: str, rundll32: str, shell: str) -> list[list[str]]:
    """Return the commands that open *url* in Windows' default browser, best first.

    Not explorer.exe, which always reports failure and takes an address with `?` for a folder, nor cmd.exe,
    which ends the address at `&`.
    """
    return [
        [rundll32, "url.dll,FileProtocolHandler", url],
        powershell_argv(shell, start_process(url)),
    ]
