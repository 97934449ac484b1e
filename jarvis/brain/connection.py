"""How a request comes to a brain that is ready: one that is there, or one that is started for it.

Blocking, on the standard library's lowest modules: asyncio alone would cost five bare starts.
"""

from __future__ import annotations

import _socket
import _thread
import contextlib
import os
import select
import sys
import time
from collections.abc import Callable, Mapping

from .. import __version__
from ..core.errors import BrainFailed, JarvisError
from ..core.files import check_owner
from .messages import garbled, heard, other_version
from .protocol import LONGEST, Alive, Message, Ready, encode
from .socket_path import Place, address_of, holder, peer_of, place_of

PATIENCE = 4.0  # seconds without a sign of life, which comes every second
_START_SECONDS = 20.0  # for a new process to listen; it imports little before
_ROUNDS = 3  # brains that leave just as they are met


class Silent(Exception):
    """It gave no sign of life for too long."""


class Gone(Exception):
    """It has hung up."""


class Connection:
    """Messages, one by one, from a socket that blocks for as long as it is told."""

    def __init__(self, opened: _socket.socket, place: Place) -> None:
        self.place = place
        self._opened = opened
        self._buffer = b""
        self._lines: list[bytes] = []

    def fileno(self) -> int:
        return self._opened.fileno()

    def send(self, message: Message) -> None:
        """That nobody reads any more is noticed where it is listened to."""
        line = memoryview(encode(message))
        try:
            while line:
                line = line[self._opened.send(line) :]
        except OSError:
            pass

    def waiting(self) -> Message | None:
        """A message that has come already, without waiting."""
        return heard(self._lines.pop(0)) if self._lines else None

    @property
    def has_more(self) -> bool:
        """Whether another message has come already."""
        return bool(self._lines)

    def take_in(self) -> None:
        """What has come: to be called once there is something. Raises Gone."""
        try:
            piece = self._opened.recv(65536)
        except OSError:
            piece = b""
        if not piece:
            raise Gone
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        self._lines += lines
        if len(self._buffer) > LONGEST:
            raise garbled()

    def next(self, patience: float = PATIENCE) -> Message:
        """Raises Silent and Gone."""
        while True:
            if (message := self.waiting()) is not None:
                return message
            if not readable([self], patience):
                raise Silent
            self.take_in()

    def detach(self) -> int:
        """The descriptor, which is the caller's from now on; nothing may have come but what was read."""
        return self._opened.detach()

    def close(self) -> None:
        self._opened.close()


def readable(these: list[Connection | int], seconds: float) -> list[Connection | int]:
    """Those with something to read; none where nothing came for so long."""
    ready = select.select(these, [], [], seconds)[0]
    # After a stop by Ctrl-Z its time may be over though something is there.
    return ready or select.select(these, [], [], 0)[0]


def met(
    environment: Mapping[str, str], env_file: str | None, starting: Callable[[], None]
) -> Connection | None:
    """A connection to a brain that is ready; None where there is none to be had here.

    starting: is called, maybe more than once, as soon as it is known that it will take seconds.
    Raises BrainFailed with what keeps the brain from starting.
    """
    for _ in range(_ROUNDS):
        try:
            place = place_of(environment, env_file)
            connection = _connected(place)
            if connection is None:
                starting()
                connection = _started(place, environment, env_file)
        except (OSError, NotImplementedError):  # a full disk; no posix_spawn with a session of its own
            return None
        if connection is None:
            return None
        try:
            return _ready(connection, starting)
        except Gone:  # it was about to leave
            connection.close()
        except Silent:
            connection.close()
            kill(place)
    return None


def kill(place: Place) -> None:
    """End a brain that hangs; the next request starts another one."""
    if pid := holder(place):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, 9)
        deadline = time.monotonic() + 1
        while holder(place) == pid and time.monotonic() < deadline:
            time.sleep(0.01)  # it is no child of ours: nothing tells when it has ended


def _ready(connection: Connection, starting: Callable[[], None]) -> Connection:
    try:
        while True:
            match connection.next():
                case Ready(version) if version == __version__:
                    return connection
                case Ready(version):
                    raise other_version(version)
                case Alive():
                    if not connection.has_more:
                        starting()
                case _:
                    raise garbled()
    except BrainFailed:
        connection.close()
        raise


def _connected(place: Place) -> Connection | None:
    """To who listens there, if it is the person's own; None where nobody does.

    Raises JarvisError where its folder, its files or the process are another's.
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
        raise JarvisError(f"{place.socket} belongs to another user.", hint="JARVIS_BRAIN=off jarvis …")
    return Connection(opened, place)


def _started(place: Place, environment: Mapping[str, str], env_file: str | None) -> Connection | None:
    """To a brain that was started just now, by us or by somebody else."""
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
    """A new brain's process, which nothing ties to us: not our terminal, our folder, nor our end."""
    argv = [sys.executable, "-P", "-m", f"{__package__.split('.')[0]}.brain", f"--resident={place.name}"]
    argv += [f"--env-file={env_file}"] if env_file else []
    own = {name: value for name, value in environment.items() if name != "JARVIS_THREAD"}
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    # What is ignored above us, or blocked, would be so there too.
    return os.posix_spawn(
        sys.executable, argv, own, file_actions=null, setsid=True, setsigmask=(), setsigdef=(1, 2, 3, 13, 15)
    )
