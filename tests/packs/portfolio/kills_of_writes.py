"""A write to the person's portfolio, and one kill in the middle of it: of its client, the brain, or both.

scene = WritesScene(folder, gemini, serpapi, broker, database_url)
seen = scene.kill("import", "client", WriteAim(POST, "after"))
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg

from tests.brain.brains import Resident
from tests.lying import plan
from tests.twins.gemini import GeminiTwin
from tests.twins.ghostfolio import TOKEN, GhostfolioTwin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.program import Program
    from tests.running import Result, Running
    from tests.twins.serpapi import SerpApiTwin
    from tests.twins.wire import Exchange, Request

SENDING, STORED, REMOVED, NOTHING = "being sent", "stored", "removed", "nothing stored"  # as it is noted
STARTED = "started"  # the step in history
CTRL_C = "Ctrl-C"
BRAINS = ("brain", "both")  # the victims that are one
WHOSE_BRAIN_SENDS = "client whose brain sends"
_HEARD = 0.2  # seconds in which whoever is at it hears of Ctrl-C
POST, READ, DELETE = "POST /api/v1/import", "GET /api/v1/activities", "DELETE "
POLITE = "thank you so much for all of that"
_TAKES = 0.01  # seconds for an answer: a real one takes longer
_LATE = 1.5  # seconds that a request is still on its way
ROWS = {"add": 1, "import": 3, "undo": 3}  # of each write


class WriteAim(NamedTuple):
    """Where a kill strikes."""

    at: str  # how a request begins; or that the batch is noted so, or the step is started
    when: str = "before"  # the twin does it | after, unanswered | lost: it never gets there | late
    nth: int = 1  # of the requests that begin so
    delay: float | None = None  # seconds after it; None: at once, and it is held until then


class Broker(GhostfolioTwin):
    """Holds the request that is aimed at."""

    aim: WriteAim | None = None
    sprung = released = passed = threading.Event()
    _left = 0

    def watch(self, aim: WriteAim) -> None:
        self.sprung, self.released, self.passed = (threading.Event() for _ in range(3))
        self.aim, self._left = aim, aim.nth

    def answer(self, exchange: Exchange, request: Request) -> None:
        if len(request.raw) < int(request.headers.get("content-length") or 0):
            return exchange.cut()  # who sent it was killed in the middle
        aim = self._aimed_at(f"{request.method} {request.path}")
        time.sleep(_TAKES if aim is None or aim.when == "after" else 0)
        if aim is None:
            return super().answer(exchange, request)
        try:
            if aim.when == "after":
                return super().answer(_Held(exchange, self._hold), request)
            self._hold()
            if aim.when == "lost":
                return exchange.cut()
            time.sleep(_LATE if aim.when == "late" else _TAKES)
            return super().answer(exchange, request)
        finally:
            self.passed.set()

    def _aimed_at(self, called: str) -> WriteAim | None:
        with self._lock:
            if self.aim and called.startswith(self.aim.at):
                self._left -= 1
                return self.aim if self._left == 0 else None
        return None

    def _hold(self) -> None:
        self.sprung.set()
        if self.aim and self.aim.delay is None:
            self.released.wait(60)


class _Held:
    """An exchange whose reply waits."""

    def __init__(self, exchange: Exchange, wait: Any) -> None:
        self._exchange, self._wait = exchange, wait

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exchange, name)

    def reply(self, *args: Any, **how: Any) -> None:
        self._wait()
        self._exchange.reply(*args, **how)


class Trader(GeminiTwin):
    """Finds the symbol, and adds what they bought; is polite besides."""

    def next_step(self, request: Any, otherwise: Any) -> Any:
        bought = re.findall(r"bought (\d+) VWCE", request.prompt)
        if not bought or POLITE in request.prompt:
            return {"action": "reply", "text": "You are welcome.", "finish": True}
        if not (found := re.findall(r"\b(o\d+)\b", request.prompt)):
            return plan("find_symbol", query="VWCE", wants="record VWCE.DE", finish=False)
        said = {"kind": "BUY", "quantity": bought[-1], "price": "112.30", "day": "2026-11-20"}
        return plan("add_activity", symbol=found[-1], wants="record VWCE.DE", **said)


class SeenWrite(NamedTuple):
    """What could be seen of a write that met a kill."""

    write: str
    victim: str
    aim: WriteAim
    was_open: bool  # at the kill: something was under way to the server that nobody had read back
    told: Result  # by its client
    back: list[Result]  # by what they came back with
    there: list[int]  # how many of each of its rows are on the server
    states: list[str]  # of what was sent for it
    step: str  # its state in history; empty: there is none


class WritesScene(Resident):
    """A person whose writes are killed, one after the other, each with rows and a thread of its own."""

    gemini: Trader

    def __init__(
        self,
        home: Path,
        gemini: Trader,
        serpapi: SerpApiTwin,
        broker: Broker,
        database_url: str = "",
        *,
        has_brain: bool = False,
    ) -> None:
        super().__init__(home, gemini, serpapi, database_url)
        self.broker, self._url, self._made = broker, database_url, 0
        self.environment |= {"GHOSTFOLIO_URL": broker.url, "GHOSTFOLIO_TOKEN": TOKEN}
        self.environment |= {"JARVIS_BRAIN": "on" if has_brain else "off"}
        self.configure('[daily]\nmodel_calls = "unlimited"\n')
        broker.account("Broker A")
        broker.quotes("VWCE.DE", "FTSE All-World", "112.37")
        broker.booked("BUY", "VWCE.DE", 1, "98.43", "2025-03-03")  # so it need not be looked up
        assert self.jarvis("policy", "allow", "write", "127.0.0.1").status == 0
        assert self.jarvis("portfolio", "batches").status == 0  # from now on there is a database

    def program(self, **environment: str) -> Program:
        return super().program(**{"JARVIS_BRAIN": self.environment["JARVIS_BRAIN"], **environment})

    def boundaries(self, write: str) -> list[WriteAim]:
        """Return each request that *write* makes, before and after."""
        for _ in range(2):  # a brain that stays is let in only once
            argv, first = self._prepared(write), len(self.broker.requests)
            assert self.jarvis(*argv).status == 0
        called = [f"{each.method} {each.path}" for each in self.broker.requests[first:]]
        called = [DELETE if each.startswith(DELETE) else each for each in called]
        nth = [called[: n + 1].count(each) for n, each in enumerate(called)]
        return [
            WriteAim(at, when, n) for at, n in zip(called, nth, strict=True) for when in ("before", "after")
        ]

    def kill(self, write: str, victim: str, aim: WriteAim) -> SeenWrite:
        """Have *write* done, and kill *victim* in the middle of it. Return what could be seen.

        victim: client, brain or both; a client whose brain sends; or “Ctrl-C”, which the client is sent.
        """
        argv = self._prepared(write)
        if self.environment["JARVIS_BRAIN"] == "on" and not self.brains:
            self._talk("warm")
        sent, first = len(self._states()), len(self.broker.requests)
        self.broker.watch(aim)
        with self.program().start(*argv, tty=True) as client:
            self._wait_for(aim, sent)
            time.sleep(aim.delay or 0)
            was_open = self._strike(victim, client, lambda: self._is_open(write, sent, first))
            self.broker.released.set()
            told = client.finish(60)
        if aim.when != "late" and self.broker.sprung.is_set():
            assert self.broker.passed.wait(60)
        self.broker.aim = None
        back = [self._come_back(write, argv)]
        if SENDING in self._states()[sent:]:  # it is not known until the server has had its time
            self._look("UPDATE items SET body = REPLACE(body, '\"changed_at\": 1', '\"changed_at\": -1')")
            back += [self._come_back(write, argv)]
        back += [self.jarvis("portfolio", "batches")]
        states = self._states()[sent - (write == "undo") :]
        there = [self._there(quantity) for quantity in self._quantities(write)]
        return SeenWrite(write, victim, aim, was_open, told, back, there, states, self._step())

    @property
    def _thread(self) -> str:
        return f"kill-{self._made}"

    def _quantities(self, write: str) -> list[int]:
        return [1000 * self._made + n for n in range(1, ROWS[write] + 1)]

    def _there(self, quantity: int) -> int:
        return sum(row["quantity"] == quantity for row in self.broker.activities)

    def _prepared(self, write: str) -> tuple[str, ...]:
        """Return the command line that asks for *write*, of rows that are no other's."""
        self._made += 1
        if write == "add":
            return "-t", self._thread, f"bought {self._quantities(write)[0]} VWCE.DE at 112.30 on 2026-11-20"
        rows = [f"BUY,VWCE.DE,{each},98.5,2026-11-19,1,EUR\n" for each in self._quantities(write)]
        file = self.home / f"{self._thread}.csv"
        file.write_text("".join(["type,symbol,quantity,price,date,fee,currency\n", *rows]))
        if write == "import":
            return "portfolio", "import", file.name
        assert self.jarvis("portfolio", "import", file.name).status == 0
        return "portfolio", "undo", str(len(self._states()))

    def _wait_for(self, aim: WriteAim, sent: int) -> None:
        if aim.at == STARTED:
            _watch_until(lambda: self._step())
        elif aim.at in (SENDING, STORED):
            _watch_until(lambda: aim.at in self._states()[sent:] or STORED in self._states()[sent:])
        else:
            assert self.broker.sprung.wait(60), f"{aim} never came."

    def _strike(self, victim: str, client: Running, is_open: Callable[[], bool]) -> bool:
        """Kill whom it is for, and return whether the write was under way."""
        if victim == CTRL_C:
            was_open = is_open()
            client.send(signal.SIGINT)
            time.sleep(_HEARD)
            return was_open
        pids = [*([client.pid] if victim != "brain" else []), *(self.brains if victim in BRAINS else [])]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # it was quicker, and met none
                os.kill(pid, signal.SIGKILL)
        return is_open()

    def _is_open(self, write: str, sent: int, first: int) -> bool:
        if write != "undo":
            return SENDING in self._states()[sent:]
        began = any(each.method == "DELETE" for each in self.broker.requests[first:])
        return began and self._states()[-1] == STORED

    def _come_back(self, write: str, argv: tuple[str, ...]) -> Result:
        return self._talk(self._thread) if write == "add" else self.jarvis(*argv, timeout=60)

    def _talk(self, thread: str) -> Result:
        """Return what the next front end of *thread* tells."""
        return self.jarvis("-t", thread, POLITE, timeout=60)

    def _states(self) -> list[str]:
        """Return the states of all that was sent."""
        found = self._look("SELECT body FROM items WHERE list = 'batches' ORDER BY at, id")
        return [json.loads(body)["state"] for (body,) in found]

    def _step(self) -> str:
        """Return the state of the step that adds, of the latest thread."""
        find = "SELECT state FROM steps JOIN turns ON turns.id = turn WHERE action = 'add_activity'"
        found = self._look(f"{find} AND thread = '{self._thread}'")
        return found[0][0] if found else ""

    def _look(self, sql: str) -> list[Any]:
        if self._url:
            with psycopg.connect(self._url, autocommit=True) as connection:
                found = connection.execute(sql)
                return found.fetchall() if found.description else []
        (file,) = (self.home / "jarvis").rglob("history.db")
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as lite:
            return lite.execute(sql).fetchall()


def _watch_until(condition: Callable[[], object]) -> None:
    """Wait, with the eyes on it: what comes next is milliseconds away."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "It never came."
        time.sleep(0.001)


def met(aim: WriteAim) -> str:
    held = "" if aim.delay is None else f" + {1000 * aim.delay:.0f} ms"
    return f"{aim.at.strip()} {aim.nth} {aim.when}{held}"
