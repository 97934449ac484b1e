"""Runs the program without paying for its imports: one process loads them once and forks for every run.

    python -P forkserver.py --control FD IMPORT …

Whatever a module reads from the environment
while it is imported was read by the server, not by the run; a test of that, or of what gets imported at all,
needs a cold start.
"""

from __future__ import annotations

import argparse
import atexit
import codecs
import contextlib
import ctypes
import functools
import gc
import importlib
import json
import locale
import os
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
NUMBER = struct.Struct("!i")  # a pid, then a status as subprocess has it (negative: killed by that signal)


class Server:
    """Forks for each request, and tells the pid at once and the status in the end."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.runs: dict[int, socket.socket] = {}  # by pid
        self.woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Until the other end of *control* is gone, and then no run is left behind."""
        try:
            while True:
                ready, _, _ = select.select([self.control, self.woken], [], [])
                if self.woken in ready:
                    self.woken.recv(4096)
                    self._reap()
                if self.control in ready and not self._accept():
                    return
        finally:
            for pid in self.runs:
                _kill(pid)

    def _accept(self) -> bool:
        """Fork for one request: stdin, stdout, stderr and the socket to answer on come as descriptors."""
        said, handles, _, _ = socket.recv_fds(self.control, 1, 4)
        if not said:
            return False
        *stdio, answers = handles
        run = socket.socket(fileno=answers)
        request = _read_line(run)
        signal.pthread_sigmask(signal.SIG_BLOCK, OURS)  # none may reach the run while it is half the server
        pid = os.fork()
        if pid == 0:
            self._leave(run)
            become(request, stdio)
        self.runs[pid] = run
        signal.pthread_sigmask(signal.SIG_UNBLOCK, OURS)
        for handle in stdio:
            os.close(handle)
        with contextlib.suppress(OSError):
            run.sendall(NUMBER.pack(pid))
        return True

    def _leave(self, run: socket.socket) -> None:
        """In the run: let go of everything that is the server's."""
        signal.set_wakeup_fd(-1)
        for one in (run, self.control, self.woken, self._wake, *self.runs.values()):
            one.close()

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                pid, status = ended
                run = self.runs.pop(pid)
                with contextlib.suppress(OSError):  # nobody may be waiting any more
                    run.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
                run.close()


def become(request: dict[str, Any], stdio: list[int]) -> NoReturn:
    """Turn this fork into what a fresh process would be, run the program in it, and end with its status."""
    status = 1
    try:
        _take_session(stdio, terminal=request["tty"])
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        sys.path[:0] = filter(None, request["env"].get("PYTHONPATH", "").split(os.pathsep))
        time.tzset()
        _open_streams()
        _default_signals()
        sys.argv = request["argv"]
        status = _run(request["argv"][0])
    except BaseException:  # noqa: BLE001 - nothing may get back into the server's loop
        traceback.print_exc()
    finally:
        os._exit(status)


def _run(package: str) -> int:
    """What the interpreter does around a main module, down to how it dies of Ctrl-C."""
    status = 0
    try:
        importlib.import_module(f"{package}.__main__").run()
    except SystemExit as end:
        status = _status(end.code)
    except KeyboardInterrupt:
        traceback.print_exc()
        status = -signal.SIGINT
    except BaseException:  # noqa: BLE001 - as the interpreter: show it, and fail
        traceback.print_exc()
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _status(code: object) -> int:
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1


def _take_session(stdio: list[int], *, terminal: bool) -> None:
    os.setsid()
    for number, handle in enumerate(stdio):
        os.dup2(handle, number)
    for handle in stdio:
        os.close(handle)
    if terminal:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _open_streams() -> None:
    """stdin, stdout and stderr as the interpreter opens them for this environment."""
    name = "C"
    with contextlib.suppress(locale.Error):  # a locale that is not installed counts as none
        name = locale.setlocale(locale.LC_CTYPE, "")
    plain = name in ("C", "POSIX")
    encoding = "utf-8" if plain else codecs.lookup(locale.getencoding()).name
    errors = "surrogateescape" if plain or name in ("C.UTF-8", "C.utf8", "UTF-8") else "strict"
    opened = functools.partial(open, encoding=encoding, closefd=False)
    sys.stdin = sys.__stdin__ = opened(0, errors=errors)
    sys.stdout = sys.__stdout__ = opened(1, "w", errors=errors, newline="\n")
    sys.stderr = sys.__stderr__ = opened(2, "w", buffering=1, errors="backslashreplace", newline="\n")


def _default_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for one in (signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP):  # nohup may have started the tests
        signal.signal(one, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, OURS)


def _kill(pid: int) -> None:
    for kill in (os.killpg, os.kill):  # the group is there only once the run has taken its session
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _read_line(run: socket.socket) -> dict[str, Any]:
    said = bytearray()
    while not said.endswith(b"\n"):
        said += run.recv(65536) or b"\n"
    request: dict[str, Any] = json.loads(said)
    return request


def _die_with_parent() -> None:
    """A second way to end, beside the end of *control*: Linux tells when the thread that started us dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--control", type=int, required=True)
    parser.add_argument("--prepare", required=True, help="a file of Python, run once all is imported")
    parser.add_argument("--die-with-parent", action="store_true")
    parser.add_argument("imports", nargs="*")
    given = parser.parse_args()
    if given.die_with_parent:
        _die_with_parent()
    for name in given.imports:
        with contextlib.suppress(ImportError):  # not written yet, or not installed: the run will tell
            importlib.import_module(name)
    runpy.run_path(given.prepare)
    gc.collect()
    gc.freeze()  # else the first collection of every run would touch, and so copy, all of it
    Server(socket.socket(fileno=given.control)).serve()


if __name__ == "__main__":
    main()
