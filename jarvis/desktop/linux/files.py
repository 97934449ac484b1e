"""Have a file or folder shown by the app that the person has for such files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...actions.base import HANDED_OVER, RUNNING
from ...core.errors import LaunchFailed, NoDisplay, NoHandler
from .browser import for_xdg_open
from .session import session_environment, spawn_detached, which

if TYPE_CHECKING:
    from collections.abc import Mapping

_NO_APP = 3  # xdg-open's status


def open_file(path: str, env: Mapping[str, str], grace: float) -> str:
    """Hand *path*, absolute, to xdg-open. Return HANDED_OVER, or RUNNING if it runs on after *grace* s."""
    if not session_environment(env):
        raise NoDisplay("There is no screen in this session.", hint="Run Jarvis inside your desktop session.")
    if not which("xdg-open", env):
        raise NoHandler("xdg-open is not installed.", hint="sudo apt install xdg-utils")
    status = spawn_detached(["xdg-open", path], for_xdg_open(env), cwd="/", grace=grace)
    if status is None:
        return RUNNING
    if status == 0:
        return HANDED_OVER
    if status == _NO_APP:
        raise NoHandler("No app is set up for such files.", hint=_kind_of(path))
    raise LaunchFailed(f"The app for it did not start (xdg-open: status {status}).", hint=_kind_of(path))


def _kind_of(path: str) -> str:
    from shlex import quote  # only after a failure

    return f"To see of which kind it is: xdg-mime query filetype {quote(path)}"
