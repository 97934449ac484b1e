"""A turn in a process that is warm."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from bench_times import IS_TRIAL, RUNS, bare_cpu, ms
from bench_twins import MIT, WORDS, OnTwins, addresses


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


class Bench(OnTwins):
    """A warm Jarvis in this process."""

    def __init__(self, database_url: str = "") -> None:
        self._database_url = database_url
        from langchain_google_genai import ChatGoogleGenerativeAI  # noqa: F401

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
        from jarvis.core.types import Found, Outcome

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
        from jarvis.actions import Hands, catalogue
        from jarvis.cli.in_process import OneShot
        from jarvis.config import settings
        from jarvis.output.tellers import Tellers
        from jarvis.turns import build
        from jarvis.turns.session import Words
        from tests.house import RecordingDesktop

        manager = build.session(
            settings.read_settings(self.environment | {"DATABASE_URL": self._database_url})
        )
        self._jarvis = await manager.__aenter__()
        self._words = Words(WORDS)
        hands = Hands(RecordingDesktop(Path(self._home.name)), catalogue())
        self._front = OneShot(Tellers(), hands)
        return manager

    def _size(self) -> int:
        """Bytes in use; what lies free is used again."""
        return self._runner.run(self._jarvis._store.database.size())  # noqa: SLF001
