"""A process is killed, or stands still, while it holds a thread on a server that another one wants."""

from __future__ import annotations

import os
import queue
import signal
import threading

import psycopg
import pytest

from tests.far import Far
from tests.shell import Shell

FIND = "find the MIT website and open it"
SEARCH = {"action": "search", "query": "MIT official website"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
# When it is struck: at that round trip; 0: while the model plans the opening.
CASES = [
    (signal.SIGSTOP, 0),
    *((signal.SIGKILL, trip) for trip in (0, 9, 21)),
    *(pytest.param(signal.SIGKILL, trip, marks=pytest.mark.long) for trip in range(1, 31)),
]


def by_words(asked):
    """What the model plans for the request that a prompt is about."""
    said = asked.prompt.rsplit("The person now says:", 1)[1]
    return HELLO if FIND not in said else OPEN if "[r1]" in asked.prompt else SEARCH


@pytest.mark.slow
@pytest.mark.parametrize(("how", "trip"), CASES)
def test_another_goes_on_in_the_thread_and_nothing_is_done_that_it_does_not_know_of(
    tmp_path, gemini, serpapi, url, how, trip
):
    def rows(sql):
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def strike():
        os.kill(pids.get(timeout=60), how)
        fired.set()

    def planned(asked):
        if (plan := by_words(asked)) == OPEN and not trip:
            strike()
        return plan

    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one, other = (Shell(tmp_path / name, gemini, serpapi, url) for name in ("one", "other"))
    gemini.plans(*[planned] * 8)
    one.search_finds("https://web.mit.edu/")
    assert other.jarvis("-t", "before", "hello").status == 0  # sets the tables up
    pids: queue.Queue[int] = queue.Queue()
    fired = threading.Event()

    with Far(url) as far:
        if trip:
            far.hold_trip(trip, strike)
        with one.program(DATABASE_URL=far.url).start("-t", "shared", FIND) as running:
            pids.put(running.pid)
            assert fired.wait(60)
            begun = rows("SELECT state FROM steps WHERE action LIKE 'open_%'")
            rows("UPDATE leases SET until = 1 WHERE until > 0")  # as 30 s later
            asked = other.jarvis("-t", "shared", "hello")
            is_known = rows("SELECT 1 FROM steps WHERE action LIKE 'open_%'")
            if how == signal.SIGSTOP:
                os.kill(running.pid, signal.SIGCONT)
            running.finish()
    assert other.jarvis("-t", "shared", "hello").status == 0  # which closes what the first one left open

    assert (asked.status, asked.stdout) == (0, "Hello.\n")
    assert ("From an earlier request: " in asked.stderr) == (begun == [("started",)])
    assert len(one.opened) <= len(is_known)
    assert rows("SELECT id FROM turns WHERE status = 'open'") == []
