"""The Jarvis of a checkout, in a home of its own, on twins that answer at once in a process of their own."""

from __future__ import annotations

import base64
import contextlib
import functools
import itertools
import multiprocessing
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from typing import Self

from bench_times import Figures, Used, cpu_of, used

MIT = "https://web.mit.edu/"
WORDS = "find the MIT website and open it"
SMALL_TALK = "hello there"
SHOP = "find me a brass lantern under $150"
ROWS = 40  # of what is for sale
SCREEN = "wayland-0"
_APP = "[Desktop Entry]\nType=Application\nName=Calculator\nExec=true\n"
_LIMITS = '[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n'
_STORES = ("Glow & Sons", "The Lantern Shop", "Harbour Supplies", "eBay - old.forge")


class Home:
    """A person with one app, a screen and a quick browser, who runs the Jarvis of *checkout*."""

    def __init__(self, checkout: str, **environment: str) -> None:
        self._checkout, self._more = checkout, environment

    def __enter__(self) -> Self:
        self._ending = contextlib.ExitStack()
        self.folder = folder = self._ending.enter_context(tempfile.TemporaryDirectory())
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": self._checkout,
            "HOME": folder,
            "JARVIS_HOME": folder,
            "BROWSER": "true",
            "TERM": "xterm",
            "XDG_DATA_HOME": os.path.join(folder, "share"),
            "XDG_DATA_DIRS": os.path.join(folder, "none"),
            "XDG_RUNTIME_DIR": folder,
            **self._more,
        }
        apps = os.path.join(folder, "share", "applications")
        _write(os.path.join(apps, "calculator.desktop"), _APP)
        os.utime(apps, (1e9, 1e9))  # a folder that was changed just now is looked through each time
        _write(os.path.join(folder, "config", "config.toml"), _LIMITS)
        screen = self._ending.enter_context(socket.socket(socket.AF_UNIX))
        screen.bind(os.path.join(folder, SCREEN))
        screen.listen()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def jarvis(self, *argv: str, **environment: str) -> Used:
        return used([*_JARVIS, *argv], self.environment | environment)

    def output(self, *argv: str) -> str:
        """Return what it prints. Raises CalledProcessError."""
        return subprocess.check_output([*_JARVIS, *argv], env=self.environment, text=True)


_JARVIS = [sys.executable, "-P", "-m", "jarvis"]


