"""Many turns at once: clients of one brain, each asking for a find + open in a thread of its own.

    scripts/bench load [sqlite|near|far]… [CLIENTS]…      near, far: Postgres; far: over a line of 20 ms

JARVIS_BENCH_CHECKOUT names another checkout, whose brain is run instead of this one's.
The brain, the twins, the server and the line to it are each a process of their own. The clients are all in
this one: they speak the brain's protocol, open nothing, and say that they did.
"""

from __future__ import annotations

import asyncio
import contextlib
import glob
import itertools
import multiprocessing
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NamedTuple

from bench_times import IS_TRIAL, bare_cpu, ms
from bench_twins import WORDS, OnTwins

from jarvis.actions import FIND_APPS
from jarvis.brain import protocol
from jarvis.brain.client import PATIENCE
from jarvis.core.types import Options, Outcome, Performed

if TYPE_CHECKING:
    from tests.postgres import Server

BASES = {"sqlite": "SQLite", "near": "Postgres, near", "far": "Postgres, 20 ms"}
AWAY = 0.02  # seconds that a round trip takes longer

Travelled = tuple[int, int]  # round trips and commits

CLIENTS = (1, 8, 32, 64, 200)
_SECONDS = 0 if IS_TRIAL else 6  # that few clients go on asking; many ask once
_MANY = 64
_WARM_UP = 0 if IS_TRIAL else 2  # seconds
_START = 30  # seconds
_NO_ROOM = 0.02  # seconds until a socket with no room for one more to wait may have some
# Start a brain as the program does, but under the name that its environment gives it.
_BRAIN = """
import os, sys
from jarvis.brain.__main__ import serve
from jarvis.brain.address import place_of
if __name__ == "__main__":
    sys.argv[1:] = [place_of(os.environ).name]
    serve()
"""


class Told(NamedTuple):
    """What one client was told of its turn."""

    thread: str
    status: int  # the turn's exit status; -1: its end was never told
    seconds: float
    error: str  # the last line on stderr, but for hints
    acts: int  # that it did


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
            command = [sys.executable, "-P", "-c", _BRAIN]
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


@contextlib.contextmanager
def database(base: str, server: Server) -> Iterator[tuple[str, Callable[[], Travelled | None]]]:
    """Yield the URL of a new database, and what counts what went there since it was called last."""
    if base == "sqlite":
        yield "", lambda: None
        return
    url = server.url(server.database())
    if base == "near":
        yield url, lambda: None
        return
    context = multiprocessing.get_context("spawn")
    pipe, there = context.Pipe()
    line = context.Process(target=carry, args=(there, url, AWAY), daemon=True)
    line.start()
    there.close()

    def travelled() -> Travelled:
        pipe.send(None)
        return pipe.recv()

    try:
        yield pipe.recv(), travelled
    finally:
        pipe.close()
        line.join()


def carry(there: Connection, url: str, seconds: float) -> None:
    """Be the line to a server, until whoever started us lets go of the pipe, or dies."""
    from tests.far import Far

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Far(url, seconds) as far, contextlib.suppress(EOFError, ConnectionError):
        there.send(far.url)
        while True:
            there.recv()
            counted = far.counted()
            there.send((counted.trips, counted.commits))


async def all_at_once(path: str, words: str, count: int, seconds: float) -> tuple[list[Told], float]:
    """Have *count* clients ask, each in its own thread; return what they were told, and how long all took.

    Each asks again until *seconds* have passed; 0: once.
    """
    met = [await _met(path) for _ in range(count)]
    began = time.perf_counter()
    clients = [_client(path, one, words, f"client-{n}", began + seconds) for n, one in enumerate(met, 1)]
    told = await asyncio.gather(*clients)
    return list(itertools.chain(*told)), time.perf_counter() - began


async def _client(path: str, met: Line | Told, words: str, thread: str, until: float) -> list[Told]:
    told = []
    while True:
        told.append(met._replace(thread=thread) if isinstance(met, Told) else await met.turn(words, thread))
        if time.perf_counter() >= until:
            return told
        met = await _met(path)


async def _met(path: str) -> Line | Told:
    """Return a brain that is ready to be asked, or what the client is told where there is none."""
    try:
        brain = Line(*await _connected(path))
        while not isinstance(message := await brain.heard(), protocol.Ready):
            if isinstance(message, protocol.Failed):
                brain.hang_up()
                return Told("", message.exit_status, 0, message.message, 0)
        return brain
    except (OSError, EOFError) as error:
        return Told("", -1, 0, f"no brain: {error!r}", 0)


async def _connected(path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    ours = socket.socket(socket.AF_UNIX)
    ours.setblocking(False)
    while True:
        try:
            ours.connect(path)  # at once or not at all; asyncio takes "no room" for "in a moment"
            return await asyncio.open_unix_connection(sock=ours, limit=protocol.LONGEST)
        except BlockingIOError:
            await asyncio.sleep(_NO_ROOM)


class Line:
    """A client's line to the brain."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._acts = 0
        self._error = ""

    async def turn(self, words: str, thread: str) -> Told:
        """Ask for a turn, and hang up."""
        began = time.perf_counter()
        try:
            self._writer.write(protocol.encode(_ask(words, thread)))
            status = await self._ended()
        except (OSError, EOFError) as error:
            status, self._error = -1, self._error or f"no answer: {error!r}"
        self.hang_up()
        return Told(thread, status, time.perf_counter() - began, self._error, self._acts)

    async def _ended(self) -> int:
        while True:
            match message := await self.heard():
                case protocol.Ended():
                    return message.exit_status
                case protocol.Failed():
                    self._error = message.message
                    return message.exit_status
                case protocol.Print("err", [text]) if not text.lstrip().startswith("hint:"):
                    self._error = text
                case protocol.Act():
                    done = Performed(message.n, message.action, message.target, self._did(message))
                    self._writer.write(protocol.encode(protocol.Did(done.as_record())))

    def _did(self, act: protocol.Act) -> Outcome:
        if act.action == FIND_APPS:  # asks for nothing to be done: there are none
            return Outcome("done", "", value="[[], true]")
        self._acts += 1
        return Outcome("done", "Sent to the browser.", part=act.part)

    async def heard(self) -> protocol.Message:
        """Return its next message. Raises EOFError and OSError, also where it is silent for too long."""
        async with asyncio.timeout(PATIENCE):
            line = await self._reader.readuntil(b"\n")
        return protocol.decode(line)

    def hang_up(self) -> None:
        self._writer.close()


def _ask(words: str, thread: str) -> protocol.Ask:
    """Return the request of a program's pipe."""
    values = dict.fromkeys(protocol.Ask._fields, "")
    values |= {name: False for name, kind in protocol.Ask.__annotations__.items() if kind is bool}
    more = {"own": words, "thread": thread, "width": 80, "options": Options()._asdict(), "did": []}
    return protocol.Ask(**values | more)
