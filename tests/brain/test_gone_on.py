"""A turn whose brain died goes on in another, wherever that was: at each message, by its files as they were.

In this process: a brain that dies there leaves its files as a copy of them has them, and its client with what
it knows by then. tests/brain/test_going_on.py kills real ones.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import NamedTuple

import pytest

from jarvis.brain.client_turn import ClientTurn
from jarvis.brain.connection_handler import Parts, ServedClient
from jarvis.brain.protocol import Act, Answer, Begun, Did, Ended, Err, Out, Query, Told, decode, encode
from jarvis.core.concurrency import run_async
from jarvis.turns import build
from tests.brain.brains import FIRST, MIT, MUNICH, OPEN, SEARCH
from tests.brain.test_in_process import ASK

FIND = ASK._replace(
    own="find the MIT website and open it",
    id="0123456789abcdef",
    out_tty=False,
    err_tty=False,
    is_chat=False,
)


class Death(NamedTuple):
    """What there is where a brain died."""

    before: str  # what it would have done next
    folder: str  # its files
    known: ClientTurn
    printed: str
    acted: int
    asked: int
    searched: int


class Client:
    """Asks a brain in this process; its hands count what they do."""

    def __init__(self, house, ask, after=None):
        """after: the death of a brain that was at it."""
        self.house, self.ask = house, ask
        self.known = after.known if after else ClientTurn(ask)
        self.printed = after.printed if after else ""
        self.acted, self.asked = (after.acted, after.asked) if after else (0, 0)
        self.status, self.errors = None, ""
        self.deaths = []
        self._before = len(house.serpapi.requests) - (after.searched if after else 0)

    @property
    def searched(self):
        return len(self.house.serpapi.requests) - self._before

    def serve(self, folder, *, note_deaths=False):
        """Have a brain with its files in *folder* do it. note_deaths: before each message and write."""
        settings = self.house.elsewhere(folder).settings

        async def turn():
            async with build.session(settings) as session:
                if note_deaths:
                    session._store.database._connection.set_trace_callback(writes)
                reader = asyncio.StreamReader()
                client = ServedClient(reader, hears)
                parts = asyncio.get_running_loop().create_future()
                parts.set_result(Parts(session, settings, None))
                reader.feed_data(encode(self.ask))
                self.say = lambda message: reader.feed_data(encode(message))
                self.leave = reader.feed_eof
                await client.serve(parts)

        def writes(sql):
            if sql.startswith(("BEGIN", "COMMIT", "UPDATE")):
                self.note_death(sql, folder)

        def hears(lines):
            messages = [decode(line) for line in lines.splitlines(keepends=True)]
            if note_deaths:
                self.note_death(type(messages[0]).__name__, folder)
            for message in messages:
                self.take(message)

        run_async(turn())
        return self

    def note_death(self, before, folder):
        copy = f"{folder}-{len(self.deaths)}"
        shutil.copytree(folder, copy)
        known = ClientTurn(self.ask)
        known.thread, known.told, known.answers = (
            self.known.thread,
            [*self.known.told],
            {**self.known.answers},
        )
        known._acts, known._did = {**self.known._acts}, {**self.known._did}
        counts = self.acted, self.asked, self.searched
        self.deaths.append(Death(before, copy, known, self.printed, *counts))

    def take(self, message):
        match message:
            case Out(text):
                self.printed += text
            case Err(text):
                self.errors += text
            case Begun(_, thread):
                self.known.thread = thread
            case Told(_, what):
                self.known.told.append(what)
            case Act():
                self.acted += 1
                self.known.begins(message)
                did = Did(
                    1, message.n, "done", f"Sent {message.target} to your browser.", message.target, "", "", 0
                )
                self.known.has_done(did)
                self.say(did)
            case Query():
                self.asked += message.question.id not in self.known.answers
                self.known.answers[message.question.id] = "y"
                self.say(Answer(1, message.question.id, "y"))
            case Ended(_, status):
                self.status = status
                self.leave()


def planned(asked):
    """The plan of a model that searches once, and opens what was found."""
    found = [id_ for id_ in asked.enum("address") if id_.startswith("r")]
    return {**FIRST, "address": found[0]} if found else SEARCH


@pytest.mark.parametrize(
    ("ask", "url", "plan", "searches"),
    [
        (FIND, MIT, planned, 1),
        (FIND._replace(json=True), MIT, planned, 1),
        (FIND._replace(asks="typed", ndjson=True), MUNICH, planned, 1),
        (FIND._replace(own=f"have a look at {MIT} for me now"), MIT, OPEN, 0),
    ],
    ids=["find and open", "as an object", "with a yes, as records", "open"],
)
@pytest.mark.slow
def test_wherever_it_dies_all_is_done_once_and_told_once(house, ask, url, plan, searches, long):
    house.model_plans(*[plan] * 100)
    house.gemini.reading = "open found 1" if searches else "open u1"
    for _ in range(50):
        house.search_finds(url)
    whole = Client(house, ask).serve(house.environment["JARVIS_HOME"], note_deaths=True)
    assert (whole.status, whole.acted, whole.searched) == (0, 1, searches)
    assert len(whole.deaths) > 7

    for death in whole.deaths[:: 1 if long else 5]:
        again = Client(house, death.known.asked_again, death).serve(death.folder)

        assert (again.status, again.acted) == (0, 1), (death.before, again.printed, again.errors)
        assert again.asked == whole.asked
        # Once more, where the search was under way.
        assert again.searched in (searches, searches + 1), death.before
        assert told(again) == told(whole), death.before
        [turn] = house.elsewhere(death.folder).turns()
        assert (turn["status"], turn["goal"]) == ("done", ask.own)
        assert [step["state"] for step in turn["steps"]] == ["done"] * (searches + 1)


def told(client):
    """What was printed, without what differs from run to run."""
    if client.ask.ndjson:  # what is planned anew is told anew
        events = [json.loads(line) for line in client.printed.splitlines()]
        return [each["event"] for each in events if each["event"] not in ("planned", "acting")]
    if not client.ask.json:
        return client.printed
    said = json.loads(client.printed)
    return {name: said[name] for name in ("status", "thread", "turn", "goal", "reply", "intent")}, [
        (step["n"], step["action"], step["state"], step["outcome"]) for step in said["steps"]
    ]


def test_where_history_lost_the_turn_nothing_is_repeated_and_the_deeds_are_told(house):
    house.gemini.reading = "open u1"
    house.model_plans(OPEN)
    ask = FIND._replace(own=f"have a look at {MIT} for me now", json=True)
    whole = Client(house, ask).serve(house.environment["JARVIS_HOME"])

    again = Client(house, whole.known.asked_again).serve(f"{house.environment['JARVIS_HOME']}-new")

    said = json.loads(again.printed)
    assert (again.status, again.acted, said["status"]) == (1, 0, "failed")
    assert said["error"]["message"].startswith(f"Sent {MIT} to your browser. History has nothing of this")
    assert [step["state"] for step in said["steps"]] == ["done"]
    assert "Ask again" not in said["error"]["hint"]


def test_another_step_of_a_number_that_was_told_is_told_too(house):
    """What the one that died had searched was not kept, and the next one plans to open at once."""
    house.gemini.reading = "open u1"
    house.model_plans(SEARCH, OPEN, OPEN)
    house.search_finds(MUNICH)
    ask = FIND._replace(own=f"have a look at {MIT} for me now", ndjson=True)
    whole = Client(house, ask).serve(house.environment["JARVIS_HOME"])
    start, searched, *_ = whole.known.told

    ask = ask._replace(resumes=True, told=[start, searched])
    again = Client(house, ask).serve(f"{house.environment['JARVIS_HOME']}-new")

    assert (whole.acted, again.acted) == (1, 1)
    events = [json.loads(line) for line in again.printed.splitlines()]
    assert [each["action"] for each in events if each["event"] == "outcome"] == ["open_website"]
