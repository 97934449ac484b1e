"""Send an address to the person's own browser.

Python's webbrowser is not used: it reported success with nothing opened, and gave the terminal to w3m.
The success of xdg-open is no proof either: without a screen it may have run a text browser that nobody
sees. So a screen is looked for first, and xdg-open is kept from text browsers.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from ...actions.base import HANDED_OVER, RUNNING
from ...core import urls
from ...core.errors import LaunchFailed, NoDisplay, NoHandler
from ...core.text import one_line
from .session import check_only_ours, session_environment, spawn_detached, which

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Without a screen, xdg-open and sensible-browser start a text browser, too.
_TEXT = {
    "w3m", "lynx", "links", "links2", "elinks", "browsh", "www-browser", "sensible-browser", "xdg-open",
}  # fmt: skip
# These run code that is among their arguments, unless a file comes first.
_INTERPRETERS = {
    *("sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "osascript"),
    *("python", "pypy", "perl", "ruby", "node", "nodejs", "bun", "php", "lua", "luajit", "tclsh"),
}
# These pass their arguments to a shell (here or on another machine), read them as commands, or run what is
# at an address.
_SHELLS = {
    *("cmd", "command", "powershell", "pwsh", "wt", "ssh", "su", "watch", "parallel", "tmux"),
    *("i3-msg", "swaymsg", "hyprctl", "deno"),
}
# Options before code, those of terminals included: xterm has a shell read a single word after `-e`.
_BEFORE_CODE = {"-c", "-e", "-x", "-s", "--eval", "--exec", "--execute", "--command", "exec"}
GRAPHICAL = "x-www-browser:firefox:google-chrome:chromium:chromium-browser"
_NO_BROWSER = 3  # xdg-open's status


def open_url(url: str, env: Mapping[str, str], grace: float) -> str:
    """Send *url* to the browser. Return HANDED_OVER, or RUNNING if it still runs after *grace* seconds."""
    url = urls.canon(url).url
    if not session_environment(env):
        # $BROWSER may be a helper that opens it on another machine's screen (VS Code, Codespaces).
        if state := by_choice(url, env, grace):
            return state
        if chosen := ":".join(_chosen(env)):
            raise NoDisplay(
                f"There is no screen in this session, and $BROWSER ({chosen}) is not installed.",
                hint=f"Copy it into a browser: {url}",
            )
        raise NoDisplay("There is no screen in this session.", hint=f"Copy it into a browser: {url}")
    for program in _chosen_programs(env):  # xdg-open reads $BROWSER too, and less carefully
        check_only_ours(program, os.path.basename(program), env)
    require_xdg_open(env)
    status = spawn_detached(["xdg-open", url], for_xdg_open(env), cwd="/", grace=grace)
    return _state("xdg-open", url, status)


def chosen_program(env: Mapping[str, str]) -> str:
    """Return the program that $BROWSER names; empty if none of it is installed. Raises LaunchFailed."""
    return next(_chosen_programs(env), "")


def _chosen_programs(env: Mapping[str, str]) -> Iterator[str]:
    named = (_arguments(command, "https://example.org")[0] for command in _chosen(env))
    return (program for name in named if (program := which(name, env)))


def require_xdg_open(env: Mapping[str, str]) -> None:
    """Raise NoHandler where it is not installed."""
    if not which("xdg-open", env):
        raise NoHandler("xdg-open is not installed.", hint="sudo apt install xdg-utils")


def by_choice(url: str, env: Mapping[str, str], grace: float) -> str | None:
    """Send *url* to the program that $BROWSER names.

    Return HANDED_OVER or RUNNING, None if no such program is installed.
    Raises LaunchFailed for a command in which *url* could be read as anything but one argument.
    """
    for argv in [_arguments(command, url) for command in _chosen(env)]:
        if which(argv[0], env):
            return _state(argv[0], url, spawn_detached(argv, env, cwd="/", grace=grace))
    return None


def _chosen(env: Mapping[str, str]) -> list[str]:
    return [c for c in env.get("BROWSER", "").split(":") if c.strip() and not _is_text(c)]


def _is_text(command: str) -> bool:
    return os.path.basename(command.split()[0]) in _TEXT


def _arguments(command: str, url: str) -> list[str]:
    """Return the words of *command*, with *url* for each `%s`, or at the end. Raises LaunchFailed."""
    words = _words(command)
    if not words:
        raise _not_used(command, "a quote in it is not closed")
    if not any("%s" in word for word in words):
        words.append("%s")
    if any("%s" in word and word != "%s" for word in words) or words[0] == "%s" or _reads_code(words):
        raise _not_used(command, "the address would become part of a command")
    return [url if word == "%s" else word for word in words]


def _words(command: str) -> list[str]:
    if not any(sign in command for sign in "'\"\\"):
        return command.split()
    import shlex  # few commands have quotes

    try:
        return shlex.split(command)
    except ValueError:  # a quote is not closed
        return []


def _reads_code(words: list[str]) -> bool:
    """Return whether *words*, some of which are the address, have a program read others as commands."""
    for word, following in pairwise(words):
        name = word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
        if name in _SHELLS or name.endswith((".bat", ".cmd")):
            return True
        is_interpreter = name.rstrip("0123456789.-") in _INTERPRETERS  # as in python3.12
        if (is_interpreter and following[:1] in "-%") or (word in _BEFORE_CODE and following == "%s"):
            return True
    return False


def _not_used(command: str, why: str) -> LaunchFailed:
    return LaunchFailed(
        f"$BROWSER (`{one_line(command, 200)}`) was not used: {why}.", hint="export BROWSER=firefox"
    )


def for_xdg_open(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* in which xdg-open comes to no browser that has no window."""
    child = {**env, "BROWSER": ":".join(_chosen(env)) or GRAPHICAL}  # else it may come to w3m
    if _is_stale_kde(env):
        child["XDG_CURRENT_DESKTOP"] = "X-Generic"
    return child


def _is_stale_kde(env: Mapping[str, str]) -> bool:
    """Return whether KDE's variables are set without KDE's tools: xdg-open would do nothing, with success."""
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
    return "Check that the default browser is installed: xdg-settings get default-web-browser"
