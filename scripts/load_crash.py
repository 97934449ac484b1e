"""Does a brain die under load, or tell what is not so? On a near Postgres that answers too late at times."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bench_load import Brain
from bench_twins import WORDS
from load_clients import Told, all_at_once

from tests.postgres import Server

CLIENTS = 100
WAIT = "0.2"  # seconds for an answer, in place of 5: so much sooner is one given up
_WELL, _STILL = 1.0, 0.4  # seconds that the server answers, and then does not, over and over
_MADE = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
_LOOK = (
    "SELECT turns.thread, turns.status, COUNT(steps.n), COUNT(CASE WHEN steps.state = 'done' THEN 1 END)"
    " FROM turns LEFT JOIN steps ON steps.turn = turns.id AND steps.action = 'open_website'"
    " GROUP BY turns.thread, turns.id"
)


class Kept(NamedTuple):
    """What history holds of one client's turn."""

    status: str
    begun: int  # effects
    done: int


class Run(NamedTuple):
    told: list[Told]
    died: int | None  # the exit status of a brain that did; None: it lives
    faults: str  # what faulthandler said
    untrue: list[str]
    made: int  # connections; each that is hung up on takes a new one


def crash(runs: int = 50) -> int:
    """Print what became of so many brains; 1 where one died or told what is not so."""
    with Server() as server:
        done = []
        for n in range(1, runs + 1):
            done.append(run := _run(server))
            for line in _told(run):
                print(f"crash   run {n:>3}: {line}", flush=True)
    died = sum(run.died is not None for run in done)
    faults, untrue = (sum(bool(getattr(run, name)) for run in done) for name in ("faults", "untrue"))
    print(f"crash   {runs} runs of {CLIENTS} clients, {WAIT} s for an answer of the database:")
    made = sum(run.made for run in done)
    print(f"        the server stood still at times, so that {made} connections were made")
    print(f"        {died} died, {faults} with faults, {untrue} told what is not so")
    told = Counter(told.error or "done" for run in done for told in run.told)
    for words, count in told.most_common(6):
        print(f"        {count:>5} were told: {words}")
    return int(bool(died or faults or untrue))


def _run(server: Server) -> Run:
    url = server.url(server.database())
    with Brain(url, JARVIS_BENCH_WAIT=WAIT) as brain:
        with _stalling(server):
            told, _ = asyncio.run(all_at_once(brain.socket, WORDS, CLIENTS, 0))
        died, made = brain.process.poll(), server.execute(_MADE, url=url)[0][0]
        with open(brain.faults) as file:
            faults = file.read()
    kept = {thread: Kept(*row) for thread, *row in server.execute(_LOOK, url=url)}
    untrue = [line for each in told if (line := _untrue(each, kept.get(each.thread)))]
    return Run(told, died, faults, untrue, made)


@contextlib.contextmanager
def _stalling(server: Server) -> Iterator[None]:
    """Have the server stand still now and then, for longer than is waited: what hangs is hung up on."""
    over = threading.Event()

    def stall() -> None:
        while not over.wait(_WELL):
            still = server.processes()
            _signal(still, signal.SIGSTOP)
            time.sleep(_STILL)
            _signal(still, signal.SIGCONT)

    thread = threading.Thread(target=stall, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _signal(processes: Iterable[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _untrue(told: Told, kept: Kept | None) -> str:
    """Return how *told* differs from what was kept; empty where it does not.

    A turn whose end could not be written stays open, until the next one of its thread looks at it.
    """
    if told.acts > (kept.begun if kept else 0):
        return f"{told.thread} acted, and history knows nothing of it"
    if told.status == 0 and (kept is None or (kept.status, kept.done) != ("done", told.acts)):
        return f"{told.thread} was told that it is done, and history says {kept}"
    if told.status > 0 and kept and kept.status == "done":
        return f"{told.thread} was told {told.error!r}, and history says that it is done"
    return ""


def _told(run: Run) -> list[str]:
    """Return what is to be told of one run: nothing, where it went well."""
    return [
        *([f"died ({run.died})"] if run.died is not None else []),
        *[line.strip() for line in run.faults.splitlines() if line.startswith(("Fatal", "  File"))][:3],
        *run.untrue[:3],
    ]
