"""Many turns at once on a Postgres that fails under them: each is done, once; or history says the same."""

import asyncio
import signal
import threading
import time

import pytest

from jarvis.actions.base import catalogue
from jarvis.cli.in_process import LocalFrontend
from jarvis.core.errors import JarvisError
from jarvis.core.events import Words
from jarvis.desktop.desktop import Desktop
from jarvis.output.screen import Screen
from jarvis.turns import build
from tests.far import Far
from tests.house import Asked, House, RecordingDesktop, _Collector
from tests.store.test_postgres import hung_up_on

TURNS = 12
PAGE = "https://a.example/"
SEARCH = {"action": "search", "query": "x"}
FOUND = {"organic_results": [{"title": "A", "link": PAGE, "snippet": "s"}]}


class World:
    """The server, the line to it, and whether the turns are over."""

    def __init__(self, own, far):
        self.own, self.far = own, far
        self.is_over = threading.Event()

    def restart(self, how=signal.SIGKILL, seconds=0.0):
        before = self.own.pid
        self.own.stop(how)
        time.sleep(seconds)
        self.own.start()
        return self.own.pid != before

    def outage(self, seconds):
        self.far.stop()
        time.sleep(seconds)
        self.far.start()
        return True

    def cut_again_and_again(self):
        cuts = 0
        while not self.is_over.wait(0.15):
            cuts += hung_up_on(self.own)
        return cuts > 4


# What happens as so many calls of the model have begun, and how often a turn tells of it at most.
FAULTS = {
    "killed": (World.restart, 2),
    "away for two seconds": (lambda world: world.restart(signal.SIGINT, 2.0), 2),
    "hung up on": (lambda world: hung_up_on(world.own), 0),
    "cut every 0.15 s": (World.cut_again_and_again, 99),
    "cut, one after the other in a session of its own": (World.cut_again_and_again, 99),
    "swallowed": (lambda world: world.far.swallow(), 2),
    "an outage of 0.2 s": (lambda world: world.outage(0.2), 2),
    "an outage of 3 s": (lambda world: world.outage(3.0), 2),
}
CASES = [("killed", 3), ("killed", 14), ("away for two seconds", 14), ("hung up on", 14), ("swallowed", 14)]
CASES += [(fault, 0) for fault in FAULTS if fault.startswith("cut")]
LONG = [(fault, at) for fault in FAULTS for at in (0, 3, 9, 12, 15, 21) if (fault, at) not in CASES]
LONG_CASES = [pytest.param(*case, marks=pytest.mark.long) for case in LONG]


class Client:
    """A person at a terminal of their own."""

    def __init__(self, house, n):
        self._settings = house.settings
        self.desktop, self.thread, self.heard = RecordingDesktop(house.home), f"thread-{n}", Asked()
        tell = _Collector(self.heard).tell
        self._front = LocalFrontend(tell, Desktop(self.desktop, catalogue()), Screen())

    async def ask(self, session):
        """Return what the client was told: how the turn ended. session: None is one of their own."""
        if session is None:
            async with build.session(self._settings) as own:
                return await self.ask(own)
        try:
            return (await session.turn(Words("find x and open it"), self.thread, self._front)).status
        except JarvisError as error:
            return error.code

    @property
    def away(self):
        return [event for event in self.heard if "can't be reached" in getattr(event, "text", "")]


def plans(asked):
    """What is asked for first is searched for, and what was found is opened, by whatever id it has."""
    time.sleep(0.2)
    found = [id_ for id_ in asked.enum("address") if id_.startswith("r")]
    return {"action": "open_website", "address": found[0], "finish": True} if found else SEARCH


async def asked_while(house, world, fault, at, *, is_apart=False):
    """Return the clients, what each was told, and whether *fault* was felt."""
    async with build.session(house.settings) as session:
        clients = [Client(house, n) for n in range(TURNS)]
        at_once = asyncio.gather(*(client.ask(session) for client in ([] if is_apart else clients)))
        async with asyncio.timeout(60):
            while len(house.gemini.requests) < at:  # noqa: ASYNC110 (a twin tells nobody)
                await asyncio.sleep(0.01)
        happening = asyncio.create_task(asyncio.to_thread(fault, world))
        try:
            told = await at_once or [await client.ask(None) for client in clients]
        finally:
            world.is_over.set()  # else its thread would go on for ever
        return clients, told, await happening


@pytest.fixture
def world(own, url):
    with Far(url) as far:
        yield World(own, far)


@pytest.fixture
def house(tmp_path, gemini, serpapi, world):
    house = House(tmp_path, gemini, serpapi, world.far.url)
    serpapi.finds(*[FOUND] * TURNS)
    gemini.plans(*[plans] * 2 * TURNS)
    return house


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at"), [*CASES, *LONG_CASES])
def test_each_turn_is_done_once_when_it_is_back(house, world, name, at, request):
    house.configure("[budgets]\ndatabase_seconds = 45\n")
    assert house.turns() == []  # its tables are there
    if name == "swallowed":
        request.getfixturevalue("impatient")
    (fault, most_told), began = FAULTS[name], time.monotonic()

    is_apart = "of its own" in name
    clients, told, is_felt = asyncio.run(asked_while(house, world, fault, at, is_apart=is_apart))

    print(f"{name} at {at}: {told.count('done')} of {TURNS} in {time.monotonic() - began:.1f} s")
    assert is_felt
    assert told == ["done"] * TURNS
    assert [client.desktop.opened for client in clients] == [[PAGE]] * TURNS
    assert house.cost == (2 * TURNS, TURNS)
    for client in clients:
        (turn,) = house.turns(client.thread)
        assert (turn["status"], [step["state"] for step in turn["steps"]]) == ("done", ["done", "done"])
        assert len(client.away) <= most_told
    assert house.rows("SELECT count(*) FROM checkpoints") == [(0,)]


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_where_it_stays_away_history_never_says_more_than_was_told(house, world):
    house.configure("[budgets]\ndatabase_seconds = 1\n")

    def stop(world):
        world.own.stop(signal.SIGKILL)
        return True

    clients, told, _ = asyncio.run(asked_while(house, world, stop, TURNS // 2))
    world.own.start()

    assert "done" not in told
    for client, said in zip(clients, told, strict=True):
        assert [turn["status"] for turn in house.turns(client.thread)] in ([], ["open"], [said])
