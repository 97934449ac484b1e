"""Use the desktop of a person who runs Linux in Windows (WSL): its screen and browser are those of Windows.

$BROWSER still counts. The apps are those of the start menu, where WSL puts those of Linux too.
"""

import os
from dataclasses import dataclass
from typing import ClassVar

from ..actions import HANDED_OVER
from ..core import urls
from ..core.errors import ActionFailed, LaunchFailed
from .linux import by_choice, spawn_detached, state_of, user_folder
from .programs import which
from .running import run_program
from .windows import LONGEST_URL, Windows, start_process

_HELPER_GRACE = 2.5  # seconds
_INTEROP = "Let WSL run Windows programs: put `enabled=true` under `[interop]` in /etc/wsl.conf"


@dataclass(frozen=True)
class Wsl(Windows):
    """The Platform of WSL."""

    system: str = "/mnt/c/Windows/System32"  # the folder of Windows' programs
    unseen: ClassVar[str] = _INTEROP

    @property
    def powershell(self) -> str:
        return self._program("WindowsPowerShell/v1.0/powershell.exe")

    def open_url(self, url: str) -> str:
        """Not by explorer.exe, which always reports failure and takes an address with `?` for a folder.

        Nor by cmd.exe, which ends the address at `&`.
        """
        url = urls.canon(url).url
        if state := by_choice(url, self.env, _HELPER_GRACE):
            return state
        url = urls.canon(url, LONGEST_URL).url
        argv = [self._program("rundll32.exe"), "url.dll,FileProtocolHandler", url]
        status = spawn_detached(argv, self.env, grace=self.timeout)
        return state_of(argv[0], status, f"Copy it into a browser: {url}")

    def open_file(self, path: str) -> str:
        """Have Windows show it, which has its own name for each file of Linux."""
        wslpath = which("wslpath", self.env)
        named = run_program([wslpath, "-w", path], self.env, self.timeout) if wslpath else None
        if named is None or named.trouble:
            raise LaunchFailed("Windows has no name for that file.", hint=_INTEROP)
        return super().open_file(named.out.decode("utf-8", "replace").strip())

    def pictures(self) -> str:
        """Return the folder of Linux: asking Windows for its own would take a second."""
        return user_folder(self.env, "PICTURES", "Pictures")

    def _open(self, target: str, nothing: ActionFailed, what: str, hint: str) -> str:
        ended = self._run(start_process(target))
        if ended.trouble:
            raise LaunchFailed(f"{what} did not start: {ended.trouble}.", hint=hint)
        return HANDED_OVER

    def _program(self, name: str) -> str:
        """Return the path of Windows' own program; by the PATH only if Windows' disk is somewhere else."""
        own = f"{self.system}/{name}"
        return own if os.path.isfile(own) else which(os.path.basename(name), self.env) or own
