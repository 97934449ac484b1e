"""Use the desktop of a Windows session by programs of the system: rundll32 has its shell open addresses.

PowerShell starts apps, lists them, and takes pictures. WSL runs both, too, but passes double quotes on
wrongly. So no script below has one, and values go in as quoted literals. Listing apps takes a second, so the
list is kept for a day.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from json import loads
from typing import ClassVar

from platformdirs import user_downloads_dir, user_pictures_dir

from ..core.errors import CaptureFailed, LaunchFailed
from ..core.text import one_line
from . import apps
from .apps import LONGEST_NAME, START_MENU, App
from .by_program import ByProgram
from .pictures import keep, read_picture
from .running import run_program

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

_DAY = 24 * 3600  # seconds
# Terminal, settings, mail and calculator are called so.
_ROLES = {"browser": "Microsoft Edge", "files": "File Explorer", "editor": "Notepad"}
_QUOTES = "'\u2018\u2019\u201a\u201b"  # PowerShell reads each as a single quote


def start_process(target: str) -> str:
    """Return the script that has Windows open *target*: an address, or an app of its Apps folder."""
    return f"$ErrorActionPreference='Stop';Start-Process -FilePath {literal(target)}"


def literal(text: str) -> str:
    """Return *text* as a literal of PowerShell, which gives a meaning only to quotes."""
    return f"'{''.join(c * 2 if c in _QUOTES else c for c in text)}'"


@dataclass(frozen=True)
class Windows(ByProgram):
    """The Platform of Windows. Users of WSL see the same, in other ways."""

    roles: ClassVar[Mapping[str, str]] = _ROLES
    by_hand: ClassVar[str] = "Explorer"
    longest_url: ClassVar[int] = 2048  # characters: the shell has room for 2083, and says nothing of more
    unseen: ClassVar[str] = "Unlock the screen, then try again."  # the hint where no picture can be taken

    def program(self, name: str) -> str:
        """Return the path of Windows' own program: on the PATH there may be another one."""
        system = self.env.get("SystemRoot") or self.env.get("SYSTEMROOT") or "C:\\Windows"
        return os.path.join(system, "System32", *name.split("/"))

    def url_command(self, url: str) -> list[str]:
        """Not by explorer.exe, which always reports failure and takes an address with `?` for a folder.

        Nor by cmd.exe, which ends the address at `&`.
        """
        return [self.program("rundll32.exe"), "url.dll,FileProtocolHandler", url]

    def path_command(self, path: str, *, is_app: bool = False) -> list[str]:
        return self._powershell(start_process(path))

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        """Save a picture of all screens of Windows at *path*. Return its size in pixels."""
        if is_part:
            hint = "Press Win+Shift+S, choose the part, then ask about what you copied."
            raise CaptureFailed("Here you choose a part of the screen yourself.", hint=hint)
        ended = run_program(self._powershell(SCREEN), self.env, self.timeout)
        if ended.trouble:
            raise CaptureFailed(f"The screen could not be read: {ended.trouble}.", hint=self.unseen)
        return keep(read_picture(BytesIO(ended.out)), path)

    def pictures(self) -> str:
        """Return the user's folder for pictures. It may have been moved, for instance by OneDrive."""
        return user_pictures_dir()

    def downloads(self) -> str:
        return user_downloads_dir()

    def _powershell(self, script: str) -> list[str]:
        powershell = self.program("WindowsPowerShell/v1.0/powershell.exe")
        return [powershell, "-NoProfile", "-NonInteractive", "-Command", script]

    def listed(self) -> list[App]:
        ended = run_program(self._powershell(START_APPS), self.env, self.timeout)
        listed = [] if ended.trouble else parse(ended.out)
        if not listed:
            why = ended.trouble or "its answer makes no sense"
            raise LaunchFailed(f"Windows did not list its apps: {why}.", hint="Start it from the start menu.")
        if self.cache:
            apps.keep_apps(self._file, day_number(), listed)
        return listed

    @property
    def _file(self) -> str:
        return os.path.join(self.cache, "start-apps.json")

    def known_apps(self) -> list[App]:
        return (self.cache and apps.kept_apps(self._file, day_number())) or []


def day_number() -> int:
    """Return the number of this day. The list of apps is renewed when it ends."""
    return int(time.time() // _DAY)


def parse(listed: bytes) -> list[App]:
    """Return the apps in the JSON that PowerShell wrote, without broken rows."""
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
