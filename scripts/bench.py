"""Figures side by side, as ratios to `python -c pass` in the same run: machines differ and are noisy.

turn     a warm find + open turn with a full window of 40 messages, on twins that answer at once
growth   turn 3,000 of a thread beside turn 100, in CPU and in bytes, on both databases
plain    the commands that need no model, each as a whole process
typing   how soon a chat shows what is typed while its brain loads
asks     how often the person is asked or refused what they asked for in ordinary words
peers    small talk, beside other assistants of the terminal, which are installed for it
warm     find + open as a whole process, done by the brain that stays; and how soon it says something
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
import re
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "scripts")]

JARVIS = [sys.executable, "-P", "-m", "jarvis"]
RUNS = int(os.environ.get("JARVIS_BENCH_RUNS", "15"))
IS_TRIAL = RUNS == 1  # of the bench itself: nothing is filled up or warmed up, and no figure means much
MIT = "https://web.mit.edu/"
WORDS = "find the MIT website and open it"
SMALL_TALK = "hello there"


def main(argv: Sequence[str]) -> int:
    benches = {"turn": turn, "growth": growth, "plain": plain, "warm": warm, "typing": typing, "asks": asks}
    benches["peers"] = peers
    wanted = argv or list(benches)
    if unknown := set(wanted) - set(benches):
        print(
            f"No such bench: {', '.join(sorted(unknown))}. There are {', '.join(benches)}.", file=sys.stderr
        )
        return 2
    for name in wanted:
        benches[name]()
    return 0


def asks() -> None:
    import bench_asks

    bench_asks.asks()


def typing() -> None:
    import bench_typing

    bench_typing.typing()


def peers() -> None:
    import bench_peers

    bench_peers.peers()


def turn() -> None:
    before = time.process_time()
    with_stack = Bench()
    imports = time.process_time() - before
    with with_stack as bench:
        bench.turns(0 if IS_TRIAL else 20)  # fills the window and warms up
        # Turn about, so that both see the same machine.
        pairs = [(bench.turn_with_full_window(), bare_cpu()) for _ in range(RUNS)]
    cpu, bare = (statistics.median(values) for values in zip(*pairs, strict=True))
    print(f"turn    find + open, warm, 40 messages   {ms(cpu)}  {cpu / bare:5.2f}x")
    print(f"        the imports before it            {ms(imports)}  {imports / bare:5.2f}x")
    print(f"        python -c pass                   {ms(bare)}   1.00x   (CPU, medians of {RUNS})")


def growth() -> None:
    from tests.postgres import Server

    grown("SQLite  ", "")
    with Server() as server:
        grown("Postgres", server.url(server.database()))


def grown(name: str, database_url: str) -> None:
    """Turn 3,000 of a thread beside turn 100, in CPU and in bytes: each finds ten new addresses.

    The turns between are written by history itself, with rows like those of the turns that are measured.
    """
    with Bench(database_url) as bench:
        bench.turns(10)
        bench.fill(100 - 10 - RUNS)
        early = bench.measured(RUNS)
        bench.fill(3000 - 100 - RUNS)
        late = bench.measured(RUNS)
    for what, at in (("turn   100", early), ("turn 3,000", late)):
        print(f"growth  {name}  {what}   {ms(at[0])}   {at[1]:7.0f} bytes of history a turn")
    print(f"        {name}  CPU {late[0] / early[0]:.2f}x, bytes {late[1] / early[1]:.2f}x")


def plain() -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "JARVIS_HOME": home, "BROWSER": "true"}
        for argv in (["open", "example.org"], ["open", "youtube"], ["--help"], ["--version"]):
            command = [sys.executable, "-P", "-m", "jarvis", *argv]
            process_times(command, environment)
            pairs = [(process_times(command, environment), bare_times()) for _ in range(RUNS)]
            ours, bare = (
                list(map(statistics.median, zip(*each, strict=True))) for each in zip(*pairs, strict=True)
            )
            ratios = f"{ours[0] / bare[0]:5.2f}x, wall {ours[1] / bare[1]:5.2f}x"
            print(f"plain   jarvis {' '.join(argv):<20}      {ms(ours[0])}  {ratios}")


def medians(times: Sequence[tuple[float, float]]) -> list[float]:
    return [statistics.median(values) for values in zip(*times, strict=True)]


def warm() -> None:
    """Each beside a bare start of the same moment. Memory is what each had at most, and the brain has now."""
    with Resident() as resident:
        first = resident.feedback()
        resident.request()  # by the brain that was started for the first one
        for _ in range(0 if IS_TRIAL else 12):  # until the window is full
            resident.request()
        pairs = [(resident.request(), whole([sys.executable, "-c", "pass"], {})) for _ in range(RUNS)]
        ours, bare = (medians(side) for side in zip(*pairs, strict=True))
        brain = resident.brain_megabytes()
    print(f"warm    find + open, the client's CPU    {ms(ours[0])}  {ours[0] / bare[0]:5.2f}x")
    print(f"        the whole, on the wall           {ms(ours[1])}  {ours[1] / bare[1]:5.2f}x")
    print(f"        memory: client {ours[2]:.1f} MiB, brain {brain:.1f} MiB, bare {bare[2]:.1f} MiB")
    print(f"        the first word of a cold start   {ms(first)}  {first / bare[1]:5.2f}x")


class OnTwins:
    """A home, and twins that run in a process of their own, so that their CPU isn't ours."""

    def _start(self) -> None:
        self._home = tempfile.TemporaryDirectory()
        self._pipe, there = multiprocessing.get_context("spawn").Pipe()
        self._twins = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
        self._twins.start()
        there.close()
        gemini, serpapi = self._pipe.recv()
        self.environment = {
            "JARVIS_HOME": self._home.name,
            "GOOGLE_API_KEY": "key",
            "SERPAPI_API_KEY": "key",
            "GOOGLE_GEMINI_BASE_URL": gemini,
            "SERPAPI_BASE_URL": serpapi,
        }
        write_limits(self._home.name)

    def _stop(self) -> None:
        self._pipe.close()
        self._twins.join()
        self._home.cleanup()


