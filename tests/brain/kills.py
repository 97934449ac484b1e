"""A request, and one kill in the middle of it: of its client, the brain, or both.

scene = Scene(folder, gemini, serpapi, database_url)
seen = scene.kill(WORKS["find + open"], "brain", Aim("request 2", delay=0.02))
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

from jarvis.store.leases import LASTS
from tests.brain.brains import Resident
from tests.shell import wait_until
from tests.twins.gemini import GeminiTwin
from tests.twins.serpapi import SerpApiTwin, results

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.running import Result, Running
    from tests.twins.wire import Request

VICTIMS = ("client", "brain", "both")
FOUND, ASKED_ABOUT = "https://web.mit.edu/", "https://xn--mnchen-3ya.example/"
# Opens as far as anybody can see, and takes its time, so that a kill some time after it began finds it at
# work; what is aimed at it holds it up.
_HANDS = """#!/bin/sh
echo begun >> '{home}/acts'
sleep 0.1
while [ -e '{home}/hold' ]; do sleep 0.01; done
echo ended >> '{home}/acts'
"""
_PROMPT = re.compile(rb"\x1b\[\?7l(?:\x1b\[0m)?>")  # where it is drawn: from then on keys count
_OPENS = ("open_website", "open_site")
_STATUS = "SELECT id, status FROM turns WHERE thread = {value} ORDER BY n DESC LIMIT 1"
_STATE = "SELECT state FROM steps WHERE turn = {value} AND action IN ('open_website', 'open_site')"


class Work(NamedTuple):
    """What is asked for."""

    words: str
    aims: tuple[str, ...]  # where a kill can be aimed at
    reading: str = ""
    found: str = ""
    is_asked: bool = False  # whether the person is asked, and says yes
    is_late: bool = False  # whether they say so later


_REQUESTS = ("request 1", "request 2", "request 3")
_DOUBTFUL = ("find the ticket shop and open it", "open site the ticket shop", ASKED_ABOUT)
WORKS = {
    "find + open": Work("find the MIT website and open it", (*_REQUESTS, "desktop"), "open site MIT", FOUND),
    "plain": Work("open a.example", ("desktop",)),
    "approval": Work(_DOUBTFUL[0], (*_REQUESTS, "question", "desktop"), *_DOUBTFUL[1:], is_asked=True),
    "late answer": Work(_DOUBTFUL[0], ("desktop",), *_DOUBTFUL[1:], is_late=True),
}


class Aim(NamedTuple):
    at: str  # one of the aims of the work
    delay: float | None  # seconds after it; None: at once, and all stands still there until it is done


class AtKill(NamedTuple):
    """What history said in the moment of the kill."""

    status: str  # of the turn; empty where there was none yet
    state: str  # of the step that acts; empty where it had not begun


class Seen(NamedTuple):
    """What could be seen of a request that met a kill."""

    work: Work
    victim: str
    aim: Aim
    at_kill: AtKill
    told: Result  # by its client
    calls: int  # of the model since the kill, for this request
    acts: int
    next_told: tuple[Result, Result]  # by the next two front ends in the thread
    turns: list[dict[str, Any]]  # of the thread
    exported: list[dict[str, Any]]


class Trap:
    """Springs at the request of that number, whichever service it is sent to."""

    def __init__(self, number: int, *, is_held: bool) -> None:
        self.sprung, self.released = threading.Event(), threading.Event()
        self._left, self._is_held = number, is_held
        self._lock = threading.Lock()

    def hear(self) -> None:
        with self._lock:
            self._left -= 1
            is_it = self._left == 0
        if is_it:
            self.sprung.set()
            if self._is_held:
                self.released.wait(60)


class Model(GeminiTwin):
    """Searches for what is to be found, opens it, and is polite besides."""

    trap: Trap | None = None
    work: Work | None = None  # None: small talk

    def hear(self, request: Request) -> Any:
        heard = super().hear(request)
        if self.trap:
            self.trap.hear()
        return heard

    def plan(self, asked: Any) -> dict[str, Any]:
        if self.work is None:
            return {"action": "reply", "text": "You are welcome.", "finish": True}
        # What a search found that was lost with its brain had the first id.
        if found := [id_ for id_ in asked.enum("address") if id_.startswith("r")]:
            return {"action": "open_website", "address": found[0], "finish": True}
        return {"action": "search", "query": "where it is"}

    def next_step(self, request: Any, otherwise: Any) -> Any:
        return self.plan(request)


class Search(SerpApiTwin):
    trap: Trap | None = None

    def hear(self, request: Request) -> Any:
        heard = super().hear(request)
        if self.trap:
            self.trap.hear()
        return heard


class Scene(Resident):
    """A home whose requests are killed, one after the other, each in a thread of its own."""

    gemini: Model
    serpapi: Search

    def __init__(self, home: Path, gemini: Model, serpapi: Search, database_url: str = "") -> None:
        super().__init__(home, gemini, serpapi, database_url)
        self._database_url = database_url
        self._made = 0
        self.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        opener = home / "opener"
        opener.write_text(_HANDS.format(home=home))
        opener.chmod(0o755)

    @property
    def acts(self) -> list[str]:
        log = self.home / "acts"
        return log.read_text().split() if log.exists() else []

    def kill(self, work: Work, victim: str, aim: Aim) -> Seen:
        """Have *work* done, and kill *victim* in the middle of it. Return what could be seen."""
        if not self.brains:
            self._talk("warm")
        self._made += 1
        thread = f"kill-{self._made}"
        argv = self._asked_for(work, thread)
        (self.home / "acts").unlink(missing_ok=True)
        for remembered in self.home.rglob("aliases.json"):  # what was opened under this name
            remembered.unlink()
        trap = self._set(work, aim)
        with self.program().start(*argv, tty=work.is_asked) as client:
            person = threading.Thread(target=_answer, args=(client,))
            if work.is_asked and aim.at != "question":
                person.start()
            self._wait_for(trap, aim, client)
            time.sleep(aim.delay or 0)
            at_kill, calls = self._strike(victim, client, thread), len(self.gemini.requests)
            trap.released.set()
            (self.home / "hold").unlink(missing_ok=True)
            if work.is_asked and aim.at == "question":
                person.start()
            told = client.finish(60)
        self._let_desktop_end()
        self.gemini.trap = self.serpapi.trap = None
        calls = len(self.gemini.requests) - calls
        next_told = self._talk(thread), self._talk(thread)
        kept = self.json("threads", "show", thread), self._exported(thread)
        return Seen(work, victim, aim, at_kill, told, calls, self.acts.count("begun"), next_told, *kept)

    def _let_desktop_end(self) -> None:
        """Wait for what opens, unless it ended with the terminal it was started at."""
        until = time.monotonic() + 2
        while self.acts.count("begun") > self.acts.count("ended") and time.monotonic() < until:
            time.sleep(0.01)

    def _asked_for(self, work: Work, thread: str) -> tuple[str, ...]:
        """Return the command line that asks for *work*."""
        self.gemini.work, self.gemini.reading = work, work.reading
        self.serpapi.default = results([("It", work.found, "What stands there.")])
        if not work.is_late:
            return "-t", thread, work.words
        asked = self.json("-t", thread, work.words, timeout=60)["question"]["id"]
        return "-t", thread, "--answer", f"{asked}=1"

    def _set(self, work: Work, aim: Aim) -> Trap:
        kind, _, number = aim.at.partition(" ")
        trap = Trap(int(number) if kind == "request" else 0, is_held=aim.delay is None)
        self.gemini.trap = self.serpapi.trap = trap
        if kind == "desktop" and aim.delay is None:
            (self.home / "hold").touch()
        return trap

    def _wait_for(self, trap: Trap, aim: Aim, client: Running) -> None:
        if aim.at == "desktop":
            wait_until(lambda: self.acts)
        elif aim.at == "question":
            client.wait_for(">")
        else:
            assert trap.sprung.wait(60), f"{aim.at} never came."

    def _strike(self, victim: str, client: Running, thread: str) -> AtKill:
        """Stop whom it is for, look at what is in history, and kill them."""
        pids = [*([client.pid] if victim in ("client", "both") else []), *self.brains * (victim != "client")]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # it was quicker, and met none
                os.kill(pid, signal.SIGSTOP)
        at_kill = self._kept_now(thread)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.kill(pid, signal.SIGKILL)
        return at_kill

    def _kept_now(self, thread: str) -> AtKill:
        with contextlib.closing(self._connected()) as connection:
            value = "%s" if self._database_url else "?"
            turn = connection.execute(_STATUS.format(value=value), (thread,)).fetchone()
            step = turn and connection.execute(_STATE.format(value=value), (turn[0],)).fetchone()
            return AtKill(turn[1] if turn else "", step[0] if step else "")

    def _connected(self) -> Any:
        if self._database_url:
            return psycopg.connect(self._database_url, autocommit=True)
        (file,) = (self.home / "jarvis").rglob("history.db")
        return sqlite3.connect(f"file:{file}?mode=ro", uri=True)

    def _talk(self, thread: str) -> Result:
        """Return what the next front end of *thread* tells."""
        self.gemini.work, self.gemini.reading = None, "nothing"
        return self.jarvis("-t", thread, "thank you so much for all of that", timeout=60)

    def _exported(self, thread: str) -> list[dict[str, Any]]:
        lines = self.jarvis("threads", "export", thread).stdout.splitlines()
        (record,) = map(json.loads, lines)
        return record["turns"]


def _answer(client: Running) -> None:
    """Choose the first of what is asked about, as often as it is asked, until the client has ended."""
    screen, answered = client._outputs["screen"], 0
    while not screen.ended(0.02):
        if len(_PROMPT.findall(screen.said)) > answered:
            client.write(b"1\n")
            answered += 1


STUCK_SECONDS = 15  # besides a lease, which nobody gives back where both are killed
REPORTED = "From an earlier request: "


def met_open_turn(seen: Seen) -> bool:
    return seen.at_kill.status == "open" or (seen.work.words.startswith("open ") and not seen.at_kill.status)


def faults(seen: Seen) -> list[str]:
    """Return what was wrong, a word or two each; none where all is as promised."""
    return [*_history(seen), *_effect(seen), *_front_ends(seen), *_of_a_living_client(seen)]


def _history(seen: Seen) -> Iterator[str]:
    for where, turns in (("history", seen.turns), ("export", seen.exported)):
        there = sum(turn["goal"] == seen.work.words for turn in turns)
        if there < 1:
            yield f"lost in {where}"
        if there > 1:
            yield f"doubled in {where}"
    if any(turn["status"] == "open" for turn in seen.turns):
        yield "left open"


def _state(seen: Seen) -> str:
    """Return what history says of the step that acts; empty where there is none."""
    turns = [turn for turn in seen.turns if turn["goal"] == seen.work.words]
    steps = [step for turn in turns[-1:] for step in turn["steps"] if step["action"] in _OPENS]
    return steps[-1]["state"] if steps else ""


def _effect(seen: Seen) -> Iterator[str]:
    state = _state(seen)
    if seen.acts > 1:
        yield "doubled"
    if seen.acts and state not in ("done", "unknown"):
        yield f"denied ({state or 'no step'})"
    if state == "done" and not seen.acts:
        yield "claimed"
    if seen.aim.at == "desktop" and seen.calls:  # that act was the last
        yield "asked the model again"
    if state == "unknown" and seen.at_kill.state == "done":
        yield "unknown though the desktop had answered"


def _front_ends(seen: Seen) -> Iterator[str]:
    first, second = seen.next_told
    patience = STUCK_SECONDS + LASTS * (seen.victim == "both")
    if any(each.status or each.seconds > patience for each in seen.next_told):
        yield "stuck"
    was_told = _says(first) or (seen.victim == "brain" and _says(seen.told))
    is_unseen = seen.victim != "brain" and met_open_turn(seen)
    if (_state(seen) == "unknown" or (_state(seen) == "done" and is_unseen)) and not was_told:
        yield "untold"
    if _says(second):
        yield "told again"


def _of_a_living_client(seen: Seen) -> Iterator[str]:
    if seen.victim != "brain":
        return
    if seen.told.status:
        yield f"failed ({seen.told.status})"
    if _state(seen) == "unknown":
        yield "unknown though the desktop lives"
    if seen.acts != 1 or _state(seen) != "done":
        yield "not done"


def _says(told: Result) -> bool:
    return REPORTED in told.stderr
