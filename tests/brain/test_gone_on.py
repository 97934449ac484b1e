"""A turn whose brain died goes on in another, wherever that was: at each message, by its files as they were.

In this process: a brain that dies there leaves its files as a copy of them has them, and its client with what
it knows by then. tests/brain/test_going_on.py kills real ones.
"""

from __future__ import annotations

import copy
import io
import json
import shutil
from typing import NamedTuple

import pytest

from jarvis.brain.protocol import Act, Answer, Ended, Failed, Query, Tell
from jarvis.core.concurrency import run_async
from jarvis.core.events import Words
from jarvis.core.types import Outcome
from jarvis.output.screen import Screen
from jarvis.output.tellers import teller_for
from jarvis.turns import build
from tests.brain.brains import ASK, FIRST, JSON, MIT, MUNICH, OPEN, RECORDS, SEARCH, Near, did

ID = "0123456789abcdef"
FIND = ASK._replace(words=Words("find the MIT website and open it", turn=ID), streams=False)
LOOK = FIND._replace(words=Words(f"have a look at {MIT} for me now", turn=ID))


class Known:
    """What a client knows: it outlives a brain."""

    def __init__(self):
        self.paper = io.StringIO()
        self.did = ()
        self.answers = set()
        self.acted = 0
        self.searched = 0


class Death(NamedTuple):
    """What there is where a brain died."""

    before: str  # what it would have done next
    folder: str  # its files
    known: Known


class Client:
    """Asks a brain in this process; its desktop count what they do."""

    def __init__(self, house, ask, known=None):
        """known: after the death of a brain that was at it."""
        self.house, self.ask = house, ask
        self.known = copy.deepcopy(known) or Known()
        if known:
            self.ask = ask._replace(words=ask.words._replace(did=known.did))
            if not (ask.streams or ask.options.ndjson):  # it was held
                self.known.paper = io.StringIO()
        screen = Screen({}, io.StringIO(), self.known.paper, io.StringIO())
        screen.out_tty = ask.streams
        self._tell = teller_for(ask.options, screen)
        self.status = self.failed = None
        self.deaths = []
        self._before = len(house.serpapi.requests)

    @property
    def printed(self):
        return self.known.paper.getvalue()

    @property
    def searched(self):
        return self.known.searched + len(self.house.serpapi.requests) - self._before

    def serve(self, folder, *, note_deaths=False):
        """Have a brain with its files in *folder* do it. note_deaths: before each message and write."""
        settings = self.house.elsewhere(folder).settings
        self._note = (lambda before: self._note_death(before, folder)) if note_deaths else lambda _: None

        async def turn():
            async with build.session(settings) as session:
                session._store.database._connection.set_trace_callback(self._writes)
                self._near = Near(session, self._hear)
                await self._near.serve(self.ask)

        run_async(turn())
        return self

    def _writes(self, sql):
        if sql.startswith(("BEGIN", "COMMIT", "UPDATE")):
            self._note(sql)

    def _note_death(self, before, folder):
        there = f"{folder}-{len(self.deaths)}"
        shutil.copytree(folder, there)
        known = copy.deepcopy(self.known)
        known.searched = self.searched
        self.deaths.append(Death(before, there, known))

    def _hear(self, message):
        self._note(type(message).__name__)
        known = self.known
        match message:
            case Tell(event):
                self._tell(event)
            case Act():
                known.acted += 1
                target = message.request.effect.target
                sent = did(message.request, Outcome("done", f"Sent {target} to your browser.", target))
                self._near.say(sent)
                known.did = (sent.performed,)
            case Query():
                known.answers.add(message.question.id)
                self._near.say(Answer(message.question.id, "y", is_given=True))
            case Ended(status):
                self.status = status
            case Failed():
                self.failed = message


def planned(asked):
    """The plan of a model that searches once, and opens what was found."""
    found = [id_ for id_ in asked.enum("address") if id_.startswith("r")]
    return {**FIRST, "address": found[0]} if found else SEARCH


@pytest.mark.parametrize(
    ("ask", "url", "plan", "searches"),
    [
        (FIND, MIT, planned, 1),
        (FIND._replace(options=RECORDS), MUNICH, planned, 1),
        (LOOK._replace(streams=True), MIT, OPEN, 0),
    ],
    ids=["find and open", "with a yes, as records", "open, on a terminal"],
)
@pytest.mark.slow
def test_wherever_it_dies_all_is_done_once_and_told_once(house, ask, url, plan, searches, long):
    house.model_plans(*[plan] * 100)
    house.gemini.reading = "open found 1" if searches else "open u1"
    for _ in range(50):
        house.search_finds(url)
    whole = Client(house, ask).serve(house.environment["JARVIS_HOME"], note_deaths=True)
    assert (whole.status, whole.known.acted, whole.searched) == (0, 1, searches)
    assert len(whole.deaths) > 7

    for death in whole.deaths[:: 1 if long else 6]:
        calls = len(house.gemini.requests)
        again = Client(house, ask, death.known).serve(death.folder)

        assert not (death.known.did and house.gemini.requests[calls:]), death.before  # it was the last act
        assert (again.status, again.known.acted) == (0, 1), (death.before, again.printed, again.failed)
        assert again.known.answers == whole.known.answers
        # Once more, where the search was under way.
        assert again.searched in (searches, searches + 1), death.before
        assert told(again) == told(whole), death.before
        [turn] = house.elsewhere(death.folder).turns()
        assert (turn["status"], turn["goal"]) == ("done", ask.words.own)
        assert [step["state"] for step in turn["steps"]] == ["done"] * (searches + 1)


def told(client):
    """What was printed, without what differs from run to run."""
    if client.ask.options.ndjson:  # by another brain anew, from the beginning
        events = [json.loads(line) for line in client.printed.splitlines()]
        return {
            (each["event"], each.get("n")) for each in events if each["event"] not in ("planned", "acting")
        }
    # What the first one printed stays on a terminal.
    return set(client.printed.splitlines()) if client.ask.streams else client.printed


def test_where_history_lost_the_turn_nothing_is_repeated(house):
    house.gemini.reading = "open u1"
    house.model_plans(OPEN)
    ask = LOOK._replace(options=JSON)
    whole = Client(house, ask).serve(house.environment["JARVIS_HOME"])

    again = Client(house, ask, whole.known).serve(f"{house.environment['JARVIS_HOME']}-new")

    assert (again.status, again.known.acted) == (None, 1)
    assert again.failed.message == "History has nothing of this any more."
    assert again.failed.exit_status == 1


def test_what_was_not_done_is_told_by_the_brain_that_goes_on_too(house):
    house.gemini.reading = "open u1; open u2"
    house.model_plans(OPEN)
    both = Words(f"have a look at {MIT} and at {MUNICH} for me now", turn=ID)
    ask = LOOK._replace(words=both, options=JSON)
    whole = Client(house, ask).serve(house.environment["JARVIS_HOME"], note_deaths=True)

    death = next(death for death in reversed(whole.deaths) if death.known.did)
    again = Client(house, ask, death.known).serve(death.folder)

    said, told = json.loads(whole.printed), json.loads(again.printed)
    assert (whole.status, again.status, said["unmet"], len(house.gemini.requests)) == (1, 1, ["open u2"], 1)
    assert {**told, "usage": {}} == {**said, "usage": {}}
