"""The gate lets through one turn of a thread at a time, and so many in all; the others wait in order."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import pytest

from jarvis.core.errors import TooManyTurns
from jarvis.turns.gate import Gate

USED = "The thread {} is in use by another terminal: waiting, {}"
BUSY = "{} under way, as many as may be at once: waiting, {}"


class Turns:
    """Turns at a gate, each of which ends when the test says so."""

    def __init__(self, *most):
        self.gate = Gate(*most)
        self.let_in = []
        self.told = {}
        self._ends = {}
        self._tasks = {}

    async def come(self, *names):
        """Have turns arrive one after the other: a2 is of the thread a."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._turn(name))
            await settled()

    async def end(self, *names):
        for name in names:
            self._ends[name].set()
            await self._tasks[name]
            await settled()

    async def end_all(self):
        for end in self._ends.values():
            end.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def cancel(self, name):
        self._tasks[name].cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._tasks[name]

    async def _turn(self, name):
        self.told[name] = []
        async with self.gate.passed(name[0], lambda notice: self.told[name].append(notice.text)):
            self.let_in.append(name)
            await self._ends[name].wait()

    @property
    def is_empty(self):
        return self.gate._queues == {} and self.gate._under_way.is_empty


async def settled():
    for _ in range(8):
        await asyncio.sleep(0)


@pytest.fixture
def gated():
    """Runs a coroutine on turns at a gate; once it has ended nobody is in it, and no thread is remembered."""

    def run(work, *most):
        async def whole():
            turns = Turns(*most)
            await work(turns)
            assert turns.is_empty
            assert turns.gate.waiting == 0

        asyncio.run(asyncio.wait_for(whole(), 30))

    return run


def test_in_a_thread_they_are_let_in_in_the_order_they_came_and_told_their_place(gated):
    names = [f"a{number}" for number in range(16)]

    async def work(turns):
        await turns.come(*names)
        assert turns.let_in == ["a0"]
        await turns.end(*names)
        assert turns.let_in == names
        assert turns.told["a0"] == []
        assert turns.told["a1"] == [USED.format("a", "yours is next")]
        assert [turns.told[name] for name in names[2:]] == [
            [USED.format("a", f"{before} before yours")] for before in range(1, 15)
        ]

    gated(work, 32)


def test_who_comes_again_waits_behind_those_who_were_not_let_in_yet(gated):
    async def work(turns):
        await turns.come("a1", "a2", "a3")
        await turns.end("a1")
        await turns.come("a4")
        await turns.end("a2", "a3", "a4")
        assert turns.let_in == ["a1", "a2", "a3", "a4"]

    gated(work, 32)


def test_so_many_are_let_in_and_the_others_told_how_many_are_before_them(gated):
    async def work(turns):
        await turns.come("a", "b", "c", "d", "e")
        assert turns.let_in == ["a", "b"]
        assert turns.told["b"] == []
        told = [*turns.told["c"], *turns.told["d"], *turns.told["e"]]
        places = ("yours is next", "1 before yours", "2 before yours")
        assert told == [BUSY.format("2 requests", place) for place in places]
        await turns.end("b", "a", "c", "d", "e")
        assert turns.let_in == ["a", "b", "c", "d", "e"]

    gated(work, 2)


def test_those_that_wait_for_their_thread_take_no_place_from_other_threads(gated):
    async def work(turns):
        await turns.come("a1", "a2", "a3", "a4", "b1")
        assert turns.let_in == ["a1", "b1"]
        await turns.end("a1", "b1", "a2", "a3", "a4")

    gated(work, 2)


def test_a_place_that_has_changed_is_told_again(gated, monkeypatch):
    monkeypatch.setattr("jarvis.turns.gate._AGAIN_SECONDS", 0.001)

    async def work(turns):
        await turns.come("a1", "a2", "a3")
        await asyncio.sleep(0.05)
        assert len(turns.told["a3"]) == 1  # and one that has not is told once
        await turns.end("a1")
        while len(turns.told["a3"]) == 1:  # noqa: ASYNC110 (there is no event)
            await asyncio.sleep(0.001)
        assert turns.told["a3"][1:] == [USED.format("a", "yours is next")]
        await turns.end("a2", "a3")

    gated(work, 32)


