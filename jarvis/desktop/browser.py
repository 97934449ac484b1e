"""Hands an address to the person's own browser.

Not Python's webbrowser: it said yes with nothing opened, and gave the terminal away to w3m.
xdg-open's own yes is no proof either: without a screen it may have run a text browser into
nothing. So the screen is looked for first, and text browsers are kept from it.
"""

from __future__ import annotations

import os

from .. import urls
from ..actions.base import HANDED_OVER, RUNNING
from ..errors import LaunchFailed, NoDisplay, NoHandler
from ..typed import TYPE_CHECKING
from .proc import spawn_detached, which
from .session import session

if TYPE_CHECKING:
    from collections.abc import Mapping

# xdg-open and sensible-browser end at a text browser too, where there is no screen.
_TEXT = {
    "w3m", "lynx", "links", "links2", "elinks", "browsh", "www-browser", "sensible-browser", "xdg-open",
}  # fmt: skip
_GRAPHICAL = "x-www-browser:firefox:google-chrome:chromium:chromium-browser"
_NO_BROWSER = 3  # xdg-open's status


def open_url(url: str, env: Mapping[str, str], grace: float) -> str:
    """Send *url* to the browser: HANDED_OVER, or RUNNING if it still runs after *grace* seconds."""
    url = urls.canon(url).url
    if not session(env):
        # A helper may bring it to another machine's screen (VS Code, Codespaces).
        if state := by_choice(url, env, grace):
            return state
        if chosen := ":".join(_chosen(env)):
            raise NoDisplay(
                f"$BROWSER is {chosen}, which is not there, and there is no screen in this session.",
                hint=f"Copy it into a browser: {url}",
            )
        raise NoDisplay("There is no screen in this session.", hint=f"Copy it into a browser: {url}")
    if not which("xdg-open", env):
        raise NoHandler("xdg-open is not installed.", hint="sudo apt install xdg-utils")
    status = spawn_detached(["xdg-open", url], _for_xdg_open(env), cwd="/", grace=grace)
    return _state("xdg-open", url, status)


def by_choice(url: str, env: Mapping[str, str], grace: float) -> str | None:
    """Send *url* to what $BROWSER names; HANDED_OVER or RUNNING, None where nothing of it is installed."""
    for command in _chosen(env):
        argv = _arguments(command, url)
        if argv and which(argv[0], env):
            return _state(argv[0], url, spawn_detached(argv, env, cwd="/", grace=grace))
    return None


def _chosen(env: Mapping[str, str]) -> list[str]:
    return [c for c in env.get("BROWSER", "").split(":") if c.strip() and not _is_text(c)]


def _is_text(command: str) -> bool:
    return os.path.basename(command.split()[0]) in _TEXT


def _arguments(command: str, url: str) -> list[str]:
    words = command.split()
    if any(sign in command for sign in "'\"\\"):
        import shlex  # few have to

        try:
            words = shlex.split(command)
        except ValueError:  # a quote is not closed
            return []
    return [word.replace("%s", url) for word in words] if "%s" in command else [*words, url]


def _for_xdg_open(env: Mapping[str, str]) -> dict[str, str]:
    child = {**env, "BROWSER": ":".join(_chosen(env)) or _GRAPHICAL}  # or it walks on to w3m
    if _is_stale_kde(env):
        child["XDG_CURRENT_DESKTOP"] = "X-Generic"
    return child


def _is_stale_kde(env: Mapping[str, str]) -> bool:
    """KDE's variables without KDE's tools: xdg-open would do nothing and say that all is well."""
    desktop = env.get("XDG_CURRENT_DESKTOP", "")
    is_kde = "KDE" in desktop.split(":") or (not desktop and "KDE_FULL_SESSION" in env)
    return is_kde and not any(which(tool, env) for tool in ("kde-open5", "kde-open", "kfmclient"))


def _state(program: str, url: str, status: int | None) -> str:
    if status is None:
        return RUNNING
    if status == 0:
        return HANDED_OVER
    if status == _NO_BROWSER and program == "xdg-open":
        raise NoHandler("No browser is set up.", hint="xdg-settings set default-web-browser firefox.desktop")
    raise LaunchFailed(f"The browser did not start ({program}: status {status}).", hint=_cause(program, url))


def _cause(program: str, url: str) -> str:
    if program != "xdg-open":
        return f"Copy it into a browser: {url}"
    if os.getuid() == 0:
        return "Chrome and Chromium refuse to run as root: run Jarvis as yourself."
    return "Is the default browser still installed? xdg-settings get default-web-browser"
