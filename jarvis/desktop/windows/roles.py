"""Find the app that Windows uses for a role: the person's default app, else Windows' own.

Apps are known by their AppIDs here: the start menu shows their names in the person's language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..apps import ROLES
from . import powershell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..apps import App
    from .powershell import PowerShell

_SCHEMES = {"browser": "https", "mail": "mailto"}
_SYSTEM = "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}"  # System32
_OWN = {
    "browser": ("MSEdge",),
    "mail": (
        "Microsoft.OutlookForWindows_8wekyb3d8bbwe!Microsoft.OutlookforWindows",
        "Microsoft.Office.OUTLOOK.EXE.15",
        "microsoft.windowscommunicationsapps_8wekyb3d8bbwe!microsoft.windowslive.mail",
    ),
    "files": ("Microsoft.Windows.Explorer",),
    "terminal": (
        "Microsoft.WindowsTerminal_8wekyb3d8bbwe!App",
        f"{_SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe",
        f"{_SYSTEM}\\cmd.exe",
    ),
    "editor": ("Microsoft.WindowsNotepad_8wekyb3d8bbwe!App", f"{_SYSTEM}\\notepad.exe"),
    "settings": ("windows.immersivecontrolpanel_cw5n1h2txyewy!microsoft.windows.immersivecontrolpanel",),
}


def role(names: Sequence[str], apps: Sequence[App], shell: PowerShell) -> App | None:
    """Return the one of *apps* that has the role which one of *names* is; None: no role, or no app for it."""
    kind = next((ROLES[name] for name in names if name in ROLES), "")
    listed = {app.id.casefold(): app for app in apps}
    hits = (listed.get(app_id.casefold()) for app_id in _ids(kind, shell))
    return next(filter(None, hits), None)


def _ids(kind: str, shell: PowerShell) -> Iterator[str]:
    if kind in _SCHEMES:
        ended = shell.run(powershell.default(_SCHEMES[kind]))
        yield ended.out.decode("utf-8", "replace").strip() if not ended.trouble else ""
    yield from _OWN.get(kind, ())
