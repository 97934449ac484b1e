"""What is private: a search after it is asked about while a prompt shows it, and no byte of it stays."""

import sqlite3
from contextlib import closing

import pytest

from jarvis.output.questions import answer_from_yes_flag, nobody_answers
from tests.agent.test_look import png
from tests.conftest import BOTH
from tests.planned import plan, reply
from tests.twins.ghostfolio import TOKEN, GhostfolioTwin

SEARCH, REPLY = plan("search", query="what is new", finish=False), reply("So it is.")
ASKED = ["something private was read, and this is sent out: what is new"]
MARK = "private-4711"  # in all that is read, but for the picture
# What is read, and what is said to the question about that, if there is one.
READS = {
    "clipboard": (plan("look_at", at="clipboard", finish=False), ["y"]),
    "screen": (plan("look_at", at="screen", finish=False), ["y"]),
    "notes.txt": (plan("read", address="f1", finish=False), []),
    ".env": (plan("read", address="f1", finish=False), ["y"]),
    "holdings": (plan("show_portfolio", finish=False), []),
}


@pytest.fixture
def ask(house, tmp_path):
    """What has one of READS read in a turn, which then goes on by these plans."""
    (tmp_path / ".env").write_text(f"TOKEN={MARK}\n" * 300)
    (tmp_path / "notes.txt").write_text(f"account {MARK}\n" * 300)
    house.desktop.picture, house.desktop.copied = png(), f"{MARK}\n" * 300

    def ask(kind, *then, thread="default"):
        read, answers = READS[kind]
        house.files, house.answers = [str(tmp_path / kind)] * (kind[-4:] in (".txt", ".env")), [*answers]
        house.model_plans(read, *then)
        asked = house.ask("what of my portfolio is in that file, on my screen, in what i copied?", thread)
        assert MARK in house.prompts[-1] or kind == "screen"
        house.files, house.answers = [], []
        return asked

    with GhostfolioTwin(base="EUR") as ghost:
        ghost.quotes(MARK, "Apples", "190.19")
        ghost.booked("BUY", MARK, "817", "201.71", "2025-03-04", account=ghost.account("Broker"))
        house.environment |= {"GHOSTFOLIO_URL": ghost.url, "GHOSTFOLIO_TOKEN": TOKEN}
        yield ask


@BOTH
@pytest.mark.parametrize("kind", READS)
def test_a_search_in_the_next_turn_is_asked_about_in_that_thread_alone(house, ask, kind):
    """Each turn is a process of its own here."""
    ask(kind, REPLY)
    house.questions.clear()
    house.search_finds("https://a.example/")
    house.model_plans(SEARCH, REPLY, SEARCH, REPLY)

    house.ask("what is new?", "another")
    assert (house.questions, len(house.serpapi.requests)) == ([], 1)
    house.ask("what is new?")

    assert [question.reason for question in house.questions] == ASKED
    assert len(house.serpapi.requests) == 1


@pytest.mark.parametrize("kind", READS)
def test_so_is_a_search_in_the_same_turn(house, ask, kind):
    ask(kind, SEARCH)

    assert house.questions[-1].reason == ASKED[0]
    assert house.serpapi.requests == []


def test_it_lasts_until_the_prompt_shows_none_of_it(house, ask):
    house.otherwise = lambda question: "y"
    shown = []
    with house.staying():
        ask("clipboard", REPLY)
        house.questions.clear()
        for n in range(24):
            house.search_finds("https://a.example/")
            house.model_plans(SEARCH, REPLY)
            house.ask(f"what is new, {n}?")
            shown.append("in what i copied?" in house.prompts[-1])
            assert len(house.questions) == shown.count(True)
            if not shown[-1]:
                break
    assert (shown[0], shown[-1]) == (True, False)


@pytest.mark.parametrize("name", [".env", "notes.txt"])
def test_y_says_yes_to_no_secret_and_to_no_search_after_it(house, tmp_path, name):
    (tmp_path / name).write_text("TOKEN=4711")
    house.files = [str(tmp_path / name)]
    house._answer = lambda question: answer_from_yes_flag(question, yes=True) or nobody_answers(question)
    house.model_plans(READS[name][0], SEARCH, REPLY)

    asked = house.ask(f"look up what {name} says")

    assert asked.status == ("needs_answer", 3)
    rule = "perhaps a key" if name == ".env" else "after something private"
    assert asked.summary["question"]["rule"] == rule
    assert house.serpapi.requests == []


def left(home):
    """The files of Jarvis that hold any of what was read."""
    files = [path for path in (home / "jarvis").rglob("*") if path.is_file()]
    return {path.name for path in files if MARK.encode() in path.read_bytes()}


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
    house.search_finds("https://a.example/")
    house.otherwise = lambda question: "y"
    shot = plan("take_screenshot", finish=False) | {"text": f"It says {MARK}."}
    search = plan("search", query=MARK, finish=False) | {"text": f"I search for {MARK}."}
    with house.staying():
        ask("clipboard", shot, search, REPLY)

    columns = [str(row) for row in house.rows("SELECT * FROM turns") + house.rows("SELECT why FROM steps")]
    assert [row for row in columns if MARK in row] == []
    assert house.rows("SELECT arguments FROM steps WHERE n = 3") == [(f'{{"query": "{MARK}"}}',)]


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
