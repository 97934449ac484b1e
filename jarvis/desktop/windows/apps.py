"""List the apps of the Windows start menu by PowerShell. That takes a second: the list is kept for a day."""

from __future__ import annotations

import contextlib
import os
import time
from json import loads
from typing import TYPE_CHECKING

from ...core.errors import LaunchFailed, StoreFailed
from ...core.files import private_folder, replace_file
from ...core.text import one_line
from .. import match
from ..apps import START_MENU, App
from .powershell import START_APPS, PowerShell

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEPT = 24 * 3600.0  # seconds
_LONGEST_NAME = 80


class StartApps:
    """The apps of the start menu.

    cache: the folder to keep the list in, empty for none.
    system: what to put into `App.system`, for a person who has apps of two systems.
    """

    def __init__(self, shell: PowerShell, cache: str, system: str = "") -> None:
        self._shell = shell
        self._file = os.path.join(cache, "start-apps.json") if cache else ""
        self._system = system

    def that_may_be(self, name: str, others: Sequence[App] = ()) -> list[App]:
        """Return the apps in which to look for *name*: these and *others*, or the one with exactly that name.

        Only an exact name is looked up in the kept list: a newer app may fit any other name better.
        """
        kept = self._kept()
        known = match.matching(name, [*kept, *others]) if kept else None
        return [known] if known else [*self.fresh(), *others]

    def with_key(self, key: str) -> App:
        """Return the app with that *key*. Raises NotInstalled."""
        return match.by_key(key, self._kept, self.fresh)

    def known(self, names: Sequence[str]) -> list[App]:
        """Return the apps in the kept list whose whole name is one of *names*; no program is run."""
        return match.exact(names, self._kept())

    def fresh(self) -> list[App]:
        """Return all apps, listed anew. Raises LaunchFailed."""
        ended = self._shell.run(START_APPS)
        apps = [] if ended.trouble else self._parsed(ended.out)
        if not apps:
            why = ended.trouble or "its answer makes no sense"
            raise LaunchFailed(f"Windows did not list its apps: {why}.", hint="Start it from the start menu.")
        self._keep(ended.out)
        return apps

    def forget(self) -> None:
        """Delete the kept list, which turned out to be wrong."""
        with contextlib.suppress(OSError):
            os.unlink(self._file)

    def _kept(self) -> list[App]:
        try:
            age = time.time() - os.path.getmtime(self._file)
            with open(self._file, "rb") as file:
                return self._parsed(file.read()) if 0 <= age < _KEPT else []
        except OSError:
            return []

    def _parsed(self, listed: bytes) -> list[App]:
        return [app._replace(system=self._system) for app in parse(listed)]

    def _keep(self, listed: bytes) -> None:
        with contextlib.suppress(StoreFailed):  # a full disk only makes the next time slower
            if self._file:
                private_folder(os.path.dirname(self._file))
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
    shown = one_line(name, _LONGEST_NAME)
    is_sane = shown and app_id and app_id.isprintable() and '"' not in app_id
    return App(id=app_id, path=START_MENU + app_id, names=(shown,)) if is_sane else None
