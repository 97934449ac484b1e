"""What is given up while the server is at it: nobody else notices, and nothing is done twice."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from functools import partial

import psycopg
import pytest

from jarvis.core.concurrency import run_async
from jarvis.core.types import Found, Outcome, Plan, Step
from jarvis.store.history import History, Journal
from jarvis.store.leases import take_lease
from jarvis.store.postgres import Postgres
from tests.far import Far

PAGES = tuple(Found(f"https://{name}.example/", name) for name in "abc")
SEARCH = Step(1, Plan("search", {"query": "abc"}), Outcome("done", "3.", found=PAGES))


@pytest.mark.parametrize(("what", "after"), [("take", 0.0), ("take", 0.01), ("release", 0.01)])
def test_whoever_is_cancelled_at_a_lock_leaves_the_others_theirs(url, what, after):
    async def work(far):
        ours, theirs = Postgres(far.url, 20), Postgres(url, 20)
        for database in (ours, theirs):
            await database.open()
        locks, other = partial(take_lease, ours), partial(take_lease, theirs)
        kept = await locks("kept")
        cancelled = await locks("cancelled") if what == "release" else None
        asking = asyncio.ensure_future(cancelled.aclose() if cancelled else locks("cancelled"))
        await asyncio.sleep(after)
        was_at_it = asking.cancel()
        await asyncio.wait([asking])
        held = await other("kept")
        await kept.aclose()
        await asyncio.sleep(0.2)
        both = [await other(name) for name in ("kept", "cancelled")]
        for end in (*(lock.aclose() for lock in both if lock), ours.close(), theirs.close()):
            await end
        return was_at_it, held, [bool(lock) for lock in both]

    with Far(url, 0.02) as far:
        assert run_async(work(far)) == (True, None, [True, True])


@pytest.mark.usefixtures("impatient")
def test_what_stands_still_in_the_server_for_longer_than_our_wait_is_written_once(url):
    """The process there goes on with what was given up here, after it was done on another connection."""

    def send(number):
        for pid in stopped:
            os.kill(pid, number)

    def stand_still():
        with psycopg.connect(url, autocommit=True) as server:
            at_work = server.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND state = 'idle in transaction' AND application_name LIKE 'jarvis%'"
            ).fetchall()
        stopped.extend(pid for (pid,) in at_work)
        send(signal.SIGSTOP)
        threading.Timer(2, send, [signal.SIGCONT]).start()

    async def work(far):
        database = Postgres(far.url, 45)
        await database.open()
        history = History(database)
        turn = await history.begin("work", "find abc")
        far.hold_trip(2, stand_still)  # its COMMIT is under way
        found = await Journal(history.database, turn).keep_found(SEARCH, ())
        await asyncio.sleep(1)
        kept = await database.run("SELECT id, url FROM addresses ORDER BY id")
        await database.close()
        return [(address.id, address.url) for address in found], kept

    stopped: list[int] = []
    with Far(url, 0.02) as far:
        found, kept = run_async(work(far))

    assert stopped
    assert found == [tuple(row) for row in kept]
    assert [url for _, url in found] == [page.url for page in PAGES]
