"""How much slower is a turn once connections to a near Postgres were lost? All by one brain, in order."""

from __future__ import annotations

import asyncio
import statistics
import threading
from collections.abc import Callable

from bench_load import Brain
from bench_times import RUNS
from bench_twins import WORDS
from load_clients import all_at_once

from tests.far import Far
from tests.postgres import Server

_TIMES = max(1, RUNS // 3)
_OUTAGE = 3.0  # seconds


def lost() -> int:
    """Print the seconds of a turn as a rule, and beyond these after each loss; 1 where a turn failed."""
    with Server() as server, Far(server.url(server.database())) as far, Brain(far.url) as brain:
        failures: list[str] = []

        def turn() -> float:
            told, seconds = asyncio.run(all_at_once(brain.socket, WORDS, 1, 0))
            failures.extend(each.error for each in told if each.status)
            return seconds

        for _ in range(3):
            turn()
        usual = statistics.median(turn() for _ in range(RUNS))
        print(f"lost    a turn as a rule                      {usual:6.2f} s", flush=True)
        for name, lose in _losses(far, turn).items():
            more = [_after(lose, turn) - usual for _ in range(_TIMES)]
            print(
                f"        {name:<38}{statistics.median(more):+6.2f} s, at worst {max(more):+.2f}", flush=True
            )
    for words in failures:
        print(f"        was told: {words}")
    return int(bool(failures))


def _losses(far: Far, turn: Callable[[], float]) -> dict[str, Callable[[], int]]:
    """Return what loses connections, and how many; in this order."""

    def outage() -> int:
        ended = far.cut()
        far.stop()
        threading.Timer(_OUTAGE, far.start).start()
        turn()  # which waits for the server
        return ended

    return {
        "after all connections were cut": far.cut,
        "after all were swallowed": far.swallow,
        f"after an outage of {_OUTAGE:g} s was over": outage,
        "cut, after that": far.cut,
        "swallowed, after that": far.swallow,
    }


def _after(lose: Callable[[], int], turn: Callable[[], float]) -> float:
    turn()  # connects
    assert lose(), "There was no connection to lose."
    return turn()
