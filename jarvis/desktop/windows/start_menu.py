"""List the apps of the Windows start menu by PowerShell, and find the one that a name means.

Windows and WSL run it with the scripts below. They have no double quotes, which WSL passes on wrongly;
values are put into them as quoted literals. The list takes a second, so it is kept for a day.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from json import loads
from typing import TYPE_CHECKING

from ...core.errors import LaunchFailed, StoreFailed
from ...core.files import private_folder, replace_file
from ...core.text import one_line
from .. import apps
from ..apps import LONGEST_NAME, START_MENU, App

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...core.types import AppsFound
    from ..programs import Finished

# Answers are written as bytes: a console set to UTF-8 would stay so for the programs after it.
_WRITE = "$o=[Console]::OpenStandardOutput();$o.Write($b,0,$b.Length);$o.Flush()"

START_APPS = (
    "$ErrorActionPreference='Stop';"
    "$b=[Text.Encoding]::UTF8.GetBytes((ConvertTo-Json -Compress -InputObject @("
    f"Get-StartApps|Select-Object Name,AppID)));{_WRITE}"
)

# A process that does not say that it knows of scaling sees a part of a scaled screen. {0} is a double quote.
SCREEN = (
    "$ErrorActionPreference='Stop';"
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;"
    "Add-Type -Namespace Jarvis -Name Screen -MemberDefinition "
    "('[DllImport({0}user32.dll{0})] public static extern bool SetProcessDPIAware();' -f [char]34);"
    "[void][Jarvis.Screen]::SetProcessDPIAware();"
    "$a=[Windows.Forms.SystemInformation]::VirtualScreen;"
    "$p=New-Object Drawing.Bitmap $a.Width,$a.Height;"
    "$g=[Drawing.Graphics]::FromImage($p);"
    "$g.CopyFromScreen($a.Location,[Drawing.Point]::Empty,$a.Size);"
    "$s=New-Object IO.MemoryStream;$p.Save($s,[Drawing.Imaging.ImageFormat]::Png);"
    f"$b=$s.ToArray();{_WRITE}"
)

_KEPT = 24 * 3600.0  # seconds
_QUOTES = "'\u2018\u2019\u201a\u201b"  # PowerShell reads each as a single quote


def start_process(target: str) -> str:
    """Return the script that has Windows open *target*: an address, or an app of its Apps folder."""
    return f"$ErrorActionPreference='Stop';Start-Process -FilePath {literal(target)}"


def literal(text: str) -> str:
    """Return *text* as a literal of PowerShell, in which only a quote has a meaning."""
    return f"'{''.join(c * 2 if c in _QUOTES else c for c in text)}'"


@dataclass(frozen=True)
class StartMenu:
    """What the desktops of Windows and of WSL have in common: PowerShell, and the apps of the start menu."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep the list of apps in; empty: it isn't kept
    timeout: float = 10.0  # seconds: PowerShell alone may take some, the first time

    @property
    def powershell(self) -> str:
        """The path of Windows' own PowerShell."""
        raise NotImplementedError

    def find_apps(self, name: str) -> AppsFound:
        return apps.apps_found(name, self._that_may_be(name))

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the app in the kept list whose whole name is one of *names*, as (name shown, key).

        No role counts, and no program is run.
        """
        return apps.only_app(apps.exact_matches(names, self._kept()))

    def names(self) -> list[tuple[str, str]]:
        """Return no names: to list them takes a program, and seconds."""
        return []

    def apps(self) -> list[App]:
        """Return every app that can be started; none if Windows does not list them. It takes seconds."""
        try:
            return self._listed()
        except LaunchFailed:
            return []

    def run(self, script: str) -> Finished:
        """Have PowerShell run *script*."""
        from ..programs import run_program  # what is in the kept list needs no program

        argv = [self.powershell, "-NoProfile", "-NonInteractive", "-Command", script]
        return run_program(argv, self.env, self.timeout)

    def meant(self, name: str) -> App:
        """Return the app that *name* means or is the key of.

        Raises LaunchFailed, and ActionFailed where it is not one.
        """
        if apps.is_key(name):
            return apps.by_key(name, self._kept, self._listed)
        return apps.only_one(name, apps.find(name, self._that_may_be(name)))

    def forget(self) -> None:
        """Delete the kept list, which turned out to be wrong."""
        with contextlib.suppress(OSError):
            if self.cache:
                os.unlink(self._file)

    def _listed(self) -> list[App]:
        """Return all apps, listed anew. Raises LaunchFailed."""
        ended = self.run(START_APPS)
        listed = [] if ended.trouble else parse(ended.out)
        if not listed:
            why = ended.trouble or "its answer makes no sense"
            raise LaunchFailed(f"Windows did not list its apps: {why}.", hint="Start it from the start menu.")
        self._keep(ended.out)
        return listed

    def _that_may_be(self, name: str) -> list[App]:
        """Return the apps in which to look for *name*: all, or the one with exactly that name.

        Only an exact name is looked up in the kept list: a newer app may fit any other name better.
        """
        known = apps.exact_matches(apps.forms(name), self._kept())
        return known if len(known) == 1 else self._listed()

    @property
    def _file(self) -> str:
        return os.path.join(self.cache, "start-apps.json")

    def _kept(self) -> list[App]:
        if not self.cache:
            return []
        try:
            age = time.time() - os.path.getmtime(self._file)
            with open(self._file, "rb") as file:
                return parse(file.read()) if 0 <= age < _KEPT else []
        except OSError:
            return []

    def _keep(self, listed: bytes) -> None:
        with contextlib.suppress(StoreFailed):  # a full disk only makes the next time slower
            if self.cache:
                private_folder(self.cache)
                replace_file(self._file, listed.decode())


def parse(listed: bytes) -> list[App]:
    """Return the apps in the JSON that PowerShell wrote; broken rows are left out."""
    try:
        rows = loads(listed.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    found = (_app(row) for row in (rows if isinstance(rows, list) else [rows]))
    return [app for app in found if app]


def _app(row: object) -> App | None:
    name, app_id = (row.get("Name"), row.get("AppID")) if isinstance(row, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(app_id, str):
        return None
    shown = one_line(name, LONGEST_NAME)
    is_sane = shown and app_id and app_id.isprintable() and '"' not in app_id
    return App(id=app_id, path=START_MENU + app_id, names=(shown,)) if is_sane else None
