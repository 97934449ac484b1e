"""Run Windows PowerShell, from Windows itself and from WSL, with the scripts that we need.

Scripts have no double quotes, which WSL passes on wrongly. Values are put into them as quoted literals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import programs

if TYPE_CHECKING:
    from collections.abc import Mapping

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

_DEFAULT = (
    "$ErrorActionPreference='Stop';"
    "$k='HKCU:\\Software\\Microsoft\\Windows\\Shell\\Associations\\UrlAssociations\\{}\\UserChoice';"
    "$p=(Get-ItemProperty -LiteralPath $k).ProgId;"
    "$a=(Get-ItemProperty -LiteralPath ('Registry::HKEY_CLASSES_ROOT\\'+$p+'\\Application')).AppUserModelID;"
    f"$b=[Text.Encoding]::UTF8.GetBytes($a);{_WRITE}"
)

_QUOTES = "'\u2018\u2019\u201a\u201b"  # PowerShell reads each as a single quote


class PowerShell(NamedTuple):
    """The PowerShell at the path *program*, and how long a script may take, in seconds."""

    program: str
    env: Mapping[str, str]
    timeout: float

    def run(self, script: str) -> programs.Finished:
        return programs.run_program(powershell_argv(self.program, script), self.env, self.timeout)


def powershell_argv(program: str, script: str) -> list[str]:
    """Return the command that runs *script*."""
    return [program, "-NoProfile", "-NonInteractive", "-Command", script]


def default(scheme: str) -> str:
    """Return the script that writes the AppID of the person's default app for addresses of that *scheme*."""
    return _DEFAULT.replace("{}", scheme)


def start_process(target: str) -> str:
    """Return the script that has Windows open *target*: an address, or an app of its Apps folder."""
    return f"$ErrorActionPreference='Stop';Start-Process -FilePath {literal(target)}"


def literal(text: str) -> str:
    """Return *text* as a literal of PowerShell, in which only a quote has a meaning."""
    return f"'{''.join(c * 2 if c in _QUOTES else c for c in text)}'"
