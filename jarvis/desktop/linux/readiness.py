"""Tells what would keep this session from opening addresses and taking pictures, without doing either."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.errors import CaptureFailed, NoHandler
from . import GRAPHICAL, WAYLAND, check_only_ours, chosen_program, require, require_xdg_open, which
from .apps import Menu
from .screenshots import PORTAL, has_portal, nothing_from, ways

if TYPE_CHECKING:
    from collections.abc import Mapping


def screen(env: Mapping[str, str]) -> str:
    """Return which screen this session has. Raises NoDisplay."""
    if require(env) == WAYLAND:
        return f"Wayland ({env['WAYLAND_DISPLAY']})"
    return f"X11 ({env['DISPLAY']})"


def opener(env: Mapping[str, str]) -> str:
    """Return what an address would be sent to, where there is a screen. Raises NoHandler and LaunchFailed."""
    chosen = chosen_program(env)
    if chosen:
        check_only_ours(chosen, os.path.basename(chosen), env)
    require_xdg_open(env)
    named = f"{chosen}, by $BROWSER" if chosen else next(_browsers(env), "")
    if not named:
        other = "or one that is there: xdg-settings set default-web-browser NAME.desktop"
        raise NoHandler("No browser is set up.", hint=f"sudo apt install firefox-esr   ({other})")
    return f"{named}; sent there by xdg-open"


def _browsers(env: Mapping[str, str]) -> Iterator[str]:
    """Yield the browsers that xdg-open may come to, the most important first."""
    if default := Menu(env).for_role(["browser"]):
        yield default.name
    yield from (name for name in GRAPHICAL.split(":") if which(name, env))


def camera(env: Mapping[str, str]) -> str:
    """Return by what a picture of the screen would be taken. Raises NoDisplay and CaptureFailed."""
    if require(env) != WAYLAND:
        if env.get("XDG_SESSION_TYPE") == WAYLAND:
            raise CaptureFailed(  # XWayland alone is known, which answers with black
                "WAYLAND_DISPLAY is not set in this Wayland session: pictures would be black.",
                hint="export WAYLAND_DISPLAY=wayland-0",
            )
        return "read from the X server"
    known = [way[0] for way in ways(env) if way != PORTAL or has_portal(env)]
    if not known:
        raise nothing_from([PORTAL], env)
    return f"by {', else by '.join(known)}"
