"""Names the terminal that a person sits at, so that each has a thread of its own. Imports next to nothing."""

import os
import sys
from collections.abc import Mapping

from ..core.text import digest
from ..core.types import DEFAULT_THREAD, TERMINALS
from . import read_text

if sys.platform != "win32" and not sys.platform.startswith("linux"):
    from .running import began_by_ps

_BOOT = "/proc/sys/kernel/random/boot_id"


def own_thread(environment: Mapping[str, str], has_terminal: bool) -> str:
    """Return the thread of the terminal that a line is given on; without one, the default."""
    return (has_terminal and terminal_name(environment)) or DEFAULT_THREAD


def terminal_name(environment: Mapping[str, str]) -> str:
    """Return a name for the terminal whose session this process is in; empty where it is in none.

    It is computed each time: nothing is kept of a terminal.
    """
    if sys.platform == "win32":
        session = environment.get("WT_SESSION", "")  # Windows Terminal makes up another one for each
        return terminal_thread("", "", session, "") if session else ""
    else:  # noqa: RET505 (mypy knows a platform's code by its branch)
        leader = os.getsid(0)
        if sys.platform.startswith("linux"):
            began = _began(leader)
        else:
            began = began_by_ps(leader, environment)
        return terminal_thread(os.uname().nodename, read_text(_BOOT), str(leader), began) if began else ""


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
    fields = read_text(f"/proc/{leader}/stat").rpartition(")")[2].split()  # those behind the program's name
    return fields[19] if fields[4:5] not in ([], ["0"]) else ""  # 0: as setsid and su leave it
