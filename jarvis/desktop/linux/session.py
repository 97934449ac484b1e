"""Find out whether there is a screen, by its socket: the variables outlive the session (tmux, ssh)."""

from __future__ import annotations

import _socket  # `socket` would take a plain command 15 ms
import os

from ...core.errors import NoDisplay
from ...core.stdlib import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

WAYLAND = "wayland"
X11 = "x11"

_PATIENCE = 0.5  # seconds


def session_environment(env: Mapping[str, str]) -> str | None:
    """Return WAYLAND or X11 if such a screen answers, else None."""
    wayland, x11 = env.get("WAYLAND_DISPLAY"), env.get("DISPLAY")
    if wayland and _answers(os.path.join(runtime(env), wayland)):
        return WAYLAND
    return X11 if x11 and _x_answers(x11) else None


def require(env: Mapping[str, str]) -> str:
    """Return WAYLAND or X11. Raises NoDisplay if there is no screen."""
    seat = session_environment(env)
    if not seat:
        raise NoDisplay("There is no screen in this session.", hint="Run Jarvis inside your desktop session.")
    return seat


def runtime(env: Mapping[str, str]) -> str:
    """Return the folder of the session's sockets."""
    return env.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"


def _x_answers(display: str) -> bool:
    host, _, number = display.rpartition(":")
    if host not in ("", "unix"):
        return True  # host:10.0, as `ssh -X` sets it: only an X client can find out
    path = f"/tmp/.X11-unix/X{number.partition('.')[0]}"  # noqa: S108 - where the X server listens
    return _answers("\0" + path) or _answers(path)


def _answers(address: str) -> bool:
    probe = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    probe.settimeout(_PATIENCE)
    try:
        probe.connect(address)
    except OSError:
        return False
    finally:
        probe.close()
    return True
