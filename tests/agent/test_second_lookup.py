"""An action that reads, beside the search: what came of the one says nothing of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from jarvis.actions import catalogue, planned
from jarvis.actions.base import Action, BrainAction, Desktop, Field, HandsAction, Service, Want, failed
from jarvis.core.errors import ActionFailed
from jarvis.core.events import Observed
from jarvis.core.types import Effect, Found, Outcome
from jarvis.policy import rules_file
from jarvis.turns import build
from tests import answering
from tests import house as house_module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jarvis.core.types import Facts

SEARCH = {"action": "search", "query": "MIT"}
LOOK = {"action": "read_notes", "topic": "rent"}
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


class AnswerByNotes(ReadNotes):
    """What it reads is the answer."""

    answers = True


class ReadBoard(ReadNotes):
    name = "read_board"
    stands_in_for: ClassVar[tuple[str, ...]] = ("read_notes",)


class FindFriends(ReadNotes):
    """What it reads has addresses."""

    name = "find_friends"

    async def perform(self, effect: Effect, notes: Mapping[str, str]) -> Outcome:
        found = (Found(f"https://{effect.target.lower()}.example/", effect.target),)
        return Outcome("done", "One friend.", value=effect.target, found=found)


class ReadPages(BrainAction):
    """Both of its fields may be left out."""

    name = "read_pages"
    description = "read of a page, or on a `topic`."
    fields = (
        Field("address", "the page", offered=True, optional=True),
        Field("topic", "what to read about", optional=True),
    )

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        return Effect("reads", " ".join(f"{name} {value}" for name, value in arguments.items()))

    async def perform(self, effect: Effect) -> Outcome:
        return Outcome("done", f"Read {effect.target}.")


class KeepNote(ReadNotes):
    """Writes, and needs to be asked for: in the brain, where the notes are."""

    name = "keep_note"
    description = "note something on `topic`."
    wants = (Want("keep", "note something down"),)
    effect = "writes"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        return Effect("writes", str(arguments["topic"]))


class LookAround(HandsAction):
    """Reads in the person's session."""

    name = "look_around"
    description = "tell where the person keeps pictures."
    effect = "reads"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        return Effect("reads", "pictures")

    def perform(self, effect: Effect, desktop: Desktop) -> Outcome:
        return Outcome("done", f"They lie in {desktop.pictures()}.")


