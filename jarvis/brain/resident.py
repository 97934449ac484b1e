"""The resident brain, from the client's side: connect to it, start it, kill it where it hangs."""

from __future__ import annotations

import _socket
import _thread
import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping

from ..core.errors import JarvisError
from ..core.files import check_owner
from .connection import PATIENCE, Connection, Gone, Silent
from .socket_path import Place, address_of, holder, peer_of, place_of

_START_SECONDS = 20.0  # for a new process to listen; it imports little before
_ROUNDS = 3  # brains that leave just as they are met


class ResidentConnection(Connection):
    def __init__(self, place: Place, descriptor: int) -> None:
        super().__init__(place.name, reading=descriptor, writing=descriptor)
        self._place = place

    def kill(self) -> None:
        kill(self._place)


def connect(
    environment: Mapping[str, str], env_file: str | None, starting: Callable[[], None] = lambda: None
) -> Connection | None:
    """Return a connection to a brain that is ready; None where none can be started here.

    env_file: the absolute path. starting: is called, maybe more than once, where it will take seconds.
    Raises BrainFailed with what keeps the brain from starting, NoKey where it could do nothing.
    """
    for _ in range(_ROUNDS):
        try:
            place = place_of(environment, env_file)
            connection = _connected(place)
            if connection is None:
                _check_key(environment, env_file)
                starting()
                connection = _started(place, environment, env_file)
        except (OSError, NotImplementedError):  # a full disk; no posix_spawn with a session of its own
            return None
        if connection is None:
            return None
        try:
            connection.await_ready(starting)
            return connection
        except Gone:  # it was about to leave
            pass
        except Silent:
            connection.kill()
    return None


def _check_key(environment: Mapping[str, str], env_file: str | None) -> None:
    from ..config.settings import check_model_key  # who is served by a brain that is there does without

    check_model_key(environment, env_file)


def kill(place: Place) -> None:
    """Kill a brain that hangs; the next request starts another one."""
    if pid := holder(place):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, 9)
        deadline = time.monotonic() + 1
        while holder(place) == pid and time.monotonic() < deadline:
            time.sleep(0.01)  # it is no child of ours: nothing tells when it has ended


def _connected(place: Place) -> Connection | None:
    """Return a connection to the brain at *place*, if it is the person's own; None where there is none.

    Raises JarvisError where its folder, its files or the process are another user's.
    """
    check_owner(place.socket)
    check_owner(place.lock)
    try:
        address, folder = address_of(place)
    except OSError:  # not even the folder is there
        return None
    opened = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        opened.settimeout(PATIENCE)
        opened.connect(address)
        opened.settimeout(None)
    except OSError:
        opened.close()
        return None
    finally:
        if folder is not None:
            os.close(folder)
    if peer_of(opened) != os.getuid():
        opened.close()
        raise JarvisError(
            f"{place.socket} belongs to another user.", hint="To do without it: JARVIS_BRAIN=off jarvis …"
        )
    return ResidentConnection(place, opened.detach())


def _started(place: Place, environment: Mapping[str, str], env_file: str | None) -> Connection | None:
    """Start a brain and return a connection to it, or to one that another client started meanwhile."""
    pid: int | None = _spawned(place, environment, env_file)
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if connection := _connected(place):
            if pid:  # or it would stay a zombie for as long as we live
                _thread.start_new_thread(_reap, (pid,))
            return connection
        if pid is None:
            return None
        time.sleep(0.02)  # a socket that does not exist yet tells nobody when it does
        if os.waitpid(pid, os.WNOHANG)[0]:
            pid = None  # one more look: it may have left the place to another
    return None


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _spawned(place: Place, environment: Mapping[str, str], env_file: str | None) -> int:
    """Start a brain that survives this terminal, folder and process; return its process id."""
    argv = [sys.executable, "-P", "-m", __package__, f"--resident={place.name}"]
    argv += [f"--env-file={env_file}"] if env_file else []
    own = {name: value for name, value in environment.items() if name != "JARVIS_THREAD"}
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    # The brain would inherit which signals are ignored or blocked here.
    return os.posix_spawn(
        sys.executable, argv, own, file_actions=null, setsid=True, setsigmask=(), setsigdef=(1, 2, 3, 13, 15)
    )
