"""What a whole process takes: seconds of CPU, seconds on the wall, memory."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JARVIS = [sys.executable, "-P", "-m", "jarvis"]
RUNS = int(os.environ.get("JARVIS_BENCH_RUNS", "15"))
IS_TRIAL = RUNS == 1  # of the bench itself: nothing is filled up or warmed up, and no figure means much

_TIMED = """
import os, sys, time
began = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - began
print(status, used.ru_utime + used.ru_stime, wall, used.ru_maxrss, file=sys.stderr)
"""


def whole(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Seconds of CPU, seconds on the wall and MiB at most of a whole process.

    By way of a small process: what is forked from a big one is counted as big as that.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _TIMED, *command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    status, cpu, wall, memory = done.stderr.splitlines()[-1].split()
    assert status == "0", done.stderr
    return float(cpu), float(wall), int(memory) / 1024


def bare_cpu() -> float:
    return bare_times()[0]


def bare_times() -> tuple[float, float]:
    return process_times([sys.executable, "-c", "pass"], dict(os.environ))


def process_times(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of a whole process: of CPU, as the kernel counted them, and on the clock."""
    began = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - began


def ms(seconds: float) -> str:
    return f"{seconds * 1000:7.1f} ms"


def medians(times: Sequence[Sequence[float]]) -> list[float]:
    return [statistics.median(values) for values in zip(*times, strict=True)]
