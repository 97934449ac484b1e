"""Windows PowerShell: how it is called, and what we have it say. From Windows itself and from WSL.

Scripts have no double quotes, which WSL passes on wrongly; what comes from elsewhere is a quoted literal.
"""

from __future__ import annotations

from ...core.stdlib import TYPE_CHECKING, NamedTuple
from .. import programs

if TYPE_CHECKING:
    from collections.abc import Mapping

# Answers are written as bytes: set to UTF-8, its console would stay so for whatever runs next in it.
_WRITE = "$o=[Console]::OpenStandardOutput();$o.Write($b,0,$b.Length);$o.Flush()"

START_APPS = (
    "$ErrorActionPreference='Stop';"
    "$b=[Text.Encoding]::UTF8.GetBytes((ConvertTo-Json -Compress -InputObject @("
    f"Get-StartApps|Select-Object Name,AppID)));{_WRITE}"
)

# Unaware of the scale, it would see only a part of a scaled screen. {0} stands for a double quote.
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

_QUOTES = "'\u2018\u2019\u201a\u201b"  # to PowerShell they are all the same


class PowerShell(NamedTuple):
    """The PowerShell at the path *program*, and how long it may take, in seconds."""

    program: str
    env: Mapping[str, str]
    timeout: float

    def run(self, script: str) -> programs.Finished:
        return programs.run_program(powershell_argv(self.program, script), self.env, self.timeout)


def powershell_argv(program: str, script: str) -> list[str]:
    """What runs *script*."""
    return [program, "-NoProfile", "-NonInteractive", "-Command", script]


def default(scheme: str) -> str:
    """The script that writes the AppID of what the person opens addresses of that *scheme* with."""
    return _DEFAULT.replace("{}", scheme)


def start_process(target: str) -> str:
    """The script that has Windows open *target*: an address, or an app of its Apps folder."""
    return f"$ErrorActionPreference='Stop';Start-Process -FilePath {literal(target)}"


def literal(text: str) -> str:
    """*text* as PowerShell's own literal, in which nothing but a quote means anything."""
    return f"'{''.join(c * 2 if c in _QUOTES else c for c in text)}'"
