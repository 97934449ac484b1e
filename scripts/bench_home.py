"""The Jarvis of a checkout, in a home of its own, on twins that answer at once: what its processes take."""

from __future__ import annotations

import base64
import contextlib
import functools
import itertools
import json
import os
import random
import re
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import psycopg

from tests.program import Program
from tests.running import on_terminal
from tests.shell import Shell
from tests.twins.gemini import GeminiRequest, GeminiTwin
from tests.twins.serpapi import SerpApiTwin, results
from tests.twins.shop_pages import listed, shopping

MIT = "https://web.mit.edu/"
WORDS = "find the MIT website and open it"
SMALL_TALK = "hello there"
SUM_UP = "sum up "
LOOK = "what is on my screen?"
SHOP = "find me a brass lantern under $150"
ROWS = 40  # of what is for sale
SCREEN = "wayland-0"
_LIMITS = '[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n'
_JARVIS = [sys.executable, "-P", "-m", "jarvis"]
_KEPT = ("turns", "steps", "addresses")

Figures: TypeAlias = Mapping[str, float]  # seconds, by what they are of; CPU where the name says so


def used(command: Sequence[str], environment: Mapping[str, str]) -> Figures:
    """Return what *command* took. Raises AssertionError with what it said, where it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {"CPU": cpu, "on the wall": wall}


def cpu_of(pid: int) -> float:
    """Return the seconds that a running process has used up, to the nanosecond."""
    return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) makes it


def _cpu_below(pid: int) -> float:
    """Return the seconds that a process and all below it have used up, those that have ended too."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ended = (int(parts[13]) + int(parts[14])) / os.sysconf("SC_CLK_TCK")
    below = Path(f"/proc/{pid}/task").glob("*/children")
    return (
        cpu_of(pid) + ended + sum(_cpu_below(int(one)) for file in below for one in file.read_text().split())
    )


