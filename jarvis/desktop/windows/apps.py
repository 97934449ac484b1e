"""The apps of the Windows start menu, as PowerShell lists them; kept for a day, for that takes a second."""

from __future__ import annotations

import contextlib
import os
import time

from ...core.errors import LaunchFailed, StoreFailed
from ...core.files import private_folder, replace_file
from ...core.stdlib import TYPE_CHECKING, loads
from ...core.text import one_line
from .. import match
from ..apps import START_MENU, App
from .powershell import START_APPS, PowerShell

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEPT = 24 * 3600.0  # seconds
_LONGEST_NAME = 80


class StartApps:
    """What the start menu holds.

    cache: a folder of ours, empty for none. system: the apps' own, where there are others besides.
    """

    def __init__(self, shell: PowerShell, cache: str, system: str = "") -> None:
        self._shell = shell
        self._file = os.path.join(cache, "start-apps.json") if cache else ""
        self._system = system

    def that_may_be(self, name: str, others: Sequence[App] = ()) -> list[App]:
        """What *name* is to be looked for in: these and *others*, or the one that is called exactly so.

        Only a name that hits exactly is looked up in what was kept: a newer app may fit another one better.
        """
        kept = self._kept()
        known = match.matching(name, [*kept, *others]) if kept else None
        return [known] if known else [*self.fresh(), *others]

    def with_key(self, key: str) -> App:
        """The one that has that *key*. Raises NotInstalled."""
        return match.by_key(key, self._kept, self.fresh)

    def known(self, names: Sequence[str]) -> list[App]:
        """Those that one of *names* is the whole name of, where they were listed of late; nothing is run."""
        return match.exact(names, self._kept())

    def fresh(self) -> list[App]:
        """All of them, as of now."""
        ended = self._shell.run(START_APPS)
        apps = [] if ended.trouble else self._parsed(ended.out)
        if not apps:
            why = ended.trouble or "what it said makes no sense"
            raise LaunchFailed(f"Windows did not list its apps: {why}.", hint="Start it from the start menu.")
        self._keep(ended.out)
        return apps

    def forget(self) -> None:
        """What was kept turned out to be wrong."""
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
        with contextlib.suppress(StoreFailed):  # a full disk makes the next time slower, and no more
            if self._file:
                private_folder(os.path.dirname(self._file))
                replace_file(self._file, listed.decode())


def parse(listed: bytes) -> list[App]:
    """The apps in the JSON that PowerShell wrote; what is broken is left out."""
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
