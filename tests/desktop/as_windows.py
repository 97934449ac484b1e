"""Runs Jarvis in a Python from which all that Windows lacks was taken: python as_windows.py LOG ARGV…

Its programs and its way to lock are played by functions that note in LOG what they are given. What Windows
does with it, this can't show. Ends with the folder for pictures and the modules of ours that were loaded.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile  # noqa: F401 (as subprocess: Python's own is another one on Windows)
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

POSIX_ALONE = {
    os: """
        O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH WNOHANG chown fchdir fchmod fork forkpty
        getegid geteuid getgid getpgid getsid getuid initgroups kill killpg lchown mkfifo nice openpty
        pidfd_open pread posix_spawn posix_spawnp pwrite setsid sync uname wait
    """,
    select: "poll epoll",
    signal: "SIGHUP SIGQUIT SIGPIPE SIGKILL SIGCHLD SIGALRM SIGUSR1 alarm setitimer pthread_sigmask",
}
MODULES = "fcntl grp posix pty pwd readline resource syslog termios tty".split()


def take_away() -> None:
    for module, names in POSIX_ALONE.items():
        for name in names.split():
            if hasattr(module, name):  # not on every Unix
                delattr(module, name)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  (so that to import it fails)
    for name in ("fstat", "lstat", "stat"):
        setattr(os, name, ownerless(getattr(os, name)))
    sys.platform, os.name = "win32", "nt"


def ownerless(real: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
    """Return *real*, by which all files belong to 0, as Windows says of every one."""

    def told(*where: object, **how: object) -> os.stat_result:
        kind, (values, more) = real(*where, **how).__reduce__()
        return kind((*values[:4], 0, 0, *values[6:]), more)

    return told


def put_in(log: str) -> None:
    def locking(descriptor: int, mode: int, count: int) -> None:
        note(log, "lock", count)

    msvcrt = types.ModuleType("msvcrt")
    msvcrt.__dict__.update(locking=locking, LK_NBLCK=2)
    sys.modules["msvcrt"] = msvcrt


def play_programs(log: str) -> None:
    def run(argv: list[str], **_how: object) -> subprocess.CompletedProcess[bytes]:
        note(log, "run", os.path.basename(argv[0]), argv[-1])
        return subprocess.CompletedProcess(argv, 0)

    subprocess.run = run  # type: ignore[assignment]


def note(log: str, *what: object) -> None:
    with open(log, "a") as file:
        print(*what, file=file)


if __name__ == "__main__":
    take_away()
    put_in(sys.argv[1])
    play_programs(sys.argv[1])
    from jarvis.__main__ import main

    status = main(sys.argv[2:])
    loaded = sorted(name for name in sys.modules if name.startswith("jarvis."))
    from jarvis.desktop.desktop import own_platform

    print(own_platform(os.environ).pictures(), *loaded, sep="\n", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