class Home:
    """A person with one app, a screen, a quick browser and keys, who runs the Jarvis of *checkout*."""

    def __init__(self, checkout: str, reading: str = "open site MIT", **environment: str) -> None:
        """reading: of what the words ask for, in the model's words."""
        self._checkout, self._reading, self._more = Path(checkout), reading, environment
        self._ending = contextlib.ExitStack()

    def __enter__(self) -> Self:
        enter = self._ending.enter_context
        self.folder = Path(enter(tempfile.TemporaryDirectory()))
        shell = Shell(self.folder, enter(planning(self._reading)), enter(selling()))
        shell.configure(_LIMITS)
        own = {
            **shell.environment,
            **shell.installed("Calculator"),
            "BROWSER": "true",
            "JARVIS_BRAIN": "on",
            "XDG_RUNTIME_DIR": str(self.folder),
            **self._more,
        }
        self.environment = Program(self.folder, own, package_root=self._checkout).env
        # A folder that was changed just now is looked through each time.
        os.utime(self.folder / "apps" / "applications", (1e9, 1e9))
        screen = enter(socket.socket(socket.AF_UNIX))
        screen.bind(str(self.folder / SCREEN))
        screen.listen()
        self._ending.callback(self.output, "brain", "stop")
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def jarvis(self, *argv: str, **environment: str) -> Figures:
        return used([*_JARVIS, *argv], self.environment | environment)

    def output(self, *argv: str) -> str:
        """Return what it prints. Raises CalledProcessError."""
        return subprocess.check_output([*_JARVIS, *argv], env=self.environment, text=True)

    def requests(self, count: int, words: str = WORDS) -> Figures:
        """Ask *count* times, one after the other; return what one took, done by a brain that stays."""
        before = cpu_of(self.brain)
        taken = [self.jarvis(words) for _ in range(count)]
        return {
            "the brain's CPU": (cpu_of(self.brain) - before) / count,
            "the client's CPU": sum(each["CPU"] for each in taken) / count,
            "the whole, on the wall": sum(each["on the wall"] for each in taken) / count,
        }

    def whole(self, words: str) -> Figures:
        """Ask once; return what all processes took that had a part in it."""
        before = _cpu_below(self.brain)
        client = self.jarvis(words)["CPU"]
        return {"all processes' CPU": client + _cpu_below(self.brain) - before}

    def at_once(self, count: int) -> Figures:
        """Have as many clients ask at the same time, each in a thread of its own. Raises AssertionError."""
        before, began = cpu_of(self.brain), time.perf_counter()
        quietly = {"env": self.environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        clients = [subprocess.Popen([*_JARVIS, "-t", f"client-{n}", WORDS], **quietly) for n in range(count)]
        said = [client.communicate()[1] for client in clients]
        wall = time.perf_counter() - began
        assert not any(client.returncode for client in clients), said
        cpu = (cpu_of(self.brain) - before) / count
        return {"all of them, on the wall": wall, "the brain's CPU of each": cpu}

    def until(self, text: str, words: str) -> float:
        """Return the seconds until a request on a terminal has said *text*."""
        began = time.perf_counter()
        with on_terminal([*_JARVIS, words], self.environment) as running:
            running.wait_for(text)
            seconds = time.perf_counter() - began
            running.finish()
        return seconds

    def brain_megabytes(self) -> float:
        pages = Path(f"/proc/{self.brain}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20

    @functools.cached_property
    def brain(self) -> int:
        """Its process. Raises TypeError where there is none."""
        return int(re.search(r"process (\d+)", self.output("brain", "status"))[1])

    def grow(self, turns: int, real: int, words: str) -> None:
        """Fill its thread up: it begins and ends with *real* turns, the rest repeats one."""
        self.jarvis(words)  # which starts the brain
        self.requests(real, words)
        thread = repeated(json.loads(self.output("threads", "export")), turns - real)
        long = self.folder / "long.jsonl"
        long.write_text(json.dumps(thread), encoding="utf-8")
        self.output("-y", "threads", "delete", "default")
        self.output("threads", "import", str(long))
        self.requests(real, words)

    def history_bytes(self) -> int:
        """Return the bytes in use; what lies free is used again."""
        if url := self.environment["DATABASE_URL"]:
            parts = " UNION ALL ".join(f"SELECT SUM(pg_column_size({t}.*)) AS n FROM {t}" for t in _KEPT)
            with psycopg.connect(url) as connection:
                return int(connection.execute(f"SELECT SUM(n) FROM ({parts}) AS p").fetchone()[0])
        with contextlib.closing(sqlite3.connect(self.folder / "jarvis" / "data" / "history.db")) as database:
            return int(database.execute("SELECT SUM(pgsize - unused) FROM dbstat").fetchone()[0])


def repeated(thread: Mapping[str, Any], turns: int) -> dict[str, Any]:
    """Return the exported *thread* with its last turn again and again, until it has as many; ids count on."""
    rows = {part: [*each] for part, each in thread.items() if isinstance(each, list)}
    (head,), last = rows["threads"], rows["turns"][-1]
    steps = [row for row in rows["steps"] if row["turn"] == last["id"]]
    addresses = [row for row in rows["addresses"] if row["turn"] == last["n"]]
    for n in range(last["n"] + 1, turns + 1):
        rows["turns"].append({**last, "id": f"{n:016x}", "n": n})
        rows["steps"] += [{**row, "turn": f"{n:016x}"} for row in steps]
        rows["addresses"] += [
            {**row, "id": f"r{head['found'] + i}", "url": f"{row['url']}?{n}", "turn": n}
            for i, row in enumerate(addresses, 1)
        ]
        head["found"] += len(addresses)
    head["turns"] = turns
    return {**thread, **rows}


def planning(reading: str) -> GeminiTwin:
    """Return a model that finds MIT and opens it, or finds what is for sale, for ever."""
    gemini = GeminiTwin()
    gemini.reading = reading
    gemini.plans(*[_plan] * 5000)
    return gemini


def _plan(asked: GeminiRequest) -> dict[str, object]:
    said = asked.prompt.partition("now says:\n")[2]
    if said.startswith(SHOP):
        return {"action": "find_products", "queries": "brass lantern", "most": "150 USD", "finish": True}
    if said.startswith(SUM_UP) and "The page of" not in asked.prompt:
        named = next(id_ for id_ in asked.enum("address") if id_[0] in "fu")
        return {"wants": "nothing", "action": "read", "address": named}
    if said.startswith(LOOK) and "Done so far" not in asked.prompt:
        return {"action": "look_at", "finish": False}
    if said.startswith((SMALL_TALK, SUM_UP, LOOK)):
        return {"wants": "nothing", "action": "reply", "text": "Hello.", "finish": True}
    if "Done so far" not in asked.prompt:
        return {"action": "search", "query": "MIT official website", "text": "Its address is needed."}
    official = re.search(r"Official:.*?\b([rs]\d+) of", asked.prompt)
    return {"action": "open_website", "address": official[1] if official else "", "finish": True}


def selling() -> SerpApiTwin:
    """Return a search that finds MIT; what else it finds, or has for sale, is new each time."""
    searches = itertools.count()
    serpapi = SerpApiTwin(default=lambda asked: results(addresses(next(searches)), website=("MIT", MIT)))
    serpapi.sells(google_shopping=lambda asked: shopping(*for_sale(next(searches))))
    return serpapi


def addresses(search: int) -> list[tuple[str, str, str]]:
    """What a search finds: (title, address, snippet) each."""
    others = [
        (f"Result {i} of search {search} about MIT", f"https://r{i}.example.edu/{search}", "A snippet. " * 20)
        for i in range(9)
    ]
    return [("MIT", MIT, "The Institute."), *others]


def for_sale(search: int) -> list[dict[str, Any]]:
    """What a shop has, as long as in real answers: most of it is what the shop itself goes by."""
    own = random.Random(search)
    return [
        listed(
            own.getrandbits(63),
            f"Brass Lantern No. {own.randrange(1000)}, {own.randrange(9, 40)} cm, from Harbour Supplies",
            f"${own.randrange(20, 150)}.{own.randrange(100):02}",
            immersive_product_page_token=base64.b64encode(own.randbytes(300)).decode(),
        )
        for _ in range(ROWS)
    ]