class Resident(Home):
    """One whose requests are done by a brain that stays."""

    reading = "open site MIT"  # of what the words ask for, in the model's words

    def __enter__(self) -> Self:
        super().__enter__()
        pipe, there = multiprocessing.get_context("spawn").Pipe()
        twins = multiprocessing.get_context("spawn").Process(
            target=serve, args=(there, self.reading), daemon=True
        )
        twins.start()
        there.close()
        self._ending.callback(twins.join)
        self._ending.callback(pipe.close)
        gemini, serpapi = pipe.recv()
        self.environment |= {"GOOGLE_API_KEY": "key", "SERPAPI_API_KEY": "key", "JARVIS_BRAIN": "on"}
        self.environment |= {"GOOGLE_GEMINI_BASE_URL": gemini, "SERPAPI_BASE_URL": serpapi}
        self._ending.callback(self.output, "brain", "stop")
        return self

    def requests(self, count: int, words: str = WORDS) -> Figures:
        """Ask *count* times, one after the other; return what one took."""
        before = cpu_of(self.brain)
        taken = [self.jarvis(words) for _ in range(count)]
        return {
            "the brain's CPU": (cpu_of(self.brain) - before) / count,
            "the client's CPU": sum(each.cpu for each in taken) / count,
            "the whole, on the wall": sum(each.wall for each in taken) / count,
        }

    def at_once(self, threads: int) -> Figures:
        """Have as many clients ask at the same time, each in a thread of its own. Raises AssertionError."""
        before, began = cpu_of(self.brain), time.perf_counter()
        quietly = {"env": self.environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        clients = [
            subprocess.Popen([*_JARVIS, "-t", f"client-{n}", WORDS], **quietly) for n in range(threads)
        ]
        said = [client.communicate()[1] for client in clients]
        wall = time.perf_counter() - began
        assert not any(client.returncode for client in clients), said
        return {
            "all of them, on the wall": wall,
            "the brain's CPU of each": (cpu_of(self.brain) - before) / threads,
        }

    def until(self, text: bytes, words: str) -> float:
        """Return the seconds until a request on a terminal has said *text*; empty: anything."""
        ours, theirs = os.openpty()
        began = time.perf_counter()
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        client = subprocess.Popen([*_JARVIS, words], env=self.environment, **streams)
        os.close(theirs)
        said = os.read(ours, 4096)
        while text not in said:
            said += os.read(ours, 4096)
        seconds = time.perf_counter() - began
        while client.poll() is None:
            if select.select([ours], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # its end
                    os.read(ours, 4096)
        os.close(ours)
        return seconds

    def brain_megabytes(self) -> float:
        with open(f"/proc/{self.brain}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    @functools.cached_property
    def brain(self) -> int:
        """Its process. Raises TypeError where there is none."""
        return int(re.search(r"process (\d+)", self.output("brain", "status"))[1])


def serve(there: Connection, reading: str) -> None:
    """Twins that find MIT and open it, for ever; what else they find, or have for sale, is new each time."""
    from tests.twins.gemini import GeminiTwin
    from tests.twins.serpapi import SerpApiTwin, results
    from tests.twins.shop_pages import shopping

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started us
    searches = itertools.count()

    def page(asked: object) -> dict[str, object]:
        return results(addresses(f"search {next(searches)}"), website=("MIT", MIT))

    def shop(asked: object) -> dict[str, object]:
        return shopping(*for_sale(next(searches)))

    with GeminiTwin() as gemini, SerpApiTwin(default=page) as serpapi:
        gemini.reading = reading
        serpapi.sells(google_shopping=shop)
        gemini.plans(*[_plan] * 5000)
        there.send((gemini.url, serpapi.url))
        there.poll(None)  # until whoever started us lets go of the pipe, or dies


def _plan(asked: object) -> dict[str, object]:
    said = asked.prompt.partition("now says:\n")[2]  # type: ignore[attr-defined]
    if said.startswith(SHOP):
        return {"action": "find_products", "queries": "brass lantern", "most": "150 USD", "finish": True}
    if said.startswith(SMALL_TALK):
        return {"wants": "nothing", "action": "reply", "text": "Hello.", "finish": True}
    if "Done so far" not in asked.prompt:  # type: ignore[attr-defined]
        return {"action": "search", "query": "MIT official website", "text": "Its address is needed."}
    official = re.search(r"Official:.*\b(r\d+) of", asked.prompt)  # type: ignore[attr-defined]
    return {"action": "open_website", "address": official[1] if official else "", "finish": True}


def addresses(of: str) -> list[tuple[str, str, str]]:
    """What a search finds: (title, address, snippet) each."""
    slug = of.replace(" ", "-")
    others = [
        (f"Result {i} of the {of} about MIT", f"https://r{i}.example.edu/{slug}/page", "A snippet. " * 20)
        for i in range(9)
    ]
    return [("MIT", MIT, "The Institute."), *others]


def for_sale(search: int) -> list[dict[str, object]]:
    """What a shop has, as long as in real answers: most of it is what the shop itself goes by."""
    from tests.twins.shop_pages import listed

    own = random.Random(search)
    return [
        listed(
            own.getrandbits(63),
            f"{own.choice(_STORES)} Brass Lantern No. {own.randrange(1000)}, {own.randrange(9, 40)} cm",
            f"${own.randrange(20, 150)}.{own.randrange(100):02}",
            immersive_product_page_token=base64.b64encode(own.randbytes(300)).decode(),
            source=own.choice(_STORES),
        )
        for _ in range(ROWS)
    ]


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
