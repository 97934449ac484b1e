"""Tells what would keep this session from opening addresses and taking pictures, without doing either."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.errors import CaptureFailed, NoDisplay, NoHandler
from .. import folders
from . import browser
from .advice import install
from .portal import has_portal
from .roles import role
from .session import WAYLAND, check_only_ours, require, runtime, which
from .wayland import PORTAL, none_from, ways

if TYPE_CHECKING:
    from collections.abc import Mapping

_HTTPS = "x-scheme-handler/https"
_MOST_BYTES = 1024 * 1024


def screen(env: Mapping[str, str]) -> str:
    """Return which screen this session has. Raises NoDisplay."""
    if require(env) == WAYLAND:
        return f"Wayland ({env['WAYLAND_DISPLAY']})"
    return f"X11 ({env['DISPLAY']})"


def opener(env: Mapping[str, str]) -> str:
    """Return what an address would be sent to. Raises NoDisplay, NoHandler and LaunchFailed."""
    chosen = browser.chosen_program(env)
    if chosen:
        check_only_ours(chosen, os.path.basename(chosen), env)
    try:
        require(env)
    except NoDisplay:
        if not chosen:
            raise
        return f"{chosen}, by $BROWSER, though there is no screen"
    browser.require_xdg_open(env)
    named = f"{chosen}, by $BROWSER" if chosen else next(_browsers(env), "")
    if not named:
        other = "or one that is there: xdg-settings set default-web-browser NAME.desktop"
        raise NoHandler("No browser is set up.", hint=f"sudo apt install firefox-esr   ({other})")
    return f"{named}; sent there by xdg-open"


def _browsers(env: Mapping[str, str]) -> Iterator[str]:
    """Yield the browsers that xdg-open may come to, the most important first."""
    if default := role("browser", env):
        yield default.name
    for folder in folders.data(env):
        yield from _registered(os.path.join(folder, "applications", "mimeinfo.cache"))
    yield from (name for name in browser.GRAPHICAL.split(":") if which(name, env))


def _registered(path: str) -> Iterator[str]:
    """Yield the entries that are registered for addresses in the list at *path*."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(_MOST_BYTES).split("\n")
    except OSError:
        return
    for line in lines:
        name, _, entries = line.partition("=")
        if name == _HTTPS:
            yield from filter(None, entries.strip().split(";"))


def camera(env: Mapping[str, str]) -> str:
    """Return by what a picture of the screen would be taken. Raises NoDisplay and CaptureFailed."""
    if require(env) != WAYLAND:
        if env.get("XDG_SESSION_TYPE") == WAYLAND:
            raise _hidden(env)
        return "read from the X server"
    known = [way[0] for way in ways(env) if way != PORTAL or has_portal(env)]
    if not known:
        raise CaptureFailed(none_from(list(PORTAL)), hint=install(env))
    return f"by {', else by '.join(known)}"


def _hidden(env: Mapping[str, str]) -> CaptureFailed:
    """Return the error for a Wayland session of which only XWayland is known, which answers with black."""
    named = sorted(glob.glob(os.path.join(glob.escape(runtime(env)), "wayland-?")))
    text = "WAYLAND_DISPLAY is not set in this Wayland session: pictures would be black."
    if not named:
        return CaptureFailed(text, hint="Run Jarvis inside your desktop session.")
    return CaptureFailed(text, hint=f"export WAYLAND_DISPLAY={os.path.basename(named[0])}")
