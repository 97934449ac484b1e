"""What is private stays private as long as the model's prompt shows what came of it."""

from __future__ import annotations

import pytest

from jarvis.output.questions import nobody_answers, said_beforehand
from tests.agent.test_look import png
from tests.conftest import BOTH
from tests.lying import plan
from tests.twins.ghostfolio import TOKEN, GhostfolioTwin

SEARCH, REPLY = plan("search", query="what is new", finish=False), plan("reply", text="So it is.")
ASKED = ["something private was read, and this is sent out: what is new"]
READS = {
    "clipboard": plan("look_at", at="clipboard", finish=False),
    "screen": plan("look_at", at="screen", finish=False),
    "file": plan("read", address="f1", finish=False),
    "holdings": plan("show_portfolio", finish=False),
}


@pytest.fixture
def private(house, tmp_path):
    """What has the person's own things read in a turn, of each kind, answered by a reply."""
    (tmp_path / "notes.txt").write_text("account 4711")
    house.desktop.picture, house.desktop.copied = png(), "account 4711"

    def read(kind, *then, answers=("y",)):
        house.files, house.answers = [str(tmp_path / "notes.txt")] * (kind == "file"), [*answers]
        house.model_plans(READS[kind], *then)
        house.ask("what of my portfolio is in notes.txt, on my screen, in what i copied?")
        house.files, house.answers = [], []

    with GhostfolioTwin(base="EUR") as ghost:
        ghost.quotes("AAPL", "Apple", "190.19")
        ghost.booked("BUY", "AAPL", "817", "201.71", "2025-03-04", account=ghost.account("Broker"))
        house.environment |= {"GHOSTFOLIO_URL": ghost.url, "GHOSTFOLIO_TOKEN": TOKEN}
        yield read


@BOTH
@pytest.mark.parametrize("kind", READS)
def test_a_search_in_the_next_turn_is_asked_about_in_that_thread_alone(house, private, kind):
    """Each turn is a process of its own here."""
    private(kind, REPLY)
    house.questions.clear()
    house.search_finds("https://a.example/")
    house.model_plans(SEARCH, REPLY, SEARCH, REPLY)

    house.ask("what is new?", "another")
    assert (house.questions, len(house.serpapi.requests)) == ([], 1)
    house.ask("what is new?")

    assert [question.reason for question in house.questions] == ASKED
    assert len(house.serpapi.requests) == 1


@pytest.mark.parametrize("kind", READS)
def test_so_is_a_search_in_the_same_turn(house, private, kind):
    private(kind, SEARCH, answers=["y"] * (kind in ("clipboard", "screen")))

    assert house.questions[-1].reason == ASKED[0]
    assert house.serpapi.requests == []


def test_it_lasts_until_the_prompt_shows_none_of_it(house, private):
    house.otherwise = lambda question: "y"
    shown = []
    with house.staying():
        private("clipboard", REPLY)
        house.questions.clear()
        for n in range(24):
            house.search_finds("https://a.example/")
            house.model_plans(SEARCH, REPLY)
            house.ask(f"what is new, {n}?")
            shown.append("in what i copied?" in house.prompts[-1])
            assert len(house.questions) == shown.count(True)
    assert (shown[0], shown[-1]) == (True, False)


@pytest.mark.parametrize("name", [".env", "notes.txt"])
def test_y_says_yes_to_no_secret_and_to_no_search_after_it(house, tmp_path, name):
    (tmp_path / name).write_text("TOKEN=4711")
    house.files = [str(tmp_path / name)]
    house._answer = lambda question: said_beforehand(question, yes=True) or nobody_answers(question)
    house.model_plans(READS["file"], SEARCH, REPLY)

    asked = house.ask(f"look up what {name} says")

    assert asked.status == ("needs_answer", 3)
    rule = "perhaps a key" if name == ".env" else "after something private"
    assert asked.summary["question"]["rule"] == rule
    assert house.serpapi.requests == []