@pytest.mark.parametrize("names", [["a1", "a2", "a3"], ["a", "b", "c"]], ids=["its thread", "the gate"])
def test_who_is_cancelled_leaves_at_once_and_gives_its_place_to_the_next(gated, names):
    first, second, third = names

    async def work(turns):
        await turns.come(first, second, third)
        await turns.cancel(second)
        assert turns.gate.waiting == 1
        await turns.end(first)
        assert turns.let_in == [first, third]
        await turns.end(third)

    gated(work, 1)


@pytest.mark.parametrize("names", [["a1", "a2", "a3"], ["a", "b", "c"]], ids=["its thread", "the gate"])
def test_who_is_cancelled_at_the_moment_they_are_let_in_keeps_no_place(gated, names):
    first, second, third = names

    async def work(turns):
        await turns.come(first, second, third)
        waited = turns.gate._queues[first[0]]._waiting or turns.gate._under_way._waiting
        place = waited[0]
        turns._ends[first].set()
        while not place.done():  # noqa: ASYNC110 (from one step of the loop to the next)
            await asyncio.sleep(0)
        assert second not in turns.let_in
        await turns.cancel(second)
        await settled()
        assert turns.let_in == [first, third]
        await turns.end(third)

    gated(work, 1)


def test_more_than_so_many_that_wait_are_refused_at_once_those_for_a_thread_among_them(gated):
    async def work(turns):
        waiting = [*(f"a{number}" for number in range(2, 130)), *(f"b{number}" for number in range(1, 129))]
        await turns.come("a1", *waiting)
        assert turns.gate.waiting == 256
        for thread in ("a", "b", "c"):
            with pytest.raises(TooManyTurns) as failure:
                async with turns.gate.passed(thread, print):
                    raise AssertionError
            assert (failure.value.exit_status, failure.value.code) == (75, "too_many_turns")
            assert failure.value.message.startswith("256 requests are waiting already")
        await turns.cancel("a2")
        await turns.come("c")  # there is room again
        await turns.end_all()

    gated(work, 1)


def test_where_there_is_room_nobody_is_refused_however_many_wait_for_another_thread(gated):
    async def work(turns):
        await turns.come("a1", "a2", "a3", "b1")
        assert turns.let_in == ["a1", "b1"]
        await turns.end("a1", "a2", "a3", "b1")

    gated(work, 2, 2)


def test_who_asks_their_person_leaves_and_comes_back_without_waiting(gated):
    async def work(turns):
        await turns.come("a1", "a2", "b", "c")
        assert turns.let_in == ["a1"]
        with turns.gate.away():
            await settled()
            assert turns.let_in == ["a1", "b"]  # a2 waits for its thread, in which there is a question
        await settled()
        await turns.end("b")
        assert turns.let_in == ["a1", "b"]  # a1 is back: there is room for nobody else
        await turns.end("a1", "c", "a2")
        assert turns.let_in == ["a1", "b", "c", "a2"]

    gated(work, 1)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_cancelled_there_are_never_too_many_and_no_place_is_lost(seed):
    """In steps of the loop, so that some are cancelled just as they are let in."""
    chance, inside, most_seen = random.Random(seed), [], []

    async def turn(gate, thread):
        async with gate.passed(thread, lambda notice: None):
            inside.append(thread)
            most_seen.append(len(inside))
            assert len(set(inside)) == len(inside)
            try:
                for _ in range(chance.randrange(6)):
                    await asyncio.sleep(0)
            finally:
                inside.remove(thread)

    async def work():
        gate = Gate(3)
        tasks = []
        for _ in range(200):
            tasks.append(asyncio.create_task(turn(gate, chance.choice("abcde"))))
            if chance.random() < 0.4:
                chance.choice(tasks).cancel()
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        assert any(task.cancelled() for task in tasks)
        assert (gate._queues, gate._under_way.is_empty, inside) == ({}, True, [])

    asyncio.run(asyncio.wait_for(work(), 30))
    assert max(most_seen) == 3
