"""An action that reads, beside the search: what came of the one says nothing of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jarvis.actions.base import ENGINES, Action, BrainAction, Field, Service, failed, plannable
from jarvis.core.errors import ActionFailed
from jarvis.core.types import Effect, Outcome
from tests.agent.cases import ends_as_told
from tests.planned import reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jarvis.core.types import Facts

SEARCH = {"action": "search", "query": "MIT"}
MIT = "https://web.mit.edu/"
NOTES = {"rent": "The rent is 700.", "milk": "Two litres."}


class ReadNotes(BrainAction):
    """Looks into notes that lie here: it asks no service, and finds no addresses."""

    name = "read_notes"
    description = "read what the person noted on `topic`."
    fields = (Field("topic", "what the note is about"),)
    services = (Service("notes", lambda there: NOTES),)

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        return Effect("reads", str(arguments["topic"]))

    async def perform(self, effect: Effect, notes: Mapping[str, str]) -> Outcome:
        if effect.target not in notes:
            return failed(self.not_done(effect.target), ActionFailed("Nothing was noted on it."))
        return Outcome("done", notes[effect.target], value=effect.target)


class ReadBoard(ReadNotes):
    name = "read_board"


class SearchesUnsaid(ReadNotes):
    """Asks the search engines, and does not say so."""

    services = (Service(ENGINES),)


@pytest.fixture
def knows(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Adds actions where all parts are joined."""

    def add(*more: Action) -> None:
        actions = {**plannable(), **{action.name: action for action in more}}
        monkeypatch.setattr("jarvis.turns.session.plannable", lambda: actions)

    return add


def reading(topic: str, action: str = "read_notes", **more: object) -> dict[str, object]:
    return {"action": action, "topic": topic, **more}


BOTH_NOTES = "what is MIT, and what did I note on the rent?"
SPENT = "Your account has run out of searches."
ANSWER = reply("So it is.")
# The actions that are known besides, and what happens in a turn, as cases.py reads it.
TURNS = {
    "a failed lookup is not made good by another": {
        "knows": (ReadNotes,),
        "words": "what did I note on the rent?",
        "finds": [(MIT,)],
        "plans": [reading("tax"), SEARCH, ANSWER],
        "steps": [("read_notes", "failed"), ("search", "done")],
        "status": ("failed", 1),
    },
    "what asks no search service counts as no search": {
        "knows": (ReadNotes,),
        "words": BOTH_NOTES,
        "finds": [(MIT,)],
        "plans": [reading("rent"), SEARCH, ANSWER],
        "cost": (3, 1),
        "searches": 1,
    },
    "a failed search closes no other lookup, and a failed lookup no search": {
        "knows": (ReadNotes, ReadBoard),
        "words": BOTH_NOTES,
        "says": SPENT,
        "plans": [SEARCH, reading("tax"), reading("rent", "read_board"), ANSWER],
        "steps": [("search", "failed"), ("read_notes", "failed"), ("read_board", "done")],
        "status": ("failed", 75),
        "offers": {
            "search": [True, False, False, False],
            "read_notes": [True, True, False, False],
            "read_board": [True] * 4,
        },
    },
    "what does not say where it goes goes nowhere": {
        "knows": (SearchesUnsaid,),
        "words": "what did I note on the rent?",
        "plans": [reading("rent"), ANSWER],
        "steps": [("read_notes", "failed")],
        "status": ("failed", 1),
    },
}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_turn_with_another_lookup_ends_as_told(house, knows, turn):
    knows(*(kind() for kind in turn["knows"]))
    ends_as_told(house, turn)


@pytest.mark.parametrize("lacking", ["a key", "searches of today"])
def test_where_no_search_can_be_made_other_lookups_are_still_offered(house, knows, lacking):
    knows(ReadNotes())
    if lacking == "a key":
        house.environment["SERPAPI_API_KEY"] = ""
    else:
        house.configure("[daily]\nsearches = 0\n")
    house.model_plans(reading("rent"), reply("It is 700."))

    asked = house.ask("what did I note on the rent?")

    offered = house.gemini.requests[0].enum("action")
    assert ("read_notes" in offered, "search" in offered) == (True, False)
    assert (asked.status, asked.note) == (("done", 0), "")
