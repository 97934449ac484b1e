"""The person's session: its folders, its screen, and the programs that are started in it and outlive us.

A screen is looked for by its socket: the variables outlive the session (tmux, ssh).
"""

from __future__ import annotations

import _socket  # `socket` would take a plain command 15 ms
import _thread
import os
import signal
import time
from shlex import quote
from typing import TYPE_CHECKING

from ...config.sources import home_of
from ...core.errors import LaunchFailed, NoDisplay, NotInstalled
from ...core.files import changed_by_others
from .. import child_env, speaks_of_wsl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WAYLAND = "wayland"
X11 = "x11"

_PATIENCE = 0.5  # seconds
_LOOK_EVERY = 0.002  # seconds
_WINDOWS_DISKS = ("9p", "drvfs")  # as WSL mounts them
# A child would go on ignoring those of them that Python or our shell ignores.
_RESET = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ)
# Many sessions leave these out of XDG_DATA_DIRS.
_OFTEN_MISSING = ("/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop")


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


def runtime(env: Mapping[str, str]) -> str:
    """Return the folder of the session's sockets."""
    return env.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"


def config_folder(env: Mapping[str, str]) -> str:
    return env.get("XDG_CONFIG_HOME") or os.path.join(home_of(env), ".config")


def data_folders(env: Mapping[str, str]) -> list[str]:
    """Return the folders that may hold `applications/`, the most important first."""
    own = env.get("XDG_DATA_HOME") or os.path.join(home_of(env), ".local/share")
    everyones = env.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = (own, *everyones.split(":"), f"{own}/flatpak/exports/share", *_OFTEN_MISSING)
    return list(dict.fromkeys(folder.rstrip("/") for folder in folders if folder.startswith("/")))


def pictures(env: Mapping[str, str]) -> str:
    """Return the folder for pictures; never the home folder, which stands for “none” in user-dirs.dirs."""
    home = home_of(env)
    for line in reversed(read_lines(os.path.join(config_folder(env), "user-dirs.dirs"))):
        name, _, value = line.partition("=")
        folder = value.strip('"').replace('\\"', '"')
        if name == "XDG_PICTURES_DIR" and folder.startswith(("$HOME/", "/")):
            folder = os.path.normpath(folder.replace("$HOME", home, 1))
            return folder if folder not in (os.path.normpath(home), "/", "//") else f"{home}/Pictures"
    return os.path.join(home, "Pictures")


def read_lines(path: str) -> list[str]:
    """Return the lines of a small file that the session keeps, without the spaces around them."""
    try:
        if not os.path.isfile(path):  # a pipe would keep us waiting
            return []
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return [line.strip() for line in file.read(1024 * 1024).split("\n")]
    except OSError:
        return []


def which(program: str, env: Mapping[str, str]) -> str | None:
    """Return the absolute path of *program* on the PATH of *env*, or None.

    Relative folders on the PATH don't count: the current folder must not decide what runs.
    """
    folders = env.get("PATH") or os.defpath
    places = [program] if "/" in program else [f"{folder}/{program}" for folder in folders.split(":")]
    return next(
        (p for p in places if p.startswith("/") and os.path.isfile(p) and os.access(p, os.X_OK)), None
    )


def check_only_ours(path: str, name: str, env: Mapping[str, str]) -> None:
    """Raise LaunchFailed if anyone but root and this person can change what is at *path*.

    name: what would be started.
    """
    try:
        at, told = changed_by_others(path)
    except OSError as error:
        raise LaunchFailed(f"{name} was not started: {path}: {error.strerror}.") from error
    if at and not (speaks_of_wsl(env) and is_windows_disk(at)):
        raise LaunchFailed(f"{name} was not started: {told}.", hint=f"Look at it: ls -ld {quote(at)}")


def is_windows_disk(path: str, mounts: str = "/proc/self/mounts") -> bool:
    """Return whether *path* is on a disk of Windows, where file modes are made up."""
    with open(mounts, encoding="utf-8", errors="replace") as file:
        kinds = {line.split(" ")[1]: line.split(" ")[2] for line in file}
    while path not in kinds and path != "/":
        path = os.path.dirname(path)
    return kinds.get(path) in _WINDOWS_DISKS


def spawn_detached(argv: Sequence[str], env: Mapping[str, str], *, cwd: str, grace: float) -> int | None:
    """Start *argv* in a session of its own, its three streams on /dev/null.

    grace: seconds to watch it.
    Return its exit status (minus the number of the signal that ended it), None if it still runs.
    """
    path = which(argv[0], env)
    if not path:
        raise NotInstalled(f"{argv[0]} is not installed.")
    check_only_ours(path, os.path.basename(path), env)
    try:
        pid = _spawn(path, list(argv), child_env(env), cwd)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise LaunchFailed(f"{argv[0]} can't be started: {why}.") from error
    status = _watch(pid, grace)
    if status is None:  # else it stays a zombie until we end
        _thread.start_new_thread(_reap, (pid,))
    return status


def _spawn(path: str, argv: list[str], env: dict[str, str], cwd: str) -> int:
    # subprocess would take a plain command 35 ms, and posix_spawn has no cwd: so this process changes its
    # own folder and back. That is safe: only the desktop spawn, one action at a time.
    null = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    here = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        os.chdir(cwd)
        return os.posix_spawn(
            path, argv, env, file_actions=null, setsid=True, setsigmask=(), setsigdef=_RESET
        )
    finally:
        os.fchdir(here)
        os.close(here)


def _watch(pid: int, grace: float) -> int | None:
    end = time.monotonic() + grace
    while (status := _reap(pid, os.WNOHANG)) is None and time.monotonic() < end:
        time.sleep(_LOOK_EVERY)  # waiting for a child has no time limit, and not every kernel has pidfds
    return status


def _reap(pid: int, flags: int = 0) -> int | None:
    try:
        done, status = os.waitpid(pid, flags)
    except ChildProcessError:  # SIGCHLD is ignored here, so its status is lost
        return 0
    return os.waitstatus_to_exitcode(status) if done else None
