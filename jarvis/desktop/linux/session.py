"""The person's session: whether it has a screen, and the programs that are started in it and outlive us.

A screen is looked for by its socket: the variables outlive the session (tmux, ssh).
"""

from __future__ import annotations

import _socket  # `socket` would take a plain command 15 ms
import _thread
import os
import select
import signal
import stat
import time
from typing import TYPE_CHECKING

from ...core.errors import LaunchFailed, NoDisplay, NotInstalled
from ...core.files import Other, changed_by_others, own_uid
from .. import child_env, speaks_of_wsl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


_WINDOWS_DISKS = ("9p", "drvfs")  # as WSL mounts them
# A child would go on ignoring those of them that Python or our shell ignores.
_RESET = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ)


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
        other = changed_by_others(path)
    except OSError as error:
        raise LaunchFailed(f"{name} was not started: {path}: {error.strerror}.") from error
    if other and not _is_windows_own(other.path, env):
        raise LaunchFailed(f"{name} was not started: {_reproach(other)}.", hint=_remedy(other, path))


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
        raise LaunchFailed(f"{argv[0]} can't be started: {_reason(error)}.") from error
    status = None
    try:
        status = _watch(pid, grace)
    finally:
        if status is None:  # else it stays a zombie until we end
            _thread.start_new_thread(_reap, (pid,))
    return status


def _is_windows_own(path: str, env: Mapping[str, str]) -> bool:
    return speaks_of_wsl(env) and is_windows_disk(path)


def _reproach(other: Other) -> str:
    if other.is_theirs:
        return f"{other.path} belongs to another user of this machine"
    return f"other users of this machine can change {other.path}"


def _remedy(other: Other, path: str) -> str:
    from shlex import quote  # only after a refusal

    if other.is_theirs:
        return f"Look at it, then: sudo chown $(id -u) {quote(other.path)}"
    if other.status.st_mode & stat.S_ISVTX:  # others may rightly write to it, as to /tmp
        return f"mkdir -p ~/.local/bin && mv {quote(path)} ~/.local/bin/"
    sudo = "" if other.status.st_uid == own_uid() else "sudo "
    return f"{sudo}chmod go-w {quote(other.path)}"


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _spawn(path: str, argv: list[str], env: dict[str, str], cwd: str) -> int:
    # subprocess would take a plain command 35 ms, and posix_spawn has no cwd: so this process changes its
    # own folder and back. That is safe: only the hands spawn, one action at a time.
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
    try:
        fd = os.pidfd_open(pid)
    except OSError:  # kernels before 5.3, some sandboxes
        return _poll(pid, grace)
    try:
        watched = select.poll()  # not select(): it can't take a descriptor above 1023
        watched.register(fd, select.POLLIN)
        ended = watched.poll(grace * 1000)
    finally:
        os.close(fd)
    return _reap(pid) if ended else None


def _poll(pid: int, grace: float) -> int | None:
    end = time.monotonic() + grace
    while (status := _reap(pid, os.WNOHANG)) is None and time.monotonic() < end:
        time.sleep(0.02)  # with a bound, which waiting for a child has not
    return status


def _reap(pid: int, flags: int = 0) -> int | None:
    try:
        done, status = os.waitpid(pid, flags)
    except ChildProcessError:  # SIGCHLD is ignored here, so its status is lost
        return 0
    return os.waitstatus_to_exitcode(status) if done else None
