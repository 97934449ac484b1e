"""Searches share so many places, each a connection: who finds none waits, and is not late."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jarvis.config.keys import Secret
from jarvis.config.settings import Budgets
from jarvis.core.errors import ServiceUnreachable
from jarvis.search.serpapi import SerpApi
from tests.search.test_services import KEY, PAGE, Shops, lanterns
from tests.twins.serpapi import Stall, results

PLACES = Budgets().turns_at_once
FOUND = results([("A page", "https://a.example/", "What stands there")])


@pytest.fixture
def shops(house):
    return Shops(house)


class Counted:
    """A page, answered once the test says so; how many asked for it at the same time."""

    def __init__(self):
        self.now, self.most = 0, 0
        self.may_answer = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, request):
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        assert self.may_answer.wait(20)
        with self._lock:
            self.now -= 1
        return FOUND


def test_as_many_as_may_be_at_once_have_a_connection_each_and_keep_it(serpapi):
    all_there = threading.Barrier(32)  # that fewer were asked at once would break it
    serpapi.finds(*[lambda _: all_there.wait(20) >= 0 and FOUND] * 64)

    async def work():
        search = SerpApi(Secret(KEY), serpapi.url, seconds=30, at_once=32)
        for _ in range(2):
            await asyncio.gather(*(search(f"query {number}", ()) for number in range(32)))
            assert serpapi.connections == 32
        await search.close()

    asyncio.run(work())
    assert len(serpapi.requests) == 64


def test_more_than_that_wait(serpapi):
    counted = Counted()
    serpapi.finds(*[counted] * 20)

    async def work():
        search = SerpApi(Secret(KEY), serpapi.url, seconds=30, at_once=4)
        tasks = [asyncio.create_task(search(f"query {number}", ())) for number in range(20)]
        while counted.now < 4:  # noqa: ASYNC110 (of a thread)
            await asyncio.sleep(0.01)
        counted.may_answer.set()
        assert all(await asyncio.gather(*tasks))
        await search.close()

    asyncio.run(work())
    assert (counted.most, len(serpapi.requests)) == (4, 20)


@pytest.mark.slow
def test_one_that_hangs_gives_its_place_back_and_who_waited_for_it_is_not_late(serpapi):
    serpapi.finds(Stall(20), Stall(20), FOUND, FOUND)

    async def work():
        search = SerpApi(Secret(KEY), serpapi.url, seconds=1, at_once=2)
        found = await asyncio.gather(
            *(search(f"query {number}", ()) for number in range(4)), return_exceptions=True
        )
        await search.close()
        return found

    hung, also, *found = asyncio.run(work())

    assert [type(hung), type(also)] == [ServiceUnreachable] * 2
    assert [len(each) for each in found] == [1, 1]


def test_who_is_cancelled_while_they_wait_has_sent_nothing_and_leaves_the_place_to_others(serpapi):
    serpapi.finds(FOUND)

    async def work():
        search = SerpApi(Secret(KEY), serpapi.url, at_once=1)
        async with search.places:
            task = asyncio.create_task(search("query", ()))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert serpapi.requests == []
        assert await search("query", ())
        await search.close()

    asyncio.run(work())


@pytest.mark.slow
def test_engines_have_the_same_places_and_their_time_begins_with_the_first_that_is_sent(shops):
    shops.twin.sells(google_shopping=PAGE)

    async def work(engines):
        async with asyncio.TaskGroup() as group:
            for _ in range(PLACES):
                await engines._client.places.acquire()
            asked = group.create_task(engines.ask_all([*map(lanterns, range(3))]))
            await asyncio.sleep(2.5)
            assert shops.twin.requests == []
            for _ in range(PLACES):
                engines._client.places.release()
        return asked.result()

    assert shops.do(work, seconds=2) == [PAGE] * 3
    assert shops.counted == (3, 3)


def test_engines_that_are_cancelled_while_they_wait_have_counted_nothing(shops):
    async def work(engines):
        for _ in range(PLACES):
            await engines._client.places.acquire()
        asked = asyncio.create_task(engines.ask_all([*map(lanterns, range(3))]))
        await asyncio.sleep(0.3)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    shops.do(work)

    assert shops.counted == (0, 0)
