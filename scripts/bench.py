"""Figures side by side, as ratios to `python -c pass` in the same run: machines differ and are noisy.

turn     a warm find + open turn with a full window of 40 messages, on twins that answer at once
growth   turn 300 of a thread beside turn 30, in CPU and in bytes
plain    the commands that need no model, each as a whole process
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

RUNS = int(os.environ.get("JARVIS_BENCH_RUNS", "15"))
MIT = "https://web.mit.edu/"
WORDS = "find the MIT website and open it"


def main(argv: Sequence[str]) -> int:
    benches = {"turn": turn, "growth": growth, "plain": plain}
    wanted = argv or list(benches)
    if unknown := set(wanted) - set(benches):
        print(
            f"No such bench: {', '.join(sorted(unknown))}. There are {', '.join(benches)}.", file=sys.stderr
        )
        return 2
    for name in wanted:
        benches[name]()
    return 0


def turn() -> None:
    before = time.process_time()
    with_stack = Bench()
    imports = time.process_time() - before
    with with_stack as bench:
        bench.turns(20)  # fills the window and warms up
        # Turn about, so that both see the same machine.
        pairs = [(bench.turn_with_full_window(), bare_cpu()) for _ in range(RUNS)]
    cpu, bare = (statistics.median(values) for values in zip(*pairs, strict=True))
    print(f"turn    find + open, warm, 40 messages   {ms(cpu)}  {cpu / bare:5.2f}x")
    print(f"        the imports before it            {ms(imports)}  {imports / bare:5.2f}x")
    print(f"        python -c pass                   {ms(bare)}   1.00x   (CPU, medians of {RUNS})")


def growth() -> None:
    with Bench() as bench:
        bench.turns(22)
        early = bench.measured(RUNS)
        bench.turns(300 - 22 - 2 * RUNS)
        late = bench.measured(RUNS)
    for what, at in (("turn  30", early), ("turn 300", late)):
        print(f"growth  {what}   {ms(at[0])}   {at[1]:7.0f} bytes of history a turn")
    print(f"        CPU {late[0] / early[0]:.2f}x, bytes {late[1] / early[1]:.2f}x")


def plain() -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "JARVIS_HOME": home, "BROWSER": "true"}
        for argv in (["open", "example.org"], ["--help"], ["--version"]):
            command = [sys.executable, "-P", "-m", "jarvis", *argv]
            process_cpu(command, environment)
            pairs = [(process_cpu(command, environment), bare_cpu()) for _ in range(RUNS)]
            cpu, bare = (statistics.median(values) for values in zip(*pairs, strict=True))
            print(f"plain   jarvis {' '.join(argv):<20}      {ms(cpu)}  {cpu / bare:5.2f}x")


class Bench:
    """A warm Jarvis on twins that run in a process of their own, so that their CPU isn't ours."""

    def __init__(self) -> None:
        from langchain_google_genai import ChatGoogleGenerativeAI  # noqa: F401

        import jarvis.graph
        import jarvis.model.gemini
        import jarvis.search.serpapi
        import jarvis.session  # noqa: F401 (their imports are measured)

    def __enter__(self) -> Bench:
        self._home = tempfile.TemporaryDirectory()
        self._pipe, there = multiprocessing.get_context("spawn").Pipe()
        self._twins = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
        self._twins.start()
        there.close()
        gemini, serpapi = self._pipe.recv()
        self._runner = asyncio.Runner()
        self._build = self._runner.run(self._session(gemini, serpapi))
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._build.__aexit__(None, None, None))
        self._runner.close()
        self._pipe.close()
        self._twins.join()
        self._home.cleanup()

    def turns(self, count: int) -> None:
        for _ in range(count):
            self.turn()

    def turn(self) -> float:
        """Seconds of CPU of one turn."""
        before = time.process_time()
        ended = self._runner.run(self._jarvis.turn(self._words, "default", self._front))
        assert ended.status == "done", ended
        return time.process_time() - before

    def turn_with_full_window(self) -> float:
        """The window shrinks in blocks: it is full in one turn of ten, the 21st, the 31st and so on."""
        cpu = self.turn()
        self.turns(9)
        return cpu

    def measured(self, count: int) -> tuple[float, float]:
        """The median CPU of that many turns, and the bytes of history that each left."""
        before = self._size()
        times = [self.turn() for _ in range(count)]
        return statistics.median(times), (self._size() - before) / count

    async def _session(self, gemini: str, serpapi: str) -> object:
        from jarvis import build, settings
        from jarvis.actions import catalogue
        from jarvis.frontends.loop import OneShot
        from jarvis.hands import Hands
        from jarvis.session import Words
        from tests.house import RecordingDesktop

        environment = {
            "JARVIS_HOME": self._home.name,
            "GOOGLE_API_KEY": "key",
            "SERPAPI_API_KEY": "key",
            "GOOGLE_GEMINI_BASE_URL": gemini,
            "SERPAPI_BASE_URL": serpapi,
        }
        manager = build.session(settings.read(environment))
        self._jarvis = await manager.__aenter__()
        self._words = Words(WORDS)
        self._front = OneShot([], Hands(RecordingDesktop(self._home.name), catalogue()), self._home.name)
        return manager

    def _size(self) -> int:
        """Bytes in use in history.db; what lies in free pages is used again."""
        return self._runner.run(self._jarvis._store.database.size())  # noqa: SLF001


def serve(there: Connection) -> None:
    """Twins that find MIT and open it, for ever."""
    from tests.twins.gemini import GeminiTwin
    from tests.twins.serpapi import SerpApiTwin, results

    found = [
        (f"Result {i} about MIT", f"https://r{i}.example.edu/page", "A snippet. " * 20) for i in range(9)
    ]
    page = results([("MIT", MIT, "The Institute."), *found], website=("MIT", MIT))

    def plan(asked: object) -> dict[str, object]:
        if "Done so far" not in asked.prompt:  # type: ignore[attr-defined]
            return {"action": "search", "query": "MIT official website", "text": "Its address is needed."}
        return {"action": "open_website", "address": "r1", "finish": True}

    with GeminiTwin() as gemini, SerpApiTwin(default=page) as serpapi:
        gemini.plans(*[plan] * 2000)
        there.send((gemini.url, serpapi.url))
        there.poll(None)  # until whoever started us lets go of the pipe, or dies


def bare_cpu() -> float:
    return process_cpu([sys.executable, "-c", "pass"], dict(os.environ))


def process_cpu(command: Sequence[str], environment: dict[str, str]) -> float:
    """Seconds of CPU of a whole process, as the kernel counted them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ms(seconds: float) -> str:
    return f"{seconds * 1000:7.1f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
