"""A turn in a process that is warm."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from bench_times import IS_TRIAL, RUNS, bare_cpu, ms
from bench_twins import WORDS, OnTwins


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


class Bench(OnTwins):
    """A warm Jarvis in this process."""

    words = WORDS

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

    def turn_with_full_window(self) -> float:
        """The window shrinks in blocks: it is full in one turn of ten, the 21st, the 31st and so on."""
        cpu = self.turn()
        self.turns(0 if IS_TRIAL else 9)
        return cpu

    async def _session(self) -> object:
        from jarvis.actions import Desktop, catalogue
        from jarvis.cli.in_process import LocalFrontend
        from jarvis.config import settings
        from jarvis.output.tellers import Tellers
        from jarvis.turns import build
        from jarvis.turns.session import Words
        from tests.house import RecordingDesktop

        manager = build.session(
            settings.read_settings(self.environment | {"DATABASE_URL": self._database_url})
        )
        self._jarvis = await manager.__aenter__()
        self._words = Words(self.words)
        desktop = Desktop(RecordingDesktop(Path(self._home.name)), catalogue())
        self._front = LocalFrontend(Tellers(), desktop)
        return manager
