"""Names the terminal that a person sits at, so that each has a thread of its own. Imports next to nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from ..core.text import digest
from ..core.types import TERMINALS

_BOOT = "/proc/sys/kernel/random/boot_id"
_SECONDS = 5.0


def terminal_name(environment: Mapping[str, str]) -> str:
    """Return a name for the terminal whose session this process is in; empty where it is in none.

    It is computed each time: nothing is kept of a terminal.
    """
    if sys.platform == "win32":
        session = environment.get("WT_SESSION", "")  # Windows Terminal makes up another one for each
        return terminal_thread("", "", session, "") if session else ""
    else:  # noqa: RET505 (mypy knows a platform's code by its branch)
        leader = os.getsid(0)
        began = _began(leader) if sys.platform.startswith("linux") else began_by_ps(leader, environment)
        return terminal_thread(os.uname().nodename, _boot(), str(leader), began) if began else ""


def terminal_thread(machine: str, boot: str, session: str, began: str) -> str:
    """Return a thread's name, by which no other terminal ever goes, on this machine or on others.

    boot: of the machine's last start, as the kernel names it; empty where that is not told.
    session: the process that leads the session. began: when that did, since numbers are used again.
    """
    return TERMINALS + digest("\0".join((machine, boot, session, began)))


def _began(leader: int) -> str:
    """Return when process *leader* began, in the kernel's ticks; empty where its session has no terminal.

    Source: proc(5), fields 7 and 22 of /proc/PID/stat.
    """
    try:
        with open(f"/proc/{leader}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].decode().split()  # those behind the program's name
        return fields[19] if fields[4] != "0" else ""  # as setsid and su leave it
    except (OSError, IndexError):
        return ""


def began_by_ps(leader: int, environment: Mapping[str, str], root: str = "/") -> str:
    """Return when process *leader* began, by what `ps` tells; empty where its session has no terminal."""
    from .programs import run_program  # Linux does without

    argv = [os.path.join(root, "bin/ps"), "-o", "tty=,lstart=", "-p", str(leader)]
    fixed = {**environment, "LC_ALL": "C", "TZ": "UTC0"}  # by which the time is written
    told = run_program(argv, fixed, _SECONDS).out.decode("utf-8", "replace")
    terminal, _, began = told.strip().partition(" ")
    return "" if terminal.startswith("?") else began.strip()


def _boot() -> str:
    try:
        with open(_BOOT, "rb") as file:
            return file.read().decode()
    except OSError:  # not Linux
        return ""
