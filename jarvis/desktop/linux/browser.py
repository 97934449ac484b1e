"""Send an address to the person's own browser, and a file to its own app.

Python's webbrowser is not used: it reported success with nothing opened, and gave the terminal to w3m.
The success of xdg-open is no proof either: without a screen it may have run a text browser that nobody
sees. So a screen is looked for first, and xdg-open is kept from text browsers.
"""

from __future__ import annotations

import os
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

from ...actions import HANDED_OVER, RUNNING
from ...core import urls
from ...core.errors import LaunchFailed, NoDisplay, NoHandler
from ...core.text import one_line
from .session import check_only_ours, require, session_environment, spawn_detached, which

if TYPE_CHECKING:
    from collections.abc import Mapping

# Without a screen, xdg-open and sensible-browser start a text browser, too.
_TEXT = {
    "w3m", "lynx", "links", "links2", "elinks", "browsh", "www-browser", "sensible-browser", "xdg-open",
}  # fmt: skip
# Shells, interpreters, and what passes its arguments to one, here or on another machine: an address among
# their words could be read as code.
_RUN_CODE = set(
    "sh bash dash ash zsh fish ksh mksh tcsh csh osascript python pypy perl ruby node nodejs bun php lua "
    "luajit tclsh cmd command powershell pwsh wt ssh su watch parallel tmux i3-msg swaymsg hyprctl "
    "deno".split()
)
# Options before code, those of terminals included: xterm has a shell read a single word after `-e`.
_BEFORE_CODE = {"-c", "-e", "-x", "-s", "--eval", "--exec", "--execute", "--command", "exec"}
GRAPHICAL = "x-www-browser:firefox:google-chrome:chromium:chromium-browser"
_NONE_SET_UP = 3  # xdg-open's status


def open_url(url: str, env: Mapping[str, str], grace: float) -> str:
    """Send *url* to the browser. Return HANDED_OVER, or RUNNING if it still runs after *grace* seconds."""
    url = urls.canon(url).url
    if not session_environment(env):
        # $BROWSER may be a helper that opens it on another machine's screen (VS Code, Codespaces).
        if state := by_choice(url, env, grace):
            return state
        raise NoDisplay("There is no screen in this session.", hint=f"Copy it into a browser: {url}")
    for argv in _chosen(url, env):  # xdg-open reads $BROWSER too, and less carefully
        check_only_ours(argv[0], os.path.basename(argv[0]), env)
    status = _by_xdg_open(url, env, grace)
    if status == _NONE_SET_UP:
        raise NoHandler("No browser is set up.", hint="xdg-settings set default-web-browser firefox.desktop")
    return state_of("xdg-open", status, _why_not())


def open_file(path: str, env: Mapping[str, str], grace: float) -> str:
    """Hand *path*, absolute, to its app. Return HANDED_OVER, or RUNNING if that runs on after *grace* s."""
    require(env)
    status = _by_xdg_open(path, env, grace)
    kind_of = f"To see of which kind it is: xdg-mime query filetype {shlex.quote(path)}"
    if status == _NONE_SET_UP:
        raise NoHandler("No app is set up for such files.", hint=kind_of)
    return state_of("xdg-open", status, kind_of, "The app for it")


def by_choice(url: str, env: Mapping[str, str], grace: float) -> str | None:
    """Send *url* to the program that $BROWSER names.

    Return HANDED_OVER or RUNNING, None if no such program is installed.
    Raises LaunchFailed for a command in which *url* could be read as anything but one argument.
    """
    for argv in _chosen(url, env):
        status = spawn_detached(argv, env, cwd="/", grace=grace)
        return state_of(argv[0], status, f"Copy it into a browser: {url}")
    return None


def chosen_program(env: Mapping[str, str]) -> str:
    """Return the program that $BROWSER names; empty if none of it is installed. Raises LaunchFailed."""
    return next((argv[0] for argv in _chosen("https://example.org", env)), "")


def require_xdg_open(env: Mapping[str, str]) -> None:
    """Raise NoHandler where it is not installed."""
    if not which("xdg-open", env):
        raise NoHandler("xdg-open is not installed.", hint="sudo apt install xdg-utils")


def _chosen(url: str, env: Mapping[str, str]) -> list[list[str]]:
    """Return the commands of $BROWSER that are installed, with *url* filled in. Raises LaunchFailed."""
    filled = [_arguments(command, url) for command in _commands(env)]
    found = ((which(argv[0], env), argv[1:]) for argv in filled)
    return [[program, *rest] for program, rest in found if program]


def _commands(env: Mapping[str, str]) -> list[str]:
    return [c for c in env.get("BROWSER", "").split(":") if c.strip() and not _is_text(c)]


def _is_text(command: str) -> bool:
    return os.path.basename(command.split()[0]) in _TEXT


def _arguments(command: str, url: str) -> list[str]:
    """Return the words of *command*, with *url* for each `%s`, or at the end. Raises LaunchFailed."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise _not_used(command, "a quote in it is not closed") from None
    if not any("%s" in word for word in words):
        words.append("%s")
    if any("%s" in word and word != "%s" for word in words) or words[0] == "%s" or _read_code(words):
        raise _not_used(command, "the address would become part of a command")
    return [url if word == "%s" else word for word in words]


def _read_code(words: list[str]) -> bool:
    """Return whether *words*, one of which stands for the address, have a program read it as code."""
    if any(word in _BEFORE_CODE and following == "%s" for word, following in pairwise(words)):
        return True
    names = [word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") for word in words]
    # A version may follow, as in python3.12.
    return any(name.endswith((".bat", ".cmd")) or name.rstrip("0123456789.-") in _RUN_CODE for name in names)


def _not_used(command: str, why: str) -> LaunchFailed:
    return LaunchFailed(
        f"$BROWSER (`{one_line(command, 200)}`) was not used: {why}.", hint="export BROWSER=firefox"
    )


def _by_xdg_open(target: str, env: Mapping[str, str], grace: float) -> int | None:
    """Return the exit status of xdg-open, None if it still runs. It comes to no browser without a window."""
    require_xdg_open(env)
    child = {**env, "BROWSER": ":".join(_commands(env)) or GRAPHICAL}  # else it may come to w3m
    if _is_stale_kde(env):
        child["XDG_CURRENT_DESKTOP"] = "X-Generic"
    return spawn_detached(["xdg-open", target], child, cwd="/", grace=grace)


def _is_stale_kde(env: Mapping[str, str]) -> bool:
    """Return whether KDE's variables are set without KDE's tools: xdg-open would do nothing, with success."""
    desktop = env.get("XDG_CURRENT_DESKTOP", "")
    is_kde = "KDE" in desktop.split(":") or (not desktop and "KDE_FULL_SESSION" in env)
    return is_kde and not any(which(tool, env) for tool in ("kde-open5", "kde-open", "kfmclient"))


def state_of(program: str, status: int | None, hint: str, what: str = "The browser") -> str:
    """Return HANDED_OVER or RUNNING. Raises LaunchFailed for a *status* that tells of a failure."""
    if status:
        name = os.path.basename(program)
        raise LaunchFailed(f"{what} did not start ({name}: status {status}).", hint=hint)
    return RUNNING if status is None else HANDED_OVER


def _why_not() -> str:
    if os.getuid() == 0:
        return "Chrome and Chromium refuse to run as root: run Jarvis as yourself."
    return "Check that the default browser is installed: xdg-settings get default-web-browser"
