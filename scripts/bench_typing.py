"""How soon a chat shows what is typed: while its brain loads, beside when nothing else goes on."""

from __future__ import annotations

import os
import select
import statistics
import subprocess
import termios
import time
from collections.abc import Sequence

from bench_times import JARVIS, RUNS, ms
from bench_twins import Resident

_KEYS = 40  # at a quick typist's pace, this takes less time than the brain's imports
_PACE = 0.03  # seconds between two of them
_CURSOR = b"\x1b[6n"  # a question to the terminal, which is answered


class Chat:
    """A chat on a terminal, whose brain begins to load with it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        self._process = subprocess.Popen(
            [*JARVIS, "chat"], env=environment, start_new_session=True, **streams
        )
        os.close(theirs)
        self._until(b">", 30)

    def typed(self, count: int) -> list[float]:
        """Seconds until each of that many keys was shown; what was typed is taken away again."""
        times = [self._shown(b"abcdefghij"[n % 10 : n % 10 + 1]) for n in range(count)]
        os.write(self._ours, b"\x15")  # Ctrl-U
        self._drain(0.3)
        return times

    def rest(self, seconds: float) -> None:
        self._drain(seconds)

    def leave(self) -> None:
        os.write(self._ours, b"\x04")
        while self._process.poll() is None:
            self._drain(0.1)
        os.close(self._ours)

    def _shown(self, key: bytes) -> float:
        began = time.perf_counter()
        os.write(self._ours, key)
        self._until(key, 10)
        seconds = time.perf_counter() - began
        self._drain(_PACE)
        return seconds

    def _until(self, text: bytes, seconds: float) -> None:
        said, deadline = b"", time.perf_counter() + seconds
        while text not in said:
            assert time.perf_counter() < deadline, f"{text!r} was not shown"
            said += self._read(0.5)

    def _drain(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._read(left)

    def _read(self, seconds: float) -> bytes:
        if not select.select([self._ours], [], [], seconds)[0]:
            return b""
        try:
            piece = os.read(self._ours, 65536)
        except OSError:  # it has left
            return b""
        if _CURSOR in piece:
            os.write(self._ours, b"\x1b[1;1R")
        return piece


def typing() -> None:
    loading: list[float] = []
    idle: list[float] = []
    for _ in range(max(2, RUNS // 3)):
        with Resident() as resident:
            chat = Chat(resident.environment)
            loading += chat.typed(_KEYS)
            chat.rest(8)
            idle += chat.typed(_KEYS)
            chat.leave()
    for name, times in (("while the brain loads", loading), ("with nothing else to do", idle)):
        print(f"typing  {name:<24} half within {ms(statistics.median(times))}, 99 % {ms(p99(times))}")
    print(f"        99 % of the keys: {p99(loading) / p99(idle):.2f}x")


def p99(times: Sequence[float]) -> float:
    return sorted(times)[round(0.99 * (len(times) - 1))]
