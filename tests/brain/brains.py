"""A home where requests are served by the brain that stays."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from jarvis.brain.connection import PATIENCE
from tests.cli.test_program import alive
from tests.shell import Shell, wait_until

PACKAGE = Path(__file__).parents[2] / "jarvis"
MIT = "https://web.mit.edu/"
MUNICH = "https://xn--mnchen-3ya.example/"
SEARCH = {"action": "search", "query": "MIT official website"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
OPEN = {"action": "open_website", "address": "u1", "finish": True}
FIRST = {"action": "open_website", "address": "r1", "finish": True}
ON = {"JARVIS_BRAIN": "on"}
LONG = 3 * PATIENCE  # seconds: a machine with other work to do may take that, and no hang is that short


class Resident(Shell):
    """A home where requests are served by the brain that stays."""

    def program(self, **environment):
        return super().program(**{**ON, **environment})

    @property
    def runtime(self) -> Path:
        return self.home / "jarvis" / "runtime"

    @property
    def brains(self) -> list[int]:
        """Their processes: those that hold a lock."""
        said = [lock.read_text().split() for lock in self.runtime.glob("*.lock")]
        pids = [int(words[0]) for words in said if words]
        return [pid for pid in pids if alive(pid) and b"--resident" in command_of(pid)]

    def start_brain(self) -> int:
        """The brain, once it has served a turn."""
        self.gemini.plans(HELLO)
        assert self.jarvis("are you there now?", timeout=60).stdout == "Hello.\n"
        (pid,) = self.brains
        return pid

    def stop(self) -> None:
        for pid in self.brains:
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.brains)


def in_thread(name):
    """What has to be asked about, in a thread of its own: there the first address that is found is r1."""
    return "-t", name, "find the ticket shop and open it"


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def turns(shell, thread=""):
    return shell.turns(thread)


def connect(end, path):
    """By way of its folder, since a test's own path may be too long for a socket."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        end.connect(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
