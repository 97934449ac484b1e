"""Many turns at once on a Postgres that goes away under them: history has what each of them was told."""

from __future__ import annotations

import asyncio
import signal
import threading
import time

import pytest

from jarvis.actions import desktop_actions
from jarvis.cli.in_process import LocalFrontend
from jarvis.core.errors import JarvisError, ServiceUnreachable
from jarvis.core.events import Words
from jarvis.desktop.desktop import Desktop
from jarvis.output.screen import Screen
from jarvis.turns import build
from tests.far import Far
from tests.house import House, RecordingDesktop

AWAY_SECONDS = 2.0
TURNS = 8
FOUND = {"organic_results": [{"title": "A", "link": "https://a.example/", "snippet": "s"}]}
SEARCH = {"action": "search", "query": "x"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}


@pytest.fixture
def house(tmp_path, gemini, serpapi, url):
    return House(tmp_path, gemini, serpapi, url)


def plans(asked):
    """What is asked for first is searched for, and what was found is opened."""
    time.sleep(0.2)
    return OPEN if "r1" in asked.enum("address") else SEARCH


class Client:
    """A person at a terminal of their own."""

    def __init__(self, house, session, n):
        self.desktop = RecordingDesktop(house.home)
        self.thread = f"thread-{n}"
        self._session = session
        self._front = LocalFrontend(lambda event: None, Desktop(self.desktop, desktop_actions()), Screen())

    async def ask(self):
        """Return what the client was told: how the turn ended."""
        try:
            return (await self._session.turn(Words("find x and open it"), self.thread, self._front)).status
        except JarvisError as error:
            return error.code


@pytest.mark.parametrize("comes_back", [True, False], ids=["comes back", "stays away"])
def test_a_server_that_goes_away_under_many_turns(house, own, comes_back, request):
    """Each is done, once; or it is told that it is not, and the next look into history says no more."""
    if not comes_back:
        request.getfixturevalue("impatient")
    house.configure(f"[budgets]\ndatabase_seconds = {45 if comes_back else 1}\n")
    house.serpapi.finds(*[FOUND] * TURNS)
    house.model_plans(*[plans] * 2 * TURNS)
    told, clients = asyncio.run(asked_while_it_goes(house, own, comes_back))

    opened = [client.desktop.opened for client in clients]
    kept = [house.turns(client.thread) for client in clients]
    if comes_back:
        assert told == ["done"] * TURNS
        assert opened == [["https://a.example/"]] * TURNS
        assert [[turn["status"] for turn in turns] for turns in kept] == [["done"]] * TURNS
    for said, turns in zip(told, kept, strict=True):
        assert [turn["status"] for turn in turns] in ([], ["open"], [said])
    assert not any(turns and turns[0]["status"] == "done" for turns in kept) or comes_back


async def asked_while_it_goes(house, own, comes_back):
    async with build.session(house.settings) as session:
        clients = [Client(house, session, n) for n in range(TURNS)]
        asking = [asyncio.ensure_future(client.ask()) for client in clients]
        async with asyncio.timeout(20):
            while len(house.gemini.requests) < TURNS // 2:  # noqa: ASYNC110 (a twin tells nobody)
                await asyncio.sleep(0.01)
        before = own.pid
        await asyncio.to_thread(own.stop, signal.SIGKILL)
        if comes_back:
            threading.Timer(AWAY_SECONDS, own.start).start()
        told = await asyncio.gather(*asking)
    if not comes_back:
        own.start()
    assert own.pid != before
    return told, clients


@pytest.mark.parametrize("trip", [2, 6, 10])
def test_a_server_that_is_restarted_in_the_middle_of_a_turn(house, own, trip):
    """It goes on, unless the saver of its checkpoint meets that: then it fails, told as history has it."""

    def restarted():
        own.stop(signal.SIGKILL)
        own.start()

    with Far(house.environment["DATABASE_URL"]) as far:
        house.environment["DATABASE_URL"] = far.url
        with house.staying():
            house.model_plans({"action": "reply", "text": "Hello."})
            house.ask("hello", "another")
            house.serpapi.finds(FOUND)
            house.model_plans(SEARCH, OPEN)
            has_happened = far.at_trip(trip, restarted)

            try:
                told = house.ask("find x and open it").summary
            except ServiceUnreachable:  # before the turn had begun
                told = {"status": None, "steps": []}

            assert has_happened.wait(20)
        states = [step["state"] for step in told["steps"]]
        assert house.desktop.opened == ["https://a.example/"] * states[1:].count("done")
        assert states == ["done", "done"] or told["status"] != "done"
        assert told["status"] in ("done", None) or told["error"]["code"] == "unreachable"
        kept = [(turn["status"], [step["state"] for step in turn["steps"]]) for turn in house.turns()]
        assert kept == ([(told["status"], states)] if told["status"] else [])
        assert house.rows("SELECT count(*) FROM checkpoints") == [(0,)]


@pytest.mark.usefixtures("impatient")
def test_connections_that_the_network_swallows_cost_no_turn(house):
    """Nothing comes any more on those that there are, and nobody says so; new ones work."""
    with Far(house.environment["DATABASE_URL"]) as far:
        house.environment["DATABASE_URL"] = far.url
        with house.staying():
            house.model_plans({"action": "reply", "text": "Hello."}, {"action": "reply", "text": "Again."})
            house.ask("hello")
            swallowed = far.swallow()

            asked = house.ask("hello")

        assert swallowed > 0
        assert asked.status == ("done", 0), asked.summary["error"]
        assert [turn["status"] for turn in house.turns()] == ["done", "done"]
