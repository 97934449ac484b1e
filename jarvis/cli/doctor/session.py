"""Looks at the desktop: its screen, its browser, what takes pictures and where they go, its apps."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping

from ...core.errors import NoDisplay, SaveFailed
from ...core.text import counted
from ...desktop import desktop, installed, system
from .finding import NOTED, Finding, finding

_SYSTEMS = {"wsl": "WSL", "macos": "macOS", "windows": "Windows"}


def session(environment: Mapping[str, str]) -> Iterator[Finding]:
    name = system(environment)
    if name == "linux":
        yield from _linux(environment)
    else:
        yield Finding("display", f"not looked at on {_SYSTEMS.get(name, 'this system')}", state=NOTED)
    yield finding("pictures", lambda: _pictures(desktop(environment).pictures()))
    if name != "windows":  # which lists them by a program of its own that takes seconds
        yield _apps(environment)


def _linux(environment: Mapping[str, str]) -> Iterator[Finding]:
    from ...desktop.linux import readiness  # other systems can't import it

    yield finding("display", lambda: readiness.screen(environment))
    yield finding("browser", lambda: readiness.opener(environment), NoDisplay)
    yield finding("screenshots", lambda: readiness.camera(environment), NoDisplay)


def _pictures(folder: str) -> str:
    """Return where pictures are kept. Raises SaveFailed where none could be."""
    folder = there = os.path.join(folder, "Jarvis")
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        raise SaveFailed(f"No picture can be kept in {folder}.", hint=f"ls -ld {shlex.quote(there)}")
    return folder if there == folder else f"{folder}; the first picture makes it"


def _apps(environment: Mapping[str, str]) -> Finding:
    count = len(installed(environment))
    if not count:
        return Finding("apps", "none is listed here; sites can be opened all the same", state=NOTED)
    return Finding("apps", f"{counted(count, 'apps')} can be started")
