"""Tells a process of this machine from any other there ever was, as far as the kernel tells."""

from __future__ import annotations

from typing import NamedTuple


class Process(NamedTuple):
    """What /proc tells of a process; empty texts where it tells nothing."""

    terminal: str = ""  # the number of the one that controls it; 0: none does
    began: str = ""  # in the kernel's ticks
    is_dead: bool = False  # it has ended, and nobody has asked yet how


def process_of(pid: int) -> Process:
    """Return what is known of process *pid*. Source: proc(5), fields 3, 7 and 22 of /proc/PID/stat."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].decode().split()  # those behind the program's name
        return Process(fields[4], fields[19], fields[0] in ("Z", "X"))
    except (OSError, IndexError):
        return Process()


def began(pid: int) -> str:
    """Return when process *pid* began; empty where that is not known, or it is dead."""
    process = process_of(pid)
    return "" if process.is_dead else process.began
