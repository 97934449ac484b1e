"""Use the desktop of a person who runs Linux in Windows (WSL): its screen and browser are those of Windows.

$BROWSER still counts. The apps are those of the start menu, where WSL puts those of Linux too.
"""

import os
from dataclasses import dataclass
from typing import ClassVar

from ..core import urls
from ..core.errors import LaunchFailed
from .desktop import which
from .linux import by_choice, user_folder
from .running import run_program
from .windows import Windows

_HELPER_GRACE = 2.5  # seconds
_INTEROP = "Let WSL run Windows programs: put `enabled=true` under `[interop]` in /etc/wsl.conf"


@dataclass(frozen=True)
class Wsl(Windows):
    """The Platform of WSL."""

    system: str = "/mnt/c/Windows/System32"  # the folder of Windows' programs
    unseen: ClassVar[str] = _INTEROP

    def program(self, name: str) -> str:
        """Return the path of Windows' own program. PATH counts only if Windows' disk is somewhere else."""
        own = f"{self.system}/{name}"
        return own if os.path.isfile(own) else which(os.path.basename(name), self.env) or own

    def open_url(self, url: str) -> str:
        return by_choice(urls.canon(url).url, self.env, _HELPER_GRACE) or super().open_url(url)

    def open_file(self, path: str) -> str:
        """Have Windows show it, which has its own name for each file of Linux."""
        wslpath = which("wslpath", self.env)
        converted = run_program([wslpath, "-w", path], self.env, self.timeout) if wslpath else None
        if converted is None or converted.trouble:
            raise LaunchFailed("Windows has no name for that file.", hint=_INTEROP)
        return super().open_file(converted.out.decode("utf-8", "replace").strip())

    def pictures(self) -> str:
        """Return the folder of Linux: asking Windows for its own would take a second."""
        return user_folder(self.env, "PICTURES", "Pictures")
