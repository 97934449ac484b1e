"""A client's connection to the brain: to the one that is there, or to one that it starts.

Blocking, on the standard library's lowest modules: importing asyncio alone takes as long as five bare starts.
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
from ..core.errors import BrainFailed, Interrupted, JarvisError, Terminated
from ..core.files import check_owner
from ..output.screen import Screen
from .address import Place, address_of, is_same_user, kill, place_of
from .protocol import LONGEST, Alive, BadMessage, Failed, Message, Ready, decode, encode

PATIENCE = 10.0  # seconds without a sign of life, which comes every second
LOOK_SECONDS = 0.05  # between two looks whether the person has given it up
_START_SECONDS = 20.0  # for a new process to listen; it imports little before
_ROUNDS = 3  # brains that leave just as they are met
_ANEW = "What was done so far is kept. Ask again: a new one is started."


class Silent(BrainFailed):
    """The brain gave no sign of life for too long."""


class HungUp(BrainFailed):
    """The brain has hung up."""


class ProgressLine:
    """Tells the person what is waited for, and knows whether they have given it up."""

    def __init__(self, screen: Screen | None = None) -> None:
        """screen: where to tell; None: a brain is started beforehand, and nobody waits yet."""
        self.reason: JarvisError | None = None  # why it is given up
        self._screen = screen
        self._is_told = False

    def look(self) -> None:
        """Raise the reason where it was given up."""
        if self.reason:
            raise self.reason

    def tell(self, what: str = "starting (first use takes a few seconds)…") -> None:
        """Tell *what* is waited for, and then for how long: silence is resented as much as the delay."""
        self.look()
        if self._screen:
            self._screen.tick() if self._is_told else self._screen.passing(what)
        self._is_told = True

    def end(self) -> None:
        """Take away what was told."""
        if self._screen and self._is_told:
            self._screen.clear()
        self._is_told = False


class Connection:
    """A connection to a brain. One thread receives; any thread may send."""

    def __init__(self, place: Place, opened: _socket.socket) -> None:
        self.place = place
        self._socket = opened
        self._sending = _thread.allocate_lock()
        self._buffer = b""
        self._lines: list[bytes] = []

    def send(self, message: Message) -> None:
        # That nobody reads any more is told where the brain is listened to.
        with self._sending, contextlib.suppress(OSError):
            self._socket.sendall(encode(message))

    def receive(self, look: Callable[[], None]) -> Message:
        """Return the next message. look: is called many times a second meanwhile, and may raise.

        Raises Silent, HungUp, or BrainFailed with the brain's own failure.
        """
        # Looks are counted, not seconds: a client that was itself stopped by Ctrl-Z has not listened.
        for _ in range(round(PATIENCE / LOOK_SECONDS)):
            look()
            if not self._lines and select.select([self._socket], [], [], LOOK_SECONDS)[0]:
                self._take_in()
            if self._lines:
                return _understood(self._lines.pop(0))
        raise Silent("The process that plans and searches does not answer.", hint=_ANEW)

    def await_ready(self, progress: ProgressLine) -> None:
        """Wait until a turn may be asked for. Close the connection where that fails."""
        try:
            while not isinstance(message := self.receive(progress.look), Ready):
                if not isinstance(message, Alive):
                    raise garbled()
                if not self._lines:  # it is still importing
                    progress.tell()
            if message.version != __version__:
                raise _other_version(message.version)
        except JarvisError:
            self.close()
            raise

    def close(self) -> None:
        self._socket.close()

    def _take_in(self) -> None:
        """Read what has come. Raises HungUp."""
        try:
            piece = self._socket.recv(65536)
        except OSError:
            piece = b""
        if not piece:
            raise HungUp("The process that plans and searches has stopped.", hint=_ANEW)
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        self._lines += lines
        if len(self._buffer) > LONGEST:
            raise garbled()


def connect(
    environment: Mapping[str, str], env_file: str | None, progress: ProgressLine
) -> Connection | None:
    """Return a connection to a brain that is ready; None where none can be started here.

    Raises BrainFailed with what keeps the brain from starting, NoKey where it could do nothing, and the
    reason where it is given up.
    """
    env_file = os.path.abspath(env_file) if env_file else None
    try:
        for _ in range(_ROUNDS):
            try:
                place = place_of(environment, env_file)
                connection = _met(place) or _started(place, environment, env_file, progress)
            except (OSError, NotImplementedError):  # a full disk; no posix_spawn with a session of its own
                return None
            if connection is None:
                return None
            try:
                connection.await_ready(progress)
                return connection
            except HungUp:  # it was about to leave
                pass
            except Silent:
                kill(place)
        return None
    finally:
        progress.end()


def _met(place: Place) -> Connection | None:
    """Return a connection to the brain at *place*, if it is the person's own; None where there is none.

    Raises JarvisError where its folder, its files or the process are another user's.
    """
    check_owner(place.socket)
    check_owner(place.lock)
    opened = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    opened.settimeout(PATIENCE)  # to connect, and to take what is sent
    try:
        with address_of(place) as address:
            opened.connect(address)
    except OSError:
        opened.close()
        return None
    if not is_same_user(opened):
        opened.close()
        raise JarvisError(
            f"{place.socket} belongs to another user.", hint="To do without it: JARVIS_BRAIN=off jarvis …"
        )
    return Connection(place, opened)


def _started(
    place: Place, environment: Mapping[str, str], env_file: str | None, progress: ProgressLine
) -> Connection | None:
    """Start a brain and return a connection to it, or to one that another client started meanwhile."""
    from ..config.settings import check_model_key  # who is served by a brain that is there does without

    check_model_key(environment, env_file)
    progress.tell()
    pid = _spawned(place, environment, env_file)
    deadline = time.monotonic() + _START_SECONDS
    try:
        while time.monotonic() < deadline:
            has_ended = bool(pid and os.waitpid(pid, os.WNOHANG)[0])
            pid = 0 if has_ended else pid
            connection = _met(place)  # or another's, to which ours left the place
            if connection or has_ended:
                return connection
            progress.tell()
            time.sleep(0.02)  # a socket that does not exist yet tells nobody when it does
        return None
    finally:
        if pid:  # or it would stay a zombie for as long as we live
            _thread.start_new_thread(os.waitpid, (pid, 0))


def _spawned(place: Place, environment: Mapping[str, str], env_file: str | None) -> int:
    """Start a brain that survives this terminal, folder and process; return its process id."""
    argv = [sys.executable, "-P", "-m", __package__, place.name]
    argv += [env_file] if env_file else []
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


def _understood(line: bytes) -> Message:
    """Return the message in *line*. Raises BrainFailed for a failure of the brain, or for no message."""
    try:
        message = decode(line)
    except BadMessage:
        raise garbled() from None
    if isinstance(message, Failed):
        kind = {each.code: each for each in (Interrupted, Terminated)}.get(message.code, BrainFailed)
        error = kind(message.message, hint=message.hint)
        error.code, error.exit_status = message.code, message.exit_status
        raise error
    return message


def garbled() -> BrainFailed:
    return BrainFailed("The process that plans and searches sent a message that makes no sense.", hint=_ANEW)


def _other_version(version: str) -> BrainFailed:
    """Return the error for a brain of another version: Jarvis was replaced while this program ran."""
    return BrainFailed(
        f"This is Jarvis {__version__}, and the process that plans is {version}.",
        hint="Start Jarvis again; a chat is left with Ctrl-D.",
    )
