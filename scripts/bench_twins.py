"""Twins that answer at once, in a process of their own, and what is run on them."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import multiprocessing
import os
import random
import re
import select
import signal
import subprocess
import tempfile
import time
from multiprocessing.connection import Connection

from bench_times import JARVIS, whole

MIT = "https://web.mit.edu/"
WORDS = "find the MIT website and open it"
SMALL_TALK = "hello there"
SHOP = "find me a brass lantern under $150"
ROWS = 40  # of what is for sale
_MAKERS = ("Glow & Sons", "Harbour Light", "Lampmakers' Guild", "Old Forge")
_STORES = ("Glow & Sons", "The Lantern Shop", "Harbour Supplies", "eBay - old.forge")


class OnTwins:
    """A home, and twins that run in a process of their own, so that their CPU isn't ours."""

    reading = "open site MIT"  # of what the words ask for, in the model's words

    def _start(self) -> None:
        self._home = tempfile.TemporaryDirectory()
        self._pipe, there = multiprocessing.get_context("spawn").Pipe()
        self._twins = multiprocessing.get_context("spawn").Process(
            target=serve, args=(there, self.reading), daemon=True
        )
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

    def until(self, text: bytes, words: str) -> float:
        """Seconds until a request on a terminal has said *text*; empty: anything."""
        ours, theirs = os.openpty()
        began = time.perf_counter()
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        client = subprocess.Popen([*JARVIS, words], env=self.environment, **streams)
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

    def brain_cpu(self) -> float:
        """Seconds that the brain has used up; 0 where the system does not tell."""
        fields = self._told("stat").rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def brain_megabytes(self) -> float:
        """What the brain has in memory; 0 where the system does not tell."""
        pages = self._told("statm").split()[1:2]
        return sum(map(int, pages)) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _told(self, file: str) -> str:
        """What the system tells of the brain's process."""
        from jarvis.brain.address import Place, holder

        folder = os.path.join(self._home.name, "runtime")
        names = [name.removesuffix(".lock") for name in os.listdir(folder) if name.endswith(".lock")]
        pid = next((pid for name in names if (pid := holder(Place(folder, name)))), 0)
        try:
            with open(f"/proc/{pid}/{file}") as stream:
                return stream.read()
        except OSError:
            return ""


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

    def plan(asked: object) -> dict[str, object]:
        said = asked.prompt.partition("now says:\n")[2]  # type: ignore[attr-defined]
        if said.startswith(SHOP):
            return {"action": "find_products", "queries": "brass lantern", "most": "150 USD", "finish": True}
        if said.startswith(SMALL_TALK):
            return {"wants": "nothing", "action": "reply", "text": "Hello.", "finish": True}
        if "Done so far" not in asked.prompt:  # type: ignore[attr-defined]
            return {"action": "search", "query": "MIT official website", "text": "Its address is needed."}
        official = re.search(r"Official:.*\b(r\d+) of", asked.prompt)  # type: ignore[attr-defined]
        return {"action": "open_website", "address": official[1] if official else "", "finish": True}

    with GeminiTwin() as gemini, SerpApiTwin(default=page) as serpapi:
        gemini.reading = reading
        serpapi.sells(google_shopping=shop)
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


def for_sale(search: int) -> list[dict[str, object]]:
    """Return what a shop has, as long as in real answers: most of it is what the shop itself goes by."""

    own = random.Random(search)
    return [_for_sale(own, f"search {search}") for _ in range(ROWS)]


def _for_sale(own: random.Random, search: str) -> dict[str, object]:
    from tests.twins.shop_pages import listed

    number, title = own.getrandbits(63), f"{own.choice(_MAKERS)} Brass Lantern No. {own.randrange(1000)}"
    parts = {"search": search, "product": f"{number}", "query": title.replace(" ", "+")}
    parts |= {part: f"{own.getrandbits(63)}" for part in ("offer", "picture", "page")}
    group = own.getrandbits(63)
    parts |= {"group": f"{group}", "offers": f"GROUP_{group}|ALL_GROUP_{group}", "variant": "a", "place": ""}
    return listed(
        number,
        f"{title}, {own.randrange(9, 40)} cm",
        f"${own.randrange(20, 150)}.{own.randrange(100):02}",
        immersive_product_page_token=base64.b64encode(json.dumps(parts).encode()).decode(),
        source=own.choice(_STORES),
        rating=own.randrange(30, 50) / 10,
        reviews=own.randrange(1, 5000),
    )


def write_limits(home: str) -> None:
    """No limits of the day, in config.toml."""
    os.mkdir(os.path.join(home, "config"))
    with open(os.path.join(home, "config", "config.toml"), "w") as file:
        file.write('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
