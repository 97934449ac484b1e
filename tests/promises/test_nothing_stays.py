"""Of what was private no byte stays in a file of Jarvis once its turn has ended, while the brain lives on."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.agent.test_look import png
from tests.conftest import BOTH
from tests.lying import plan
from tests.twins.ghostfolio import TOKEN, GhostfolioTwin

SEARCH, REPLY = plan("search", query="what is new", finish=False), plan("reply", text="So it is.")
# What is read, and what it holds, of which no reply tells.
READS = {
    "clipboard": (plan("look_at", at="clipboard", finish=False), "copied-4711"),
    ".env": (plan("read", address="f1", finish=False), "TOKEN=hidden-4711"),
    "holdings": (plan("show_portfolio", finish=False), "UNHEARD9"),
}


@pytest.fixture
def ask(house, tmp_path):
    """What has one of READS read in a turn, which then goes on by these plans."""
    (tmp_path / ".env").write_text(f"{READS['.env'][1]}\n" * 300)
    house.desktop.picture, house.desktop.copied = png(), f"{READS['clipboard'][1]}\n" * 300

    def ask(kind, *then, thread="default", answer="y"):
        house.files, house.answers = [str(tmp_path / ".env")] * (kind == ".env"), [answer]
        house.model_plans(READS[kind][0], *then)
        asked = house.ask("what of my portfolio is in .env, in what i copied?", thread)
        assert READS[kind][1] in house.prompts[-1]
        return asked

    with GhostfolioTwin(base="EUR") as ghost:
        ghost.quotes(READS["holdings"][1], "Apples", "190.19")
        ghost.booked(
            "BUY", READS["holdings"][1], "817", "201.71", "2025-03-04", account=ghost.account("Broker")
        )
        house.environment |= {"GHOSTFOLIO_URL": ghost.url, "GHOSTFOLIO_TOKEN": TOKEN}
        yield ask


def left(home):
    """The files of Jarvis that hold any of what was read."""
    files = [path for path in (home / "jarvis").rglob("*") if path.is_file()]
    return {path.name for path in files for _, mark in READS.values() if mark.encode() in path.read_bytes()}


def hello(house, thread):
    house.model_plans(REPLY)
    assert house.ask("hello", thread).status == ("done", 0)


@BOTH
@pytest.mark.parametrize("kind", READS)
def test_after_its_turn_nothing_stays(house, ask, kind):
    with house.staying():
        assert ask(kind, REPLY).status == ("done", 0)
        assert left(house.home) == set()
        assert [step["outcome"] for step in house.turns()[0]["steps"]]


def test_of_what_the_model_makes_of_it_a_search_alone_stays(house, ask):
    mark = READS["clipboard"][1]
    house.search_finds("https://a.example/")
    house.otherwise = lambda question: "y"
    shot = plan("take_screenshot", finish=False) | {"text": f"It says {mark}."}
    search = plan("search", query=mark, finish=False) | {"text": f"I search for {mark}."}
    with house.staying():
        ask("clipboard", shot, search, REPLY)

    columns = [str(row) for row in house.rows("SELECT * FROM turns") + house.rows("SELECT why FROM steps")]
    assert [row for row in columns if mark in row] == []
    assert house.rows("SELECT arguments FROM steps WHERE n = 3") == [(f'{{"query": "{mark}"}}',)]


def test_what_waits_for_an_answer_stays_until_that_came(house, ask):
    question = ask("clipboard", SEARCH).summary["question"]["id"]
    hello(house, "another")
    assert left(house.home) == {"inflight.db"}

    house.model_plans(REPLY)
    with house.staying():
        house.ask("", answer=f"{question}=n")
        assert left(house.home) == set()


def test_what_waits_for_an_answer_goes_once_it_is_void(house, ask):
    ask("clipboard", SEARCH)
    house.rows("UPDATE turns SET ended_at = ended_at - 90000")

    with house.staying():
        hello(house, "another")
        assert left(house.home) == set()


def test_what_another_process_keeps_from_going_goes_with_the_next_turn(house, ask):
    with house.staying():
        hello(house, "before")
        with closing(sqlite3.connect(house.settings.folders.inflight)) as other:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM checkpoints").fetchall()
            ask("clipboard", REPLY)
            assert left(house.home) == {"inflight.db-wal"}
        hello(house, "default")
        assert left(house.home) == set()
