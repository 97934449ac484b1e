"""A chat talks to the brain that stays, and outlives it."""

from __future__ import annotations

import os
import signal
import time

import pytest

from jarvis.brain.client import PATIENCE
from tests.brain.brains import FIRST, HELLO, MUNICH, SEARCH, in_thread, turns
from tests.cli.test_program import alive
from tests.person import CTRL_C, ENTER, Person
from tests.shell import wait_until
from tests.twins.gemini import Slow, Stall

pytestmark = pytest.mark.slow


@pytest.fixture
def chat(home):
    """Starts a chat at a home of its own; all of them end with the test."""
    people = []

    def start(*argv, environment=None, **how):
        people.append(Person(home.program(**(environment or {})), *argv, **how))
        return people[-1]

    yield start
    for person in people:
        person._running.__exit__(None, None, None)


def test_a_chat_is_served_by_the_brain_that_serves_requests(home, chat):
    pid = home.start_brain()
    home.gemini.plans(HELLO, HELLO)
    person = chat("-t", "default")

    person.ask("what is one?")
    meanwhile = home.jarvis("-t", "other", "what is two?")
    left = person.leave()

    assert meanwhile.stdout == "Hello.\n"
    assert left.status == 0
    assert home.brains == [pid]
    assert [turn["goal"] for turn in turns(home, "default")] == ["are you there now?", "what is one?"]


def test_a_chat_starts_it_and_leaves_it_to_the_next(home, chat):
    home.gemini.plans(HELLO)
    person = chat()
    person.ask("what is one?")
    (pid,) = home.brains

    person.leave()

    assert home.start_brain() == pid


def test_it_is_warm_before_a_chat_has_asked_anything(home, chat):
    person = chat()
    person.at_prompt()
    log = home.home / "jarvis" / "state" / "jarvis.log"

    wait_until(lambda: log.exists() and '"what": "warm"' in log.read_text())

    assert home.gemini.requests == []
    assert person.leave().status == 0


def test_what_a_chat_finds_is_opened_after_a_yes(home, chat):
    home.start_brain()
    home.gemini.plans(SEARCH, FIRST)
    home.search_finds(MUNICH)
    person = chat("-t", "new")

    person.at_prompt("new>")
    person.type("find the ticket shop and open it" + ENTER)
    person.see("Enter = no")
    person.at_prompt()
    person.type("y" + ENTER)
    wait_until(lambda: home.opened == [MUNICH])
    person.at_prompt("new>")

    assert person.leave().status == 0


def test_ctrl_c_in_a_chat_ends_the_turn_and_the_brain_stays(home, chat):
    pid = home.start_brain()
    home.gemini.plans(Stall(), HELLO)
    person = chat("-t", "default")
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) == 2)

    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt()
    person.ask("what is two?")

    assert person.leave().status == 0
    assert home.brains == [pid]
    assert [turn["status"] for turn in turns(home)] == ["done", "interrupted", "done"]


@pytest.mark.parametrize("how", ["off", "in the way", "more words"])
def test_without_a_brain_a_chat_does_all_of_it_in_its_own_process(home, chat, how):
    if how == "in the way":
        (home.home / "jarvis").mkdir()
        home.runtime.write_text("no folder")
    home.gemini.plans(HELLO, SEARCH, FIRST, Stall(), {**HELLO, "text": "Good day."})
    home.search_finds(MUNICH)
    off = {"JARVIS_BRAIN": "off"} if how == "off" else {}
    person = chat("-t", "own", *(["-v"] if how == "more words" else []), environment=off)
    person.ask("what is one?", "own>")
    person.see("Hello.")

    person.type("find the ticket shop and open it" + ENTER)
    person.see("Enter = no")
    person.at_prompt()
    person.type("y" + ENTER)
    wait_until(lambda: home.opened == [MUNICH])
    person.at_prompt("own>")
    asked = len(home.gemini.requests)
    person.type("what is two?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) > asked)
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt("own>")
    person.ask("what is three?", "own>")

    person.see("Good day.")
    assert home.brains == []
    assert person.leave().status == 0
    statuses = [turn["status"] for turn in turns(home, "own")]
    assert statuses == ["done", "done", "interrupted", "done"]


@pytest.mark.long
def test_a_chat_that_was_stopped_itself_does_not_take_the_brain_for_one_that_hangs(home, chat):
    first = home.start_brain()
    home.gemini.plans(Slow(HELLO, chunks=20, delay=0.1))
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) == 2)

    person.send(signal.SIGSTOP)
    time.sleep(PATIENCE + 1)
    person.send(signal.SIGCONT)
    person.see("Hello.")

    assert home.brains == [first]
    assert person.leave().status == 0


def test_a_setting_that_is_changed_while_chatting_counts_though_another_keeps_the_brain(home, chat):
    first = home.start_brain()
    home.gemini.plans(HELLO, SEARCH, FIRST, HELLO, HELLO)
    home.search_finds(MUNICH)
    person = chat()
    person.ask("what is one?")
    with home.program().start(*in_thread("elsewhere"), tty=True) as other:
        other.wait_for("Enter = no")
        home.configure('model = "gemini-2.5-flash"')

        person.ask("what is two?")

        assert alive(first)
        assert home.gemini.requests[-1].model == "gemini-2.5-flash"
        other.write(b"n\n")
        other.finish()
    assert person.leave().status == 0


def test_a_key_that_is_put_into_its_file_while_chatting_is_read(home, chat):
    home.environment["GOOGLE_API_KEY"] = ""
    home.gemini.plans(HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.see("Paste the key (hidden")
    assert home.brains == []
    person.type(ENTER)
    person.see("hint: /keys set google")
    person.at_prompt()
    home.configure("")
    key = home.home / "jarvis" / "config" / ".env"
    key.write_text("GOOGLE_API_KEY=key-of-the-tests\n")
    key.chmod(0o600)

    person.ask("what is two?")

    person.see("Hello.")
    assert person.leave().status == 0


def test_a_brain_that_is_lost_in_a_chat_is_followed_by_another_for_all_that_comes(home, chat):
    first = home.start_brain()
    home.gemini.plans(Stall(), HELLO, {**HELLO, "text": "Good day."})
    person = chat("-t", "default")
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) == 2)

    os.kill(first, signal.SIGKILL)
    person.see("Hello.")
    (second,) = home.brains
    person.ask("what is two?")

    person.see("Good day.")
    assert home.brains == [second]
    assert person.leave().status == 0
    assert [turn["status"] for turn in turns(home, "default")] == ["done"] * 3


def test_ctrl_c_before_the_brain_is_there_brings_the_prompt_back(home, chat):
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.until(lambda: person.line.startswith("starting"))

    person.type(CTRL_C)

    person.see("Interrupted. Nothing was begun.")
    person.at_prompt()
    assert home.cost == (0, 0)
    assert person.leave().status == 0


def test_a_chat_with_a_brain_never_imports_the_stack(home, chat):
    person = chat(environment={"PYTHONPROFILEIMPORTTIME": "1"}, cold=True, size=(200, 50))
    person.at_prompt()
    person.type("open example.org" + ENTER)
    person.see("Sent https://example.org")
    person.leave()

    names = {
        line.rsplit(b"|", 1)[1].strip().decode()
        for line in person.said.splitlines()
        if line.startswith(b"import time:")
    }
    assert "prompt_toolkit" in names
    heavy = {"langgraph", "langchain", "langchain_core", "langchain_google_genai", "google", "pydantic"}
    assert {name for name in names if name.split(".")[0] in heavy | {"rich", "requests"}} == set()
