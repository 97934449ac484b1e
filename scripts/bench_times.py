"""What a process takes, and how several compare: measured turn about, by their medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

RUNS = int(os.environ.get("JARVIS_BENCH_RUNS", "20"))
IS_TRIAL = RUNS == 1  # of the bench itself: nothing is filled up or warmed up, and no figure means much

Figures: TypeAlias = Mapping[str, float]  # seconds, by what they are of; CPU where the name says so
Measure: TypeAlias = Callable[[], Figures]


class Used(NamedTuple):
    """What a whole process took."""

    cpu: float  # seconds, as wall
    wall: float


def used(command: Sequence[str], environment: Mapping[str, str]) -> Used:
    """Run *command* to its end. Raises AssertionError with what it said, where it fails."""
    quiet = subprocess.DEVNULL
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, text=True
    )
    with process.stderr:
        said = process.stderr.read()
    _, status, taken = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return Used(taken.ru_utime + taken.ru_stime, time.perf_counter() - began)


def compare(bench: str, *sides: Measure) -> None:
    """Print what the first of *sides* measures, as ratios to bare Python and to the other, if any."""
    here, *beside, bare = in_turn(*sides, _bare)
    for name, seconds in here.items():
        ratio = seconds / bare["CPU" if "CPU" in name else "wall"]
        to_other = "".join(f"   {seconds / other[name]:5.2f}x beside" for other in beside)
        print(f"{bench:<7} {name:<46} {ms(seconds)}  {ratio:5.2f}x{to_other}", flush=True)


def in_turn(*sides: Measure) -> list[dict[str, float]]:
    """Return the medians of each side; they are measured turn about, so that all see the same machine."""
    rounds = [[measure() for measure in sides] for _ in range(RUNS)]
    return [_medians(measured) for measured in zip(*rounds, strict=True)]


def ms(seconds: float) -> str:
    return f"{seconds * 1000:7.1f} ms"


def cpu_of(pid: int) -> float:
    """Return the seconds that a running process has used up, to the nanosecond."""
    return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) makes it


def _medians(measured: Sequence[Figures]) -> dict[str, float]:
    return {name: statistics.median(figures[name] for figures in measured) for name in measured[0]}


def _bare() -> Figures:
    taken = used([sys.executable, "-c", "pass"], dict(os.environ))
    return {"CPU": taken.cpu, "wall": taken.wall}