@pytest.fixture
def knows(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Adds actions where all parts are joined."""

    def add(*more: Action) -> None:
        actions = {**planned(), **{action.name: action for action in more}}
        monkeypatch.setattr(build, "planned", lambda: actions)
        for module in (house_module, answering):
            monkeypatch.setattr(module, "catalogue", lambda: {**catalogue(), **actions})

    return add


def reply(text: str) -> dict[str, object]:
    return {"action": "reply", "text": text, "finish": True}


def reading(topic: str, action: str = "read_notes", **more: object) -> dict[str, object]:
    return {"action": action, "topic": topic, **more}


@pytest.mark.parametrize(
    ("then", "status"),
    [(reading("rent", "read_board"), "done"), (SEARCH, "failed")],
    ids=["one that stands in for it", "another"],
)
def test_a_failed_lookup_is_made_good_by(house, knows, then, status):
    knows(ReadNotes(), ReadBoard())
    house.search_finds(MIT)
    house.model_plans(reading("tax"), then, reply("So it is."))

    asked = house.ask("what did I note on the rent?")

    assert [state for _, state in asked.steps] == ["failed", "done"]
    assert asked.status[0] == status


def test_a_failed_search_is_not_made_good_by_another_lookup(house, knows):
    knows(ReadNotes())
    house.serpapi.finds({"error": "Your account has run out of searches."})
    house.model_plans(SEARCH, reading("rent"), reply("So it is."))

    asked = house.ask("what is MIT, and what did I note on the rent?")

    assert [state for _, state in asked.steps] == ["failed", "done"]
    assert asked.status == ("failed", 75)


def test_what_answers_by_itself_is_told_and_ends_the_turn(house, knows):
    knows(AnswerByNotes())
    house.model_plans(reading("rent", finish=True))

    asked = house.ask("what did I note on the rent?")

    assert asked.reply == NOTES["rent"]
    assert asked.status == ("done", 0)
    assert house.cost == (1, 0)
    assert [told.goes_without_saying for told in asked.of(Observed)] == [False]


def test_what_only_looks_something_up_goes_without_saying_and_is_never_all(house, knows):
    knows(ReadNotes())
    house.model_plans(reading("rent", finish=True), reply("It is 700."))

    asked = house.ask("what did I note on the rent?")

    assert asked.reply == "It is 700."
    assert [told.goes_without_saying for told in asked.of(Observed)] == [True]


def test_what_asks_no_search_service_counts_as_no_search(house, knows):
    knows(ReadNotes())
    house.search_finds(MIT)
    house.model_plans(reading("rent"), SEARCH, reply("Both."))

    asked = house.ask("what did I note on the rent, and what is MIT?")

    assert asked.summary["usage"]["searches"] == len(house.serpapi.requests) == 1


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


def test_what_was_found_stays_found_whatever_else_is_read(house, knows):
    knows(ReadNotes())
    house.search_finds(MIT)
    house.model_plans(reading("milk"), SEARCH, reading("rent"), reply("So it is."))

    asked = house.ask("what is MIT, and what did I note?")

    assert asked.sources == [MIT]
    assert "Found just now for “MIT”:\n[r1] " in house.prompts[-1]


def test_of_two_that_find_addresses_each_is_told_with_what_it_looked_for(house, knows):
    knows(FindFriends())
    house.search_finds(MIT)
    house.model_plans(reading("Ada", "find_friends"), SEARCH, reply("So it is."))

    asked = house.ask("what is MIT, and where is Ada?")

    assert "Found just now for “Ada”:\n[r1] Ada (ada.example)" in house.prompts[-1]
    assert "Found just now for “MIT”:\n[r2] " in house.prompts[-1]
    assert asked.sources == [MIT]


def test_what_reads_in_the_persons_session_is_carried_out_there(house, knows):
    knows(LookAround())
    house.model_plans({"action": "look_around", "finish": True})

    asked = house.ask("where are my pictures?")

    assert (asked.steps, asked.status) == ([("look_around", "done")], ("done", 0))
    assert asked.reply == f"They lie in {house.desktop.pictures()}."


def test_a_question_about_a_lookup_can_be_answered_at_once_and_later(house, knows):
    knows(ReadNotes())
    rules_file.remember(house.settings.folders.policy, "ask", "reads")
    house.model_plans(reading("rent"), reading("rent"), reply("It is 700."))

    house.answers = ["n"]
    refused = house.ask("what did I note on the rent?")
    in_vain = house.ask("what did I note on the rent?")
    read = answering.answered(house, in_vain, "y")

    assert refused.reply == "Not looked up. You said no to rent."
    assert in_vain.status == ("needs_answer", 3)
    assert in_vain.summary["error"]["hint"].startswith("To answer: jarvis --answer ")
    assert (read.reply, read.status) == ("It is 700.", ("done", 0))


def test_what_needs_no_address_is_offered_where_there_is_none(house, knows):
    knows(ReadPages())
    house.model_plans(reply("Nothing."))

    house.ask("what is there to read?")

    offered = house.gemini.requests[0].enum("action")
    assert ("read_pages" in offered, "open_website" in offered) == (True, False)


def test_the_same_word_in_another_field_is_another_lookup(house, knows):
    knows(ReadPages())
    house.model_plans(
        {"action": "read_pages", "topic": "u1"}, {"action": "read_pages", "address": "u1"}, reply("Both.")
    )

    asked = house.ask("what does https://a.example say of u1?")

    assert asked.steps == [("read_pages", "done"), ("read_pages", "done")]


def test_a_page_that_was_read_of_can_be_opened(house, knows):
    knows(ReadPages())
    house.model_plans(
        {"action": "read_pages", "address": "u1"},
        {"action": "open_website", "address": "u1", "finish": True},
    )

    asked = house.ask("open https://a.example if there is anything on it")

    assert house.desktop.opened == ["https://a.example"]
    assert asked.status == ("done", 0)


def test_a_failed_search_closes_no_other_lookup_and_a_failed_lookup_no_search(house, knows):
    knows(ReadNotes(), ReadBoard())
    house.serpapi.finds({"error": "Your account has run out of searches."})
    house.model_plans(SEARCH, reading("tax"), reading("rent", "read_board"), reply("So it is."))

    asked = house.ask("what is MIT, and what did I note on the rent?")

    lookups = {"search", "read_notes", "read_board"}
    assert asked.steps == [("search", "failed"), ("read_notes", "failed"), ("read_board", "done")]
    assert [lookups & set(request.enum("action")) for request in house.gemini.requests] == [
        lookups,
        {"read_notes", "read_board"},
        {"read_board"},
        {"read_board"},
    ]


def test_a_lookup_that_asks_no_service_is_made_as_often_as_there_are_steps(house, knows):
    knows(ReadNotes())
    house.search_finds(MIT)
    house.model_plans(reading("rent"), reading("milk"), SEARCH, reply("So it is."))

    house.ask("what is MIT, and what did I note on the rent and on the milk?")

    offered = [request.enum("action") for request in house.gemini.requests]
    assert ["read_notes" in each for each in offered] == [True, True, True, True]
    assert all("search" in each for each in offered)


def test_what_the_brain_does_for_a_part_of_the_words_is_done_for_it_once(house, knows):
    knows(KeepNote())
    house.gemini.reading = "keep"
    house.model_plans(reading("rent", "keep_note"), reply("Noted."))
    house.answers = ["y"]

    asked = house.ask("note the rent")

    assert asked.steps == [("keep_note", "done")]
    assert ["keep_note" in request.enum("action") for request in house.gemini.requests] == [True, False]
    assert asked.note == ""


def test_what_the_brain_would_do_is_not_offered_where_nobody_asked_for_it(house, knows):
    knows(KeepNote())
    house.search_finds(MIT)
    house.model_plans(SEARCH, reply("A university."))

    house.ask("what is MIT?")

    assert "keep_note" not in house.gemini.requests[1].enum("action")
