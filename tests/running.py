"""A program under way, on pipes or on a terminal of its own: write to it, wait for words, signal, finish."""

from __future__ import annotations

import contextlib
import os
import pty
import queue
import re
import signal
import subprocess
import termios
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import pyte
import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Result(NamedTuple):
    stdout: str
    stderr: str
    status: int  # negative: killed by that signal
    screen: bytes  # what a terminal was sent; stdout and stderr are empty then
    seconds: float


class Process(Protocol):
    """As much of a Popen as is needed."""

    pid: int

    def wait(self, timeout: float) -> int: ...


class Ends(NamedTuple):
    """The descriptors of both sides."""

    theirs: tuple[int, int, int]  # to be stdin, stdout and stderr
    outputs: Mapping[str, int]
    typed: int | None

    def close_ours(self) -> None:
        for handle in (*self.outputs.values(), *([] if self.typed is None else [self.typed])):
            os.close(handle)


def open_pipes(*, with_stdin: bool) -> Ends:
    stdin, typed = os.pipe() if with_stdin else (os.open(os.devnull, os.O_RDONLY), None)
    stdout, their_stdout = os.pipe()
    stderr, their_stderr = os.pipe()
    return Ends((stdin, their_stdout, their_stderr), {"stdout": stdout, "stderr": stderr}, typed)


def seen(said: str, size: tuple[int, int] = (80, 24)) -> list[str]:
    """Return the lines that a terminal which was sent *said* shows, but empty ones."""
    screen = pyte.HistoryScreen(*size, history=10_000)
    pyte.Stream(screen).feed(re.sub(r"\r?\n", "\r\n", said))
    above = ["".join(row[at].data for at in range(size[0])) for row in screen.history.top]
    return [line.rstrip() for line in (*above, *screen.display) if line.strip()]


def need_terminals() -> None:
    """Skip where there are no pseudo-terminals, as in a root without /dev/pts."""
    try:
        ends = pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminals here ({error}): is /dev/pts mounted?")
    for end in ends:
        os.close(end)


def open_terminal(size: tuple[int, int]) -> Ends:
    columns, rows = size
    need_terminals()
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (rows, columns))
    return Ends((theirs, theirs, theirs), {"screen": ours}, os.dup(ours))


class Input:
    """Writes from a thread, so that a program that does not read can't hold up its test."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def write(self, said: bytes) -> None:
        if said:
            self._pieces.put(said)

    def end(self) -> None:
        self._pieces.put(b"")

    def _write(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads any more
            while said := self._pieces.get():
                while said:
                    said = said[os.write(self._handle, said) :]
        os.close(self._handle)


class Output:
    """What came out of one descriptor so far, read by a thread until its end."""

    def __init__(self, handle: int, more: threading.Condition) -> None:
        self.said = bytearray()
        # Of a terminal, for as long as the program is minded: it may be read to its end at once.
        self.terminal = os.dup(handle) if os.isatty(handle) else None
        self._handle = handle
        self._more = more
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def forget_terminal(self) -> None:
        if self.terminal is not None:
            os.close(self.terminal)
            self.terminal = None

    def ended(self, timeout: float = 0) -> bool:
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # a terminal ends with EIO
            while piece := os.read(self._handle, 65536):
                with self._more:
                    self.said += piece
                    self._more.notify_all()
        os.close(self._handle)


class Running:
    """A program under way; leaving its block kills what is left of it."""

    def __init__(self, process: Process, ends: Ends) -> None:
        self.pid = process.pid
        self._process = process
        self._started = time.monotonic()
        self._is_terminal = "screen" in ends.outputs
        self._more = threading.Condition()
        self._outputs = {name: Output(handle, self._more) for name, handle in ends.outputs.items()}
        self._input = None if ends.typed is None else Input(ends.typed)
        self._finished = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._finished:
            self._kill()
            self._process.wait(10)
            self._close()

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    def write(self, said: bytes) -> None:
        """Type on the terminal, or write to the stdin that was started with something (`b""` will do)."""
        assert self._input, "Started without stdin."
        self._input.write(said)

    def end_stdin(self) -> None:
        """No more to read; on a terminal a person types Ctrl-D instead."""
        if self._input and not self._is_terminal:
            self._input.end()

    def wait_for(self, text: str) -> None:
        """Until the program has written *text*, on any of its outputs."""
        wanted = text.encode()
        deadline = time.monotonic() + 60
        with self._more:
            while not any(wanted in output.said for output in self._outputs.values()):
                if time.monotonic() > deadline or self._is_silent():
                    raise AssertionError(f"{text!r} was not written.\n{self._told()}")
                self._more.wait(0.05)

    def finish(self, timeout: float = 60) -> Result:
        """End its stdin and wait for its end; after *timeout* seconds it is killed.

        Raises TimeoutError and AssertionError (a child of it holds its output), with what it said.
        """
        self.end_stdin()
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.__exit__()
            raise TimeoutError(f"still running after {timeout} s.\n{self._told()}") from None
        seconds = time.monotonic() - self._started
        if not self._close():
            self._kill()
            raise AssertionError(f"A process that it left behind holds its output.\n{self._told()}")
        said = {name: bytes(output.said) for name, output in self._outputs.items()}
        texts = [said.get(name, b"").decode(errors="replace") for name in ("stdout", "stderr")]
        return Result(*texts, status, said.get("screen", b""), seconds)

    def _is_silent(self) -> bool:
        # The condition's lock is held, so a thread that has something to add has not ended.
        return all(output.ended() for output in self._outputs.values())

    def _close(self) -> bool:
        self._finished = True
        if self._input:
            self._input.end()
        for output in self._outputs.values():
            output.forget_terminal()
        return all(output.ended(2) for output in self._outputs.values())

    def _kill(self) -> None:
        for kill in (os.killpg, os.kill):  # the group is there only once the run has taken its session
            with contextlib.suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)

    def _told(self) -> str:
        return "\n".join(f"{name}: {bytes(output.said)!r}" for name, output in self._outputs.items())


def on_terminal(command: Sequence[str], environment: Mapping[str, str]) -> Running:
    """Start *command* on a terminal that does not become its controlling one."""
    ends = open_terminal((80, 24))
    streams = dict(zip(("stdin", "stdout", "stderr"), ends.theirs, strict=True))
    process = subprocess.Popen(command, env=environment, **streams)
    os.close(ends.theirs[0])
    return Running(process, ends)
