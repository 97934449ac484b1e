"""Many turns at once in one process: in order in a thread, so many in all; who waits has begun nothing."""

import asyncio
import threading

import pytest

from jarvis.actions.base import desktop_actions
from jarvis.brain.protocol import Cancel, Failed
from jarvis.cli.in_process import LocalFrontend
from jarvis.core.concurrency import run_async
from jarvis.core.events import Notice, Waiting, Words
from jarvis.desktop.desktop import Desktop
from jarvis.output.screen import Screen
from jarvis.turns import build
from tests.brain.brains import ASK, Near
from tests.conftest import BOTH
from tests.house import Asked, _Collector

HELLO = {"action": "reply", "text": "Hello.", "finish": True}
SEARCH = {"action": "search", "query": "ticket shop"}
FIRST = {"action": "open_website", "address": "r1", "finish": True}
MUNICH = "https://xn--mnchen-3ya.example/"


class Clients:
    """Clients of one session, as the brain serves them."""

    def __init__(self, house, session):
        self.session, self.house = session, house
        self.asked = {}

    def ask(self, words, thread="default", answer=None):
        """Begin a turn; return its task. answer: of the person, who may take their time."""
        asked = self.asked[words] = Asked()
        front = LocalFrontend(
            _Collector(asked).tell, Desktop(self.house.desktop, desktop_actions()), Screen()
        )
        front.ask = answer or front.ask
        return asyncio.create_task(self.session.turn(Words(words), thread, front))

    @property
    def told(self):
        """All that those who wait were told."""
        return [text for asked in self.asked.values() for text in notices(asked)]


@pytest.fixture
def clients(house):
    """Runs a coroutine with clients of a session."""

    def run(work):
        async def whole():
            async with build.session(house.settings) as session, asyncio.timeout(60):
                await work(Clients(house, session))

        run_async(whole())

    return run


async def until(holds):
    while not holds():  # noqa: ASYNC110 (of threads too)
        await asyncio.sleep(0.01)


def notices(asked):
    return [notice.text for notice in asked.of(Notice)]


@BOTH
@pytest.mark.slow
def test_those_in_one_thread_are_served_in_the_order_they_came(house, clients, monkeypatch):
    """However long one lasts: none is refused."""
    monkeypatch.setattr("jarvis.turns.session._BUSY_SECONDS", 0)
    may_answer = threading.Event()
    house.model_plans(lambda _: HELLO if may_answer.wait(60) else {}, *[HELLO] * 15)
    names = [f"what is {number}?" for number in range(8)]

    async def work(clients):
        tasks = [clients.ask(name) for name in names]
        await until(lambda: house.gemini.requests)
        again = [clients.ask(f"{name} Again") for name in names]
        await until(lambda: len(clients.told) == 15)
        may_answer.set()
        await asyncio.gather(*tasks, *again)
        assert [len(notices(asked)) for asked in clients.asked.values()] == [0, *[1] * 15]
        assert {*clients.told} == {"Another terminal is using the conversation default: waiting"}

    clients(work)

    goals = [(turn["goal"], turn["status"]) for turn in house.turns()]
    assert goals == [(name, "done") for name in [*names, *(f"{name} Again" for name in names)]]


def test_so_many_are_under_way_and_who_waits_has_begun_nothing(house, clients):
    house.configure("[budgets]\nturns_at_once = 2\n")
    may_answer = threading.Event()
    house.model_plans(*[lambda _: HELLO if may_answer.wait(60) else {}] * 5)

    async def work(clients):
        tasks = [clients.ask(f"what is {number}?", f"thread-{number}") for number in range(5)]
        await until(lambda: len(house.gemini.requests) == 2 and len(clients.told) == 3)
        assert notices(clients.asked["what is 3?"]) == [
            "2 requests are under way, as many as may be at once: waiting"
        ]
        begun = await clients.session._store.database.run("SELECT thread FROM turns")
        assert len(begun) == 2
        may_answer.set()
        await asyncio.gather(*tasks)

    clients(work)

    assert house.cost == (5, 0)


def test_a_turn_that_waits_for_its_person_lets_another_through(house, clients):
    house.configure("[budgets]\nturns_at_once = 1\n")
    house.model_plans(SEARCH, FIRST, HELLO)
    house.search_finds(MUNICH)
    questions, answer = [], asyncio.Event()

    async def asked(question):
        questions.append(question)
        await answer.wait()
        return "y"

    async def work(clients):
        first = clients.ask("find the ticket shop and open it", "one", asked)
        await until(lambda: questions)
        same = clients.ask("what is three?", "one")
        await clients.ask("what is two?", "two")
        assert clients.asked["what is two?"].status == ("done", 0)
        assert not first.done()
        house.model_plans(HELLO)
        answer.set()
        await asyncio.gather(first, same)
        assert clients.asked["find the ticket shop and open it"].status == ("done", 0)

    clients(work)

    assert house.desktop.opened == [MUNICH]
    assert [turn["status"] for turn in house.turns("one")] == ["done", "done"]


@pytest.mark.parametrize(
    ("thread", "reason", "status"), [("default", "interrupted", 130), ("another", "terminated", 143)]
)
def test_who_is_stopped_while_they_wait_is_told_so_and_nothing_was_begun(
    house, clients, thread, reason, status
):
    house.configure("[budgets]\nturns_at_once = 1\n")

    async def work(clients):
        limiter = clients.session._engine.limiter
        async with limiter.in_thread("default", print), limiter.slot(print):
            near = Near(clients.session)
            task = asyncio.create_task(near.serve(ASK._replace(thread=thread)))
            await until(lambda: near.told(Notice | Waiting))
            near.say(Cancel(reason))
            await task
        assert near.heard[-1] == Failed(reason, f"{reason.title()}.", "", status)

    clients(work)

    assert house.turns(thread) == []
    assert house.cost == (0, 0)


@BOTH
@pytest.mark.parametrize(("count", "connections"), [(20, 20), (6, 3)])
def test_so_many_questions_wait_at_once_and_another_turn_is_done_meanwhile(
    house, clients, count, connections
):
    """And all go on with their answers, in whatever order these come."""
    house.configure(f"[budgets]\ndatabase_connections = {connections}\n")
    house.model_plans(*[by_words] * (2 * count + 1))
    for _ in range(count):
        house.search_finds(MUNICH)
    answers = {f"find ticket shop {n} and open it": asyncio.Event() for n in range(count)}
    waiting = []

    async def work(clients):
        def asker(words):
            async def ask(question):
                waiting.append(words)
                await answers[words].wait()
                return "y"

            return ask

        tasks = [clients.ask(words, f"thread-{n}", asker(words)) for n, words in enumerate(answers)]
        await until(lambda: len(waiting) == count)
        await clients.ask("what is one?", "another")
        for event in reversed([*answers.values()]):
            event.set()
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        assert {asked.status for asked in clients.asked.values()} == {("done", 0)}

    clients(work)

    assert house.desktop.opened == [MUNICH] * count


def by_words(asked):
    """What the model plans at that point of that turn."""
    if "what is one?" in asked.prompt:
        return HELLO
    return FIRST if "[r1]" in asked.prompt else SEARCH
