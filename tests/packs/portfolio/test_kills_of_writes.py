"""Whoever is killed in the middle of a write: it is there once at most, and what is told of it is true."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
import pytest

from jarvis.store.leases import LASTS
from tests.brain.brains import Resident
from tests.conftest import BOTH
from tests.planned import plan
from tests.twins import ghostfolio as g
from tests.twins.faults import Raw
from tests.twins.gemini import GeminiTwin
from tests.twins.serpapi import SerpApiTwin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.program import Program
    from tests.running import Result

pytestmark = pytest.mark.slow
POST, READ, DELETE = "POST /api/v1/import", "GET /api/v1/activities", "DELETE "
SENDING, STORED, REMOVED, NOTHING = "being sent", "stored", "removed", "nothing stored"  # as it is noted
CTRL_C, WHOSE_BRAIN_SENDS = "Ctrl-C", "client whose brain sends"
POLITE = "thank you so much for all of that"
ROWS = {"add": 1, "import": 3, "undo": 3}  # of each write
TAKES = 0.01  # seconds for an answer
HEARD = 0.2  # seconds in which whoever is at it hears of Ctrl-C
LATE = 1.5  # seconds that a request is still on its way
LONGEST_DELAY = 0.012  # seconds after an answer
STUCK_SECONDS = 15  # for who comes back
FEWEST_MET = 0.4  # of the kills, which have to find a write under way


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


class Broker(g.GhostfolioTwin):
    """Takes its time, as a real one does."""

    def answer(self, exchange: Any, request: Any) -> None:
        if len(request.raw) < int(request.headers.get("content-length") or 0):
            return exchange.cut()  # who sent it was killed in the middle
        time.sleep(TAKES)
        return super().answer(exchange, request)


class Aim(NamedTuple):
    """Where a kill strikes."""

    at: str  # how a request begins
    when: str = "before"  # it is done | after, unanswered | answered | lost: it never gets there | late
    nth: int = 1  # of the requests that begin so
    delay: float = 0  # seconds after it is answered


class Struck:
    """The answer to the request that is aimed at, in the middle of which *strike* is called."""

    def __init__(self, broker: g.GhostfolioTwin, aim: Aim, strike: Callable[[], None]) -> None:
        self.broker, self.aim, self.strike = broker, aim, strike
        self.passed = threading.Event()

    def send(self, exchange: Any, request: Any) -> None:
        when, request.is_half = self.aim.when, False
        try:
            if when == "answered":
                threading.Timer(self.aim.delay, self.strike).start()
                return self._done(request).send(exchange, request)
            if when == "after":
                done = self._done(request)
                self.strike()
                return done.send(exchange, request)
            self.strike()
            if when == "lost":
                return exchange.cut()
            time.sleep(LATE if when == "late" else 0)
            return self._done(request).send(exchange, request)
        finally:
            self.passed.set()

    def _done(self, request: Any) -> Raw:
        with self.broker._state:
            status, body = self.broker._page(request)
        return Raw(json.dumps(body, default=g.plain).encode(), status=status)


class Seen(NamedTuple):
    """What could be seen of a write that met a kill."""

    write: str
    victim: str
    was_open: bool  # at the kill: something was under way to the server that nobody had read back
    told: Result  # by its client
    calls: int  # of the model since the kill, for this write
    back: list[Result]  # by what they came back with; the last lists the batches
    there: list[int]  # how many of each of its rows are on the server
    states: list[str]  # of what was sent for it
    step: str  # its state in history; empty: there is none


class Scene(Resident):
    """A person whose writes are killed, one after the other, each with rows and a thread of its own."""

    def __init__(
        self, home: Any, gemini: Any, serpapi: Any, broker: Any, url: str, *, has_brain: bool
    ) -> None:
        super().__init__(home, gemini, serpapi, url)
        self.broker, self._url, self._made = broker, url, 0
        self.environment |= {"GHOSTFOLIO_URL": broker.url, "GHOSTFOLIO_TOKEN": g.TOKEN}
        self.environment |= {"JARVIS_BRAIN": "on" if has_brain else "off"}
        self.configure('[daily]\nmodel_calls = "unlimited"\n')
        broker.account("Broker A")
        broker.quotes("VWCE.DE", "FTSE All-World", "112.37")
        broker.booked("BUY", "VWCE.DE", 1, "98.43", "2025-03-03")  # so it need not be looked up
        assert self.jarvis("policy", "allow", "write", "127.0.0.1").status == 0
        assert self.jarvis("portfolio", "batches").status == 0  # from now on there is a database

    def program(self, **environment: str) -> Program:
        return super().program(**{"JARVIS_BRAIN": self.environment["JARVIS_BRAIN"], **environment})

    def requests_of(self, write: str) -> list[tuple[str, int]]:
        """Return each request that *write* makes, and how many like it there were, with itself."""
        for _ in range(2):  # a brain that stays is let in only once
            argv, first = self._prepared(write), len(self.broker.requests)
            assert self.jarvis(*argv).status == 0
        called = [f"{each.method} {each.path}" for each in self.broker.requests[first:]]
        called = [DELETE if each.startswith(DELETE) else each for each in called]
        return [(each, called[: n + 1].count(each)) for n, each in enumerate(called)]

    def kill(self, write: str, victim: str, aim: Aim) -> Seen:
        """Have *write* done, and kill *victim* in the middle of it. Return what could be seen.

        victim: client, brain or both; a client whose brain sends; or “Ctrl-C”, which the client is sent.
        """
        argv, met, asked = self._prepared(write), list[bool](), self.gemini.requests
        if self.environment["JARVIS_BRAIN"] == "on" and not self.brains:
            self._talk("warm")
        sent, first, calls = len(self._states()), len(self.broker.requests), list[int]()
        with self.program().start(*argv, tty=True) as client:

            def strike() -> None:
                was_open = self._is_open(write, sent, first)
                calls.append(len(asked))
                self._kill(victim, client.pid)
                met.append(was_open if victim == CTRL_C else self._is_open(write, sent, first))

            struck = Struck(self.broker, aim, strike)
            self.broker.fails(aim.at, *[g.NO_FAULT] * (aim.nth - 1), g.Fault("struck", struck))
            told = client.finish(60)
            calls.append(len(asked) - calls.pop(0))
        assert aim.when == "late" or struck.passed.wait(60), f"{aim} never came."
        back = [self._come_back(write, argv)]
        if SENDING in self._states()[sent:]:  # it is not known until the server has had its time
            self._look("UPDATE items SET body = REPLACE(body, '\"changed_at\": 1', '\"changed_at\": -1')")
            back += [self._come_back(write, argv)]
        back += [self.jarvis("portfolio", "batches")]
        states = self._states()[sent - (write == "undo") :]
        quantities = [row["quantity"] for row in self.broker.activities]
        there = [quantities.count(each) for each in self._quantities(write)]
        return Seen(write, victim, met[0], told, calls[0], back, there, states, self._step())

    @property
    def _thread(self) -> str:
        return f"kill-{self._made}"

    def _quantities(self, write: str) -> list[int]:
        return [1000 * self._made + n for n in range(1, ROWS[write] + 1)]

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

    def _kill(self, victim: str, client: int) -> None:
        if victim == CTRL_C:
            os.kill(client, signal.SIGINT)
            return time.sleep(HEARD)
        brains = self.brains if victim in ("brain", "both") else []
        for pid in [*([client] if victim != "brain" else []), *brains]:
            with contextlib.suppress(ProcessLookupError):  # it was quicker, and met none
                os.kill(pid, signal.SIGKILL)
        return None

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


@pytest.fixture
def scene(tmp_path_factory, database_url, request):
    has_brain = request.node.callspec.params.get("has_brain", False)
    with Trader() as gemini, SerpApiTwin() as serpapi, Broker(base="EUR") as broker:
        home = tmp_path_factory.mktemp("k")
        scene = Scene(home, gemini, serpapi, broker, database_url, has_brain=has_brain)
        yield scene
        scene.stop()
        assert gemini.unexpected == serpapi.unexpected == broker.unexpected == []


def aims_of(scene, write, seed):
    """Each request, before and after; chance moments behind those under which it is open; odd ways there."""
    requests, chance = scene.requests_of(write), random.Random(seed)
    yield from (Aim(at, when, nth) for at, nth in requests for when in ("before", "after"))
    first = next(n for n, (at, _) in enumerate(requests) if at in (POST, DELETE))
    for at, nth in requests[first - 1 :]:
        yield from (Aim(at, "answered", nth, chance.uniform(0, LONGEST_DELAY)) for _ in range(6))
    if write != "undo":
        yield from (Aim(POST, "lost"), Aim(POST, "late"))


def sweep(scene, write, victim, aims):
    """Kill *victim* at each of *aims*, and print what could be seen."""
    found, opened, lines = Counter(), 0, []
    for aim in aims:
        seen = scene.kill(write, victim, aim)
        wrong = wrong_in(seen)
        found.update(each.split()[0] for each in wrong)
        opened += seen.was_open
        lines.append(f"{aim}, open: {seen.was_open}: {'; '.join(wrong) or 'well'} {seen if wrong else ''}")
    told = f"{write}, {victim}: {opened} of {len(lines)} met an open write; {dict(found)}"
    print(told)
    told = "\n".join([told, *lines])
    assert not found, told
    assert opened >= FEWEST_MET * len(lines), told


CASES = [
    *((write, "client", False) for write in ROWS),
    *(("add", each, True) for each in (WHOSE_BRAIN_SENDS, "brain", "both")),
]


@pytest.mark.long
@BOTH
@pytest.mark.parametrize(("write", "victim", "has_brain"), CASES)
def test_a_kill_doubles_and_hides_no_write(scene, write, victim, has_brain):
    sweep(scene, write, victim, aims_of(scene, write, f"{write} {victim}"))


AT_ONCE = {
    "import": [Aim(POST), Aim(READ, "before", 3)],
    "undo": [Aim(DELETE, "after", 2), Aim(READ, "before", 3)],
    "add": [Aim(POST, "after"), Aim(READ, "after", 3)],
}


@pytest.mark.parametrize(
    ("write", "victim", "has_brain"),
    [
        *((write, victim, False) for write in AT_ONCE for victim in ("client", CTRL_C)),
        pytest.param("add", CTRL_C, True, marks=pytest.mark.long),
    ],
)
def test_who_is_stopped_while_something_is_sent_comes_back_to_the_truth(scene, write, victim, has_brain):
    sweep(scene, write, victim, AT_ONCE[write])


@pytest.mark.parametrize("has_brain", [True])
def test_a_brain_that_dies_before_it_sends_is_not_noticed(scene, has_brain):
    """Another one looks up once more what was lost with the first."""
    seen = scene.kill("add", "brain", Aim(READ))
    assert (seen.told.status, seen.there, wrong_in(seen)) == (0, [1], [])


@BOTH
@pytest.mark.parametrize("has_brain", [True])
def test_where_a_brain_dies_as_it_sends_the_next_one_looks_for_that_and_asks_no_model(scene, has_brain):
    seen = scene.kill("add", "brain", Aim(POST, "after"))
    assert (seen.was_open, seen.told.status, seen.calls, wrong_in(seen)) == (True, 0, 0, [])


def wrong_in(seen):
    """Return what was wrong, a word or two each; none where all is as promised."""
    is_stored = all(seen.there)
    return [*_on_the_server(seen, is_stored), *_in_history(seen, is_stored), *_told(seen, is_stored)]


def _on_the_server(seen: Seen, is_stored: bool) -> Iterator[str]:
    if any(count > 1 for count in seen.there):
        yield f"doubled {seen.there}"
    if seen.write == "import" and not is_stored:
        yield f"lost {seen.there}"
    if seen.write == "undo" and any(seen.there):
        yield f"left {seen.there}"


def _in_history(seen: Seen, is_stored: bool) -> Iterator[str]:
    if SENDING in seen.states:
        yield "left as being sent"
    expected = REMOVED if seen.write == "undo" else STORED if is_stored else NOTHING
    if seen.states[-1:] not in ([expected], [] if expected == NOTHING else [expected]):
        yield f"noted as {seen.states}, there {seen.there}"
    if seen.write == "add" and seen.step not in ({"done"} if is_stored else {"", "failed"}):
        yield f"the step is {seen.step or 'none'}, there {seen.there}"
    if seen.write == "add" and seen.was_open and is_stored and seen.calls:
        yield "asked the model again"


def _told(seen: Seen, is_stored: bool) -> Iterator[str]:
    *back, batches = seen.back
    said = "".join(each.stdout + each.stderr for each in back)
    patience = STUCK_SECONDS + LASTS * (seen.victim == "both")  # a lease that nobody gives back
    if any(each.status or each.seconds > patience for each in seen.back[-2:]):
        yield f"came back to {[(each.status, round(each.seconds)) for each in seen.back]}"
    if seen.victim in ("brain", CTRL_C):
        said += " ".join(seen.told.screen.decode(errors="replace").split())
    if seen.write == "add" and (seen.was_open or seen.victim == "brain"):
        is_told = {True: "Stored and read back" in said, False: "Nothing was s" in said}
        yield from ["untold"] * (not is_told[is_stored]) + ["told wrong"] * is_told[not is_stored]
    if seen.victim == CTRL_C and seen.told.status != 130:
        yield f"ended with {seen.told.status}"
    listed = reversed(batches.stdout.splitlines())
    if any(not line.endswith(state) for line, state in zip(listed, reversed(seen.states), strict=False)):
        yield f"listed otherwise than {seen.states}"
