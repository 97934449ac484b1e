"""Many turns at once: clients of one brain, each asking for a find + open in a thread of its own.

    scripts/bench load [sqlite|near|far]… [CLIENTS]…      near, far: Postgres; far: over a line of 20 ms

JARVIS_BENCH_CHECKOUT names another checkout, whose brain is run instead of this one's.
The brain, the twins, the server and the line to it are each a process of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import glob
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bench_times import IS_TRIAL, bare_cpu, ms
from bench_twins import WORDS, OnTwins
from load_databases import BASES, Travelled, database

if TYPE_CHECKING:
    from load_clients import Told

    from tests.postgres import Server

CLIENTS = (1, 8, 32, 64, 200)
_SECONDS = 0 if IS_TRIAL else 6  # that few clients go on asking; many ask once
_MANY = 64
_WARM_UP = 0 if IS_TRIAL else 2  # seconds
_START = 30  # seconds
_BRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "load_brain.py")


class Row(NamedTuple):
    """What one number of clients was told, and what it cost."""

    told: list[Told]
    seconds: float  # until the last one was told
    cpu: float  # seconds of the brain's
    bare: float  # seconds of `python -c pass`
    megabytes: float  # of the brain's, at most
    travelled: Travelled | None  # None: nobody counted

    @property
    def done(self) -> int:
        return sum(told.status == 0 for told in self.told)


def load(arguments: Sequence[str] = ()) -> int:
    """Print a row for each base and number of clients; 1 where a turn failed."""
    if unknown := [each for each in arguments if not is_known(each)]:
        print(f"No such rows: {', '.join(unknown)}. There are {', '.join(BASES)}.", file=sys.stderr)
        return 2
    try:
        with ended_in_order():
            return tabled(arguments)
    except KeyboardInterrupt:
        return 130


def is_known(argument: str) -> bool:
    return argument in BASES or argument.isdecimal()


def tabled(arguments: Sequence[str]) -> int:
    from tests.postgres import Server

    bases = [each for each in arguments if each in BASES] or list(BASES)
    counts = [int(each) for each in arguments if each.isdecimal()] or list(CLIENTS)
    rows: dict[tuple[str, int], Row] = {}
    with Server() as server:
        for count in counts:
            for base in bases:
                rows[base, count] = row = measured(base, count, server)
                tell(base, count, row)
    compare(rows)
    return int(any(row.done < len(row.told) for row in rows.values()))


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """End as on Ctrl-C where somebody else ends us: nothing is to run on."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def measured(base: str, count: int, server: Server) -> Row:
    from load_clients import all_at_once

    with database(base, server) as (url, travelled), Brain(url) as brain:
        asyncio.run(all_at_once(brain.socket, WORDS, 1, _WARM_UP))
        travelled()
        bare, before = statistics.median(bare_cpu() for _ in range(5)), brain.cpu()
        told, seconds = asyncio.run(
            all_at_once(brain.socket, WORDS, count, 0 if count >= _MANY else _SECONDS)
        )
        return Row(told, seconds, brain.cpu() - before, bare, brain.megabytes(), travelled())


def tell(base: str, count: int, row: Row) -> None:
    times = sorted(told.seconds for told in row.told if told.status == 0) or [0.0]
    cpu = row.cpu / max(1, row.done)
    figures = [
        f"{row.done:4} of {len(row.told):<4}",
        f"{row.done / row.seconds:6.2f} turns/s",
        f"CPU{ms(cpu)} {cpu / row.bare:5.2f}x, busy {row.cpu / row.seconds:4.0%}",
        f"p50 {of(times, 0.5):6.2f} s  p99 {of(times, 0.99):6.2f} s",
        f"{row.megabytes:4.0f} MiB",
    ]
    if row.travelled:
        trips, commits = (each / len(row.told) for each in row.travelled)
        figures.append(f"{trips:5.1f} trips  {commits:4.1f} commits")
    print(f"load    {BASES[base]:<15} {count:>3}  {'  '.join(figures)}", flush=True)
    errors = Counter(told.error or f"status {told.status}" for told in row.told if told.status)
    for words, times_told in errors.most_common(3):
        print(f"        {times_told:>3} were told: {words}", flush=True)


def of(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


def compare(rows: dict[tuple[str, int], Row]) -> None:
    """Print what a turn on Postgres takes of the brain's CPU beside one on SQLite."""
    for (base, count), row in rows.items():
        if base == "near" and (beside := rows.get(("sqlite", count))) and row.done and beside.done:
            ratio = (row.cpu / row.done) / (beside.cpu / beside.done)
            print(f"        {count:>3} clients: CPU of a turn on Postgres {ratio:.2f}x that on SQLite")


class Brain(OnTwins):
    """A brain that stays, in a home of its own, on twins of its own."""

    def __init__(self, database_url: str, **more: str) -> None:
        theirs = {"PYTHONPATH": path} if (path := os.environ.get("JARVIS_BENCH_CHECKOUT")) else {}
        self._more = {"DATABASE_URL": database_url, **theirs, **more}

    def __enter__(self) -> Brain:
        with contextlib.ExitStack() as failing:
            self._start()
            failing.callback(self._stop)
            environment = self.environment | {
                "PATH": os.environ["PATH"],
                "HOME": self._home.name,
                "JARVIS_BRAIN_MINUTES": "1",  # should we be killed
                **self._more,
            }
            # Ctrl-C on the terminal is for us alone.
            command = [sys.executable, "-P", _BRAIN]
            self.process = subprocess.Popen(command, env=environment, start_new_session=True)
            failing.callback(self._kill)
            self.socket = self._found()
            failing.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        self._stop()

    def cpu(self) -> float:
        """Seconds that it has used up."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """What it had in memory at most; 0 where it has died."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM")), 0.0)

    def _found(self) -> str:
        """Return the path of its socket, once it listens there."""
        deadline = time.monotonic() + _START
        while not (found := glob.glob(os.path.join(self._home.name, "runtime", "*.sock"))):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("The brain did not start.")
            time.sleep(0.02)
        return found[0]

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait()
