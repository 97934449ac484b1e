"""The whole program as a process: what a person at a terminal, or a script on a pipe, would get.

    program = Program(tmp_path, {"GOOGLE_GEMINI_BASE_URL": twin.url})
    done = program.run("hello")
    assert (done.status, done.stdout) == (0, "Hello.\n")

A run is forked off a process that has the imports already (forkserver.py); cold=True starts a real one.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import jarvis

from .forkserver import NUMBER
from .running import Result, Running, open_pipes, open_terminal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What a run may load in the end: all of ours, which loads most of the libraries, and what the first call of
# the model loads.
HEAVY = (
    *(name for _, name, _ in pkgutil.walk_packages(jarvis.__path__, "jarvis.") if name[-8:] != "__main__"),
    *("typer._completion_classes", "langgraph.checkpoint.sqlite.aio", "langgraph.checkpoint.memory"),
    *("httpcore", "anyio._backends._asyncio", "google.auth.aio.credentials", "encodings.punycode"),
    *("langchain_core.tracers.run_collector", "langchain_core.messages.block_translators.langchain_v0"),
    *("langchain_core.tracers.context", "langchain_core.tracers.stdout"),
)
FIRST_TURN = os.path.join(os.path.dirname(__file__), "first_turn.py")
AUTHORITIES = os.environ.get("SSL_CERT_FILE", "")  # few, in the tests: see conftest.py
STARTING = threading.Lock()  # two threads may run their first program at the same time
# A controlling terminal has to be taken by the new process itself; exec leaves nothing of this behind.
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Forked:
    """A run of the fork server, with the face of a Popen."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers = answers
        self._status: int | None = None
        self.pid = self._number()

    def wait(self, timeout: float) -> int:
        if self._status is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a forked run", timeout)
            self._status = self._number()
            self._answers.close()
        return self._status

    def _number(self) -> int:
        said = self._answers.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(said) < NUMBER.size:
            raise ConnectionError("The fork server has ended; what it had to say is on stderr.")
        return int(NUMBER.unpack(said)[0])


class ForkServer:
    """One warm process to fork from. It ends with us, however we end."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        script = os.path.join(os.path.dirname(__file__), "forkserver.py")
        command = [sys.executable, "-P", script, "--control", str(theirs.fileno())]
        command += ["--prepare", FIRST_TURN]
        if threading.current_thread() is threading.main_thread():
            command.append("--die-with-parent")
        with theirs:
            self._process = subprocess.Popen(
                [*command, *HEAVY],
                env=_plain_environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # so that Ctrl-C on the tests leaves the orderly end to us
            )
        self.pid = self._process.pid

    def start(self, request: dict[str, object], stdio: Sequence[int]) -> Forked:
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as undo:
            undo.callback(ours.close)
            with self._lock:
                socket.send_fds(self._control, [b"!"], [*stdio, theirs.fileno()])
            ours.sendall(json.dumps(request).encode() + b"\n")
            undo.pop_all()
        return Forked(ours)

    def stop(self) -> None:
        self._control.close()
        self._process.wait(10)


@functools.cache
def _shared_server() -> ForkServer:
    server = ForkServer()
    atexit.register(server.stop)
    return server


def shared_server() -> ForkServer:
    """The one of this worker, started by the first run and stopped with the worker."""
    with STARTING:
        return _shared_server()


class Program:
    """The program with a home of its own: nothing of our environment reaches it but PATH and what is given.

    package_root: the folder of a copy of the package to run instead; such a run is always cold.
    within: a command whose last arguments are to be the program's own, a shell's say; always cold too.
    """

    def __init__(
        self,
        home: Path,
        env: Mapping[str, str] | None = None,
        *,
        package: str = "jarvis",
        package_root: Path | None = None,
        within: Sequence[str] = (),
    ) -> None:
        self.home = home
        self.package = package
        self.within = within
        self.always_cold = package_root is not None or bool(within)
        self.env = _plain_environment() | {"HOME": str(home), "JARVIS_HOME": str(home / "jarvis")}
        self.env |= {"PYTHONPATH": str(package_root)} if package_root else {}
        self.env |= dict(env or {})
        if package == "jarvis":  # a brain that stays is for the tests that are about it
            self.env.setdefault("JARVIS_BRAIN", "off")
            self.env |= {"SSL_CERT_FILE": AUTHORITIES} if AUTHORITIES else {}

    def run(self, *argv: str, timeout: float = 120, **how: Any) -> Result:
        """Run it to its end, started as *how* says."""
        with self.start(*argv, **how) as running:
            return running.finish(timeout)

    def start(
        self,
        *argv: str,
        stdin: str | bytes | int | None = None,
        tty: bool = False,
        cold: bool = False,
        cwd: Path | None = None,
        size: tuple[int, int] = (80, 24),
    ) -> Running:
        """Start it and return at once.

        stdin: what is written there first (typed, on a terminal); it stays open for more. A number: the
        descriptor that it is. None: an empty one.
        """
        said = stdin.encode() if isinstance(stdin, str) else None if isinstance(stdin, int) else stdin
        ends = open_terminal(size) if tty else open_pipes(with_stdin=said is not None)
        if isinstance(stdin, int):
            os.dup2(stdin, ends.theirs[0])
        start = self._start_cold if cold or self.always_cold else self._start_forked
        try:
            process = start(argv, ends.theirs, tty, str(cwd or self.home))
        except OSError:
            ends.close_ours()
            raise
        finally:
            for handle in set(ends.theirs):
                os.close(handle)
        running = Running(process, ends)
        if said:
            running.write(said)
        return running

    def _start_forked(self, argv: Sequence[str], stdio: Sequence[int], tty: bool, cwd: str) -> Forked:
        request = {"argv": [self.package, *argv], "env": self.env, "cwd": cwd, "tty": tty}
        return shared_server().start(request, stdio)

    def _start_cold(
        self, argv: Sequence[str], stdio: Sequence[int], tty: bool, cwd: str
    ) -> subprocess.Popen[bytes]:
        command = [*self.within, sys.executable, "-P", "-m", self.package, *argv]
        if tty:
            command = [sys.executable, "-I", "-S", "-c", TAKE_TERMINAL, *command]
        streams = dict(zip(("stdin", "stdout", "stderr"), stdio, strict=True))
        # The tests may have been started with Ctrl-C or a hangup ignored, which a new program would inherit.
        is_main = threading.current_thread() is threading.main_thread()
        ignored = [n for n in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_IGN]
        for number in ignored if is_main else ():
            signal.signal(number, signal.SIG_DFL)
        try:
            return subprocess.Popen(command, env=self.env, cwd=cwd, start_new_session=True, **streams)
        finally:
            for number in ignored if is_main else ():
                signal.signal(number, signal.SIG_IGN)


def _plain_environment() -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "TZ": "UTC",
    }
