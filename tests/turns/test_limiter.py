"""The limiter lets through one turn of a thread at a time, and so many in all; the others wait in order."""

from __future__ import annotations

import asyncio

import pytest

from jarvis.core.concurrency import Limiter


class Turns:
    """Turns at a limiter, each of which ends when the test says so; a2 is of the thread a."""

    def __init__(self, most):
        self.limiter = Limiter(most)
        self.let_in = []
        self.told = {}
        self.tasks = {}
        self._ends = {}

    async def come(self, *names):
        for name in names:
            self._ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._turn(name))
            await settled()

    async def end(self, *names):
        for name in names:
            self._ends[name].set()
            await self.tasks[name]
            await settled()

    async def _turn(self, name):
        self.told[name] = []
        async with self.limiter.slot(name[0], lambda notice: self.told[name].append(notice.text)):
            self.let_in.append(name)
            await self._ends[name].wait()


async def settled():
    for _ in range(8):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("most", "come", "at_first", "end"),
    [
        (8, "a1 a2 a3 a4", "a1", "a1 a2 a3 a4"),  # of a thread one
        (2, "a1 b1 c1 d1", "a1 b1", "b1 a1 c1 d1"),  # so many in all
        (2, "a1 a2 a3 b1", "a1 b1", "b1 a1 a2 a3"),  # who waits for a thread keeps no other from a slot
    ],
)
def test_they_are_let_in_in_the_order_they_came(most, come, at_first, end):
    async def work():
        turns = Turns(most)
        await turns.come(*come.split())
        assert turns.let_in == at_first.split()
        await turns.end(*end.split())
        assert sorted(turns.let_in) == sorted(come.split())
        by_thread = [name for name in turns.let_in if name[0] == "a"]
        assert by_thread == sorted(by_thread)

    asyncio.run(work())


@pytest.mark.parametrize("given_up", ["a2", "b1", "a1"])
def test_who_is_cancelled_leaves_no_gap_and_no_place(given_up):
    async def work():
        turns = Turns(1)
        await turns.come("a1", "a2", "b1")
        turns.tasks[given_up].cancel()
        await settled()
        rest = [name for name in ("a1", "b1", "a2") if name != given_up]
        await turns.end(*rest)
        assert {*rest} <= {*turns.let_in}
        await turns.come("a3")
        assert turns.let_in[-1] == "a3"
        await turns.end("a3")

    asyncio.run(work())
