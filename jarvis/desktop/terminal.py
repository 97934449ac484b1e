"""Names the terminal that a person sits at, so that each has a thread of its own. Imports next to nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from ..core.processes import digest, process_of

_BOOT = "/proc/sys/kernel/random/boot_id"
_SECONDS = 5.0


def terminal_name(environment: Mapping[str, str]) -> str:
    """Return a name for the terminal whose session this process is in; empty where it is in none.

    It is computed, so nothing is kept, and no other terminal ever gets it: a session is told from one that
    had its number before by when its leader began, a machine by its name and its last start.
    """
    if sys.platform == "win32":
        session = environment.get("WT_SESSION", "")  # Windows Terminal makes up a new one for each
    else:
        session = _session(os.getsid(0), environment)
    return f"tty-{digest(session)}" if session else ""


def _session(leader: int, environment: Mapping[str, str]) -> str:
    """Return what tells the session that *leader* leads from any other; empty where it has no terminal."""
    if sys.platform.startswith("linux"):
        found = process_of(leader)
        since = found.began if found.terminal != "0" else ""  # as su and setsid leave it
    else:
        since = listed(leader, environment)
    return f"{os.uname().nodename}\0{_boot()}\0{leader} {since}" if since else ""


def listed(pid: int, environment: Mapping[str, str]) -> str:
    """Return when process *pid* began, as `ps` tells it; empty where it has no terminal."""
    from .programs import run_program  # Linux does without

    fixed = {**environment, "LC_ALL": "C", "TZ": "UTC0"}  # by which the time is written
    told = run_program(["/bin/ps", "-o", "tty=,lstart=", "-p", str(pid)], fixed, _SECONDS).out.decode()
    terminal, _, since = told.strip().partition(" ")
    return "" if terminal.startswith("?") else since.strip()


def _boot() -> str:
    try:
        with open(_BOOT, "rb") as file:
            return file.read().decode()
    except OSError:  # not Linux
        return ""
