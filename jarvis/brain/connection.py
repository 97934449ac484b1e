"""Sends messages to a brain and receives its own, over a socket or a child's pipes.

Blocking, on the standard library's lowest modules: importing asyncio alone takes as long as five bare starts.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Callable

from .. import __version__
from ..core.errors import BrainFailed
from .protocol import LONGEST, Alive, BadMessage, Failed, Message, Ready, decode, encode

PATIENCE = 10.0  # seconds without a sign of life, which comes every second
END_SECONDS = 3.0  # for a child to end once it may, and for a turn that was cancelled
_PIECE = getattr(select, "PIPE_BUF", 512)  # bytes that can be written without waiting where any can
_ANEW = "What was done so far is kept. Ask again: a new one is started."


class Silent(BrainFailed):
    """The brain gave no sign of life for too long."""


class Gone(BrainFailed):
    """The brain has hung up."""


class Connection:
    """A connection to a brain. One thread receives; any thread and any signal handler may send."""

    patience: float | None = PATIENCE  # seconds to wait for a sign of life; None where none is given
    is_own = False  # whether the brain is this process's alone, and ends with it

    def __init__(self, name: str, *, reading: int, writing: int) -> None:
        """name: the brain's name, which changes with its settings, libraries and code."""
        self.name = name
        self._reading = reading
        self._writing = writing
        self._woken, wakes = os.pipe()
        # A file object knows that it was closed; a bare descriptor may be another file's by then.
        self._wakes = open(wakes, "wb", buffering=0)  # noqa: SIM115
        self._outgoing: list[memoryview] = []
        self._buffer = b""
        self._lines: list[bytes] = []
        self._is_closed = False

    def kill(self) -> None:
        """End the brain at once."""
        raise NotImplementedError

    def _ending(self) -> str:
        """Return how the brain has ended, in brackets; empty where that is not known."""
        return ""

    @property
    def is_open(self) -> bool:
        """Whether the brain has not hung up. What it said meanwhile is kept for receive()."""
        try:
            while not self._is_closed:
                if not _ready([self._reading], [], 0)[0]:
                    return True
                self._take_in()
        except BrainFailed:
            pass
        return False

    def send(self, message: Message) -> None:
        """Queue *message* for receive(), which sends it. Does not wait."""
        self._outgoing.append(memoryview(encode(message)))
        self.wake()

    def wake(self) -> None:
        """Have receive() return."""
        with contextlib.suppress(OSError, ValueError):  # it is closed: nobody receives any more
            self._wakes.write(b".")

    def receive(self, patience: float | None) -> Message | None:
        """Return the next message; None once wake() was called. Send what is queued meanwhile.

        patience: seconds to wait; None: for ever.
        Raises Silent, Gone, or BrainFailed with the brain's own failure.
        """
        while not self._lines:
            reading, writing = _ready(
                [self._reading, self._woken], [self._writing] if self._outgoing else [], patience
            )
            if not reading and not writing:
                raise Silent("The process that plans and searches does not answer.", hint=_ANEW)
            if writing:
                self._write()
            if self._reading in reading:
                self._take_in()
            elif self._woken in reading:
                os.read(self._woken, 4096)
                return None
        return _understood(self._lines.pop(0))

    def await_ready(self, starting: Callable[[], None] = lambda: None) -> None:
        """Wait until turns may be asked for. Close the connection where that fails.

        starting: is called, maybe more than once, as soon as it is known that it will take seconds.
        """
        try:
            while True:
                match self.receive(self.patience):
                    case Ready(version) if version == __version__:
                        return
                    case Ready(version):
                        raise _other_version(version)
                    case Alive():
                        if not self._lines:
                            starting()
                    case _:
                        raise garbled()
        except BrainFailed:
            self.close(patience=0)
            raise

    def close(self, patience: float = END_SECONDS) -> None:
        """Hang up. patience: seconds that a brain of our own has to end."""
        if not self._is_closed:
            self._is_closed = True
            self._wakes.close()
            for descriptor in {self._reading, self._writing, self._woken}:
                os.close(descriptor)

    def _write(self) -> None:
        """Write as much as can be written without waiting."""
        line = self._outgoing[0]
        try:
            line = line[os.write(self._writing, line[:_PIECE]) :]
        except OSError:  # nobody reads any more, which is told where the brain is listened to
            line = line[:0]
        self._outgoing[:1] = [line] if line else []

    def _take_in(self) -> None:
        """Read what has come, once there is something. Raises Gone."""
        try:
            piece = os.read(self._reading, 65536)
        except OSError:
            piece = b""
        if not piece:
            raise Gone(f"The process that plans and searches has stopped{self._ending()}.", hint=_ANEW)
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        self._lines += lines
        if len(self._buffer) > LONGEST:
            raise garbled()


def garbled() -> BrainFailed:
    return BrainFailed("The process that plans and searches sent a message that makes no sense.", hint=_ANEW)


def _understood(line: bytes) -> Message:
    """Return the message in *line*. Raises BrainFailed for a failure of the brain, or for no message."""
    try:
        message = decode(line)
    except BadMessage:
        raise garbled() from None
    if isinstance(message, Failed):
        error = BrainFailed(message.message, hint=message.hint)
        error.code, error.exit_status = message.code, message.exit_status
        raise error
    return message


def _other_version(version: str) -> BrainFailed:
    """Return the error for a brain of another version: Jarvis was replaced while this program ran."""
    return BrainFailed(
        f"This is Jarvis {__version__}, and the process that plans is {version}.",
        hint="Start Jarvis again; a chat is left with Ctrl-D.",
    )


if sys.platform == "win32":
    import _winapi
    import msvcrt
    import time

    def _ready(reading: list[int], writing: list[int], seconds: float | None) -> tuple[list[int], list[int]]:
        """Do what the other one does, for pipes: select() on Windows knows sockets alone."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            readable = [pipe for pipe in reading if _has_more(pipe)]
            if readable or writing or (deadline is not None and time.monotonic() >= deadline):
                return readable, writing
            time.sleep(0.02)  # nothing tells when one of several pipes has something

    def _has_more(pipe: int) -> bool:
        try:
            return _winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe))[0] != 0
        except OSError:  # its end, which is to be read
            return True

else:

    def _ready(reading: list[int], writing: list[int], seconds: float | None) -> tuple[list[int], list[int]]:
        """Return those that can be read, and those that can be written; none once *seconds* are over."""
        readable, writable, _ = select.select(reading, writing, [], seconds)
        if not readable and not writable:  # after a stop by Ctrl-Z the time may be over, and something there
            readable, writable, _ = select.select(reading, writing, [], 0)
        return readable, writable
