"""Leases of threads on a server: they run out, are taken over, and keep their former holder from writing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from jarvis.core.concurrency import run_async
from jarvis.core.errors import JarvisError
from jarvis.core.types import ActionRequest, Effect, Plan
from jarvis.store import leases
from jarvis.store.history import History, Journal
from jarvis.store.leases import take_lease
from jarvis.store.postgres import Postgres
from tests.far import Far
from tests.house import House

RUN_OUT = "UPDATE leases SET until = 1"
PLAN, REQUEST = (
    Plan("open_website", {}),
    ActionRequest(1, "open_website", Effect("opens", "https://a.example/")),
)


def on(url, work):
    """What *work* returns, given connections as two processes have them."""

    async def whole():
        databases = [Postgres(url, 20) for _ in range(2)]
        for database in databases:
            await database.open()
        try:
            return await work(*databases)
        finally:
            for database in databases:
                await database.close()

    return run_async(whole())


@pytest.fixture
def as_another(monkeypatch):
    """Has what is taken from now on be taken by another process."""
    return lambda name: monkeypatch.setattr(leases, "_PROCESS", name)


@pytest.mark.parametrize("what", ["start", "end"])
def test_who_lost_a_lease_writes_nothing_and_whoever_has_it_does(url, as_another, what):
    """It stood still for so long: it woke up before a step, or before the end of its turn."""

    async def written(journal, history):
        try:
            if what == "start":
                await journal.start(REQUEST, PLAN)
            else:
                await history.end(journal.turn, "done", extra=journal.lock.fence)
        except JarvisError as error:
            return error.code
        return "written"

    async def work(one, other):
        journals = []
        for database, process in ((one, "first"), (other, "second")):
            as_another(process)
            lock = await take_lease(database, "default", f"turn-{process}")
            turn = await History(database).begin("default", "x", id_=f"turn-{process}")
            journals.append(Journal(database, turn, lock))
            await database.run(RUN_OUT)
        codes = [await written(each, History(one)) for each in journals]
        rows = await one.run("SELECT turn FROM steps UNION SELECT id FROM turns WHERE status = 'done'")
        for each in journals:
            await each.lock.aclose()
        return codes, rows

    assert on(url, work) == (["thread_busy", "written"], [("turn-second",)])


# Who comes while a process has it for a turn: its turn, whether their line broke, and whether they get it.
@pytest.mark.parametrize(
    ("turn", "resumes", "gets_it"),
    [("t1", True, True), ("t1", False, False), ("t2", True, False), ("t2", False, False)],
)
def test_who_comes_back_with_their_turn_takes_it_over_and_nobody_else(
    url, as_another, turn, resumes, gets_it
):
    async def work(one, other):
        held = await take_lease(one, "default", "t1")
        as_another("second")
        taken = await take_lease(other, "default", turn, resumes=resumes)
        await held.aclose()
        # What the first one gives back is not what the second one has.
        later = await take_lease(one, "default", "t3")
        for lock in filter(None, (taken, later)):
            await lock.aclose()
        return bool(taken), bool(later)

    assert on(url, work) == (gets_it, not gets_it)


def test_a_lease_is_renewed_while_it_is_held_by_one_statement_each_time(url, as_another, monkeypatch):
    monkeypatch.setattr(leases, "LASTS", 2.0)
    monkeypatch.setattr(leases, "_PAUSE", 0.5)

    async def work(one, other):
        lock = await take_lease(one, "default")
        as_another("second")
        far.counted()
        await asyncio.sleep(4)
        sent = far.counted()
        later = await take_lease(other, "default")
        await lock.aclose()
        return bool(later), sent.trips, sum(each.startswith("UPDATE leases") for each in sent.statements)

    with Far(url) as far:
        taken, trips, renewals = on(far.url, work)
    assert (taken, trips) == (False, renewals)
    assert 4 <= trips <= 9


@pytest.mark.parametrize(("what", "after"), [("take", 0.0), ("take", 0.01), ("release", 0.01)])
def test_who_is_stopped_while_they_take_or_release_one_leaves_all_others_as_they_are(url, what, after):
    async def work(one, other):
        kept = await take_lease(one, "kept")
        stopped = await take_lease(one, "stopped") if what == "release" else None
        asking = asyncio.ensure_future(stopped.aclose() if stopped else take_lease(one, "stopped"))
        await asyncio.sleep(after)
        was_at_it = asking.cancel()
        await asyncio.wait([asking])
        held = await take_lease(other, "kept")
        await kept.aclose()
        await asyncio.sleep(0.2)
        free = [await take_lease(other, name) for name in ("kept", "stopped")]
        for lock in filter(None, free):
            await lock.aclose()
        return was_at_it, held, [bool(lock) for lock in free]

    with Far(url, 0.02) as far:
        assert on(far.url, work) == (True, None, [True, True])


# How often a turn waits for a Postgres server: a database is rarely next door.


MIT = "https://web.mit.edu/"
FIND_AND_OPEN = "find the MIT website and open it"
SMALL_TALK = "hello there"
SEARCH = {"action": "search", "query": "MIT official website"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
MOST_TRIPS = {FIND_AND_OPEN: 22, SMALL_TALK: 13}
MOST_COMMITS = 15


@pytest.fixture
def far(url) -> Iterator[Far]:
    with Far(url) as far:
        yield far


@pytest.mark.parametrize("before", [0, 2], ids=["a fresh thread", "the third turn of a thread"])
@pytest.mark.parametrize("words", MOST_TRIPS)
def test_a_turn_waits_for_the_server_only_so_often(words, before, far, tmp_path, gemini, serpapi):
    house = House(tmp_path, gemini, serpapi, far.url)
    with house.staying():
        ask(house, "hello", "another")  # sets the tables up, and connects
        for _ in range(before):
            ask(house, words)
        far.counted()

        asked = ask(house, words)

        counted = far.counted()
    assert asked.status == ("done", 0), asked.summary["error"]
    assert house.desktop.opened == ([MIT] * (before + 1) if words == FIND_AND_OPEN else [])
    assert 0 < counted.trips <= MOST_TRIPS[words], counted.told()
    assert 0 < counted.commits <= MOST_COMMITS, counted.told()


def ask(house, words, thread="default"):
    if words == FIND_AND_OPEN:
        house.search_finds(MIT, *(f"https://r{n}.example.edu/" for n in range(9)))
        house.model_plans(SEARCH, OPEN)
    else:
        house.model_plans(HELLO)
    return house.ask(words, thread)