class Resident(OnTwins):
    """A home whose requests are done by a brain that stays."""

    def __enter__(self) -> Resident:
        self._start()
        self.environment |= {
            "PATH": os.environ["PATH"],
            "HOME": self._home.name,
            "BROWSER": "true",
            "TERM": "xterm",
            "JARVIS_BRAIN": "on",
        }
        return self

    def __exit__(self, *_: object) -> None:
        stop = [*JARVIS, "brain", "stop"]
        subprocess.run(stop, env=self.environment, stdout=subprocess.DEVNULL, check=False)
        self._stop()

    def request(self) -> tuple[float, float, float]:
        """Seconds of CPU, seconds on the wall and MiB of a client."""
        return whole([*JARVIS, WORDS], self.environment)

    def feedback(self) -> float:
        """Seconds until a request on a terminal says something, where no brain is there yet."""
        ours, theirs = os.openpty()
        began = time.perf_counter()
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        client = subprocess.Popen([*JARVIS, WORDS], env=self.environment, **streams)
        os.close(theirs)
        os.read(ours, 1)
        seconds = time.perf_counter() - began
        while client.poll() is None:
            if select.select([ours], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # its end
                    os.read(ours, 4096)
        os.close(ours)
        return seconds

    def brain_megabytes(self) -> float:
        """What the brain has in memory; 0 where the system does not tell."""
        from jarvis.brain.place import Place, holder

        folder = os.path.join(self._home.name, "runtime")
        names = [name.removesuffix(".lock") for name in os.listdir(folder) if name.endswith(".lock")]
        pids = [pid for name in names if (pid := holder(Place(folder, name)))]
        try:
            with open(f"/proc/{pids[0]}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
        except OSError:
            return 0.0


class Bench(OnTwins):
    """A warm Jarvis in this process."""

    def __init__(self, database_url: str = "") -> None:
        self._database_url = database_url
        from langchain_google_genai import ChatGoogleGenerativeAI  # noqa: F401

        import jarvis.graph
        import jarvis.model.gemini
        import jarvis.search.serpapi
        import jarvis.session  # noqa: F401 (their imports are measured)

    def __enter__(self) -> Bench:
        self._start()
        self._runner = asyncio.Runner()
        self._build = self._runner.run(self._session())
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._build.__aexit__(None, None, None))
        self._runner.close()
        self._stop()

    def turns(self, count: int) -> None:
        for _ in range(count):
            self.turn()

    def turn(self) -> float:
        """Seconds of CPU of one turn."""
        before = time.process_time()
        ended = self._runner.run(self._jarvis.turn(self._words, "default", self._front))
        assert ended.status == "done", ended
        return time.process_time() - before

    def fill(self, count: int) -> None:
        """That many turns, without the loop."""
        self._runner.run(self._fill(count))

    async def _fill(self, count: int) -> None:
        from jarvis.turn import Found, Outcome

        history = self._jarvis._store.history  # noqa: SLF001
        for _ in range(count):
            turn = await history.begin("default", WORDS)
            found = [Found(url, title) for title, url, _ in addresses(f"filled {turn.n}")]
            kept = await history.addresses.keep_found(turn, 1, found)
            for n, (action, outcome) in enumerate((("search", "Found 10."), ("open_website", "Sent.")), 1):
                await history.start_step(turn, n, action, {"query": WORDS}, MIT)
                await history.end_step(turn, n, Outcome("done", outcome), kept[0].id if n == 2 else "")
            await history.end(turn, "done", usage={"model_calls": 2, "searches": 1, "seconds": 1.0})

    def turn_with_full_window(self) -> float:
        """The window shrinks in blocks: it is full in one turn of ten, the 21st, the 31st and so on."""
        cpu = self.turn()
        self.turns(0 if IS_TRIAL else 9)
        return cpu

    def measured(self, count: int) -> tuple[float, float]:
        """The median CPU of that many turns, and the bytes of history that each left."""
        before = self._size()
        times = [self.turn() for _ in range(count)]
        return statistics.median(times), (self._size() - before) / count

    async def _session(self) -> object:
        from jarvis import build, settings
        from jarvis.actions import catalogue
        from jarvis.frontends.loop import OneShot
        from jarvis.hands import Hands
        from jarvis.session import Words
        from tests.house import RecordingDesktop

        manager = build.session(settings.read(self.environment | {"DATABASE_URL": self._database_url}))
        self._jarvis = await manager.__aenter__()
        self._words = Words(WORDS)
        self._front = OneShot([], Hands(RecordingDesktop(self._home.name), catalogue()), self._home.name)
        return manager

    def _size(self) -> int:
        """Bytes in use; what lies free is used again."""
        return self._runner.run(self._jarvis._store.database.size())  # noqa: SLF001


def serve(there: Connection) -> None:
    """Twins that find MIT and open it, for ever; what else they find is new each time."""
    from tests.twins.gemini import GeminiTwin
    from tests.twins.serpapi import SerpApiTwin, results

    searches = itertools.count()

    def page(asked: object) -> dict[str, object]:
        return results(addresses(f"search {next(searches)}"), website=("MIT", MIT))

    def plan(asked: object) -> dict[str, object]:
        if SMALL_TALK in asked.prompt:  # type: ignore[attr-defined]
            return {"action": "reply", "text": "Hello.", "finish": True}
        if "Done so far" not in asked.prompt:  # type: ignore[attr-defined]
            return {"action": "search", "query": "MIT official website", "text": "Its address is needed."}
        official = re.search("Official: ([ur0-9]+)", asked.prompt)  # type: ignore[attr-defined]
        return {"action": "open_website", "address": official[1] if official else "", "finish": True}

    with GeminiTwin() as gemini, SerpApiTwin(default=page) as serpapi:
        gemini.plans(*[plan] * 2000)
        there.send((gemini.url, serpapi.url))
        there.poll(None)  # until whoever started us lets go of the pipe, or dies


def addresses(of: str) -> list[tuple[str, str, str]]:
    """What a search finds: (title, address, snippet) each."""
    slug = of.replace(" ", "-")
    others = [
        (f"Result {i} of the {of} about MIT", f"https://r{i}.example.edu/{slug}/page", "A snippet. " * 20)
        for i in range(9)
    ]
    return [("MIT", MIT, "The Institute."), *others]


def write_limits(home: str) -> None:
    """No limits of the day, in config.toml."""
    os.mkdir(os.path.join(home, "config"))
    with open(os.path.join(home, "config", "config.toml"), "w") as file:
        file.write('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
