"""A chat talks to the brain that stays, and outlives it."""

from __future__ import annotations

import functools
import os
import signal

import pytest

from tests.brain.brains import FIRST, HELLO, MUNICH, SEARCH
from tests.person import CTRL_C, ENTER
from tests.shell import wait_until
from tests.twins.gemini import Stall

pytestmark = pytest.mark.slow


@pytest.fixture
def chat(home, people):
    """Starts a chat at a home of its own."""
    return functools.partial(people, home)


@pytest.mark.parametrize("how", ["with a brain", "without", "with a file in its way"])
def test_a_chat_asks_opens_and_is_interrupted_whether_there_is_a_brain_or_not(home, chat, how):
    if how == "with a file in its way":
        (home.home / "jarvis").mkdir()
        home.runtime.write_text("no folder")
    person = chat("-t", "own", environment={"JARVIS_BRAIN": "off"} if how == "without" else {})
    person.at_prompt(thread="own")
    brains = [warm_brain(home)] if how == "with a brain" else []
    home.gemini.plans(HELLO, SEARCH, FIRST, Stall(), {**HELLO, "text": "Good day."})
    home.search_finds(MUNICH)
    person.ask("what is one?", "own")
    person.see("Hello.")

    person.type("find the ticket shop and open it" + ENTER)
    person.at_question()
    person.type("y" + ENTER)
    wait_until(lambda: home.opened == [MUNICH])
    person.at_prompt(thread="own")
    asked = len(home.gemini.requests)
    person.type("what is two?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) > asked)
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt(thread="own")
    person.ask("what is three?", "own")

    person.see("Good day.")
    assert home.brains == brains
    assert person.leave().status == 0
    assert [turn["status"] for turn in home.turns("own")] == ["done", "done", "interrupted", "done"]


def warm_brain(home) -> int:
    """Return the brain that the chat has started and that serves others, once it is warm: unasked."""
    log = home.home / "jarvis" / "state" / "jarvis.log"
    wait_until(lambda: log.exists() and '"what": "ready"' in log.read_text())
    assert home.gemini.requests == []
    (pid,) = home.brains
    assert home.start_brain() == pid
    return pid


def test_a_brain_that_is_lost_in_a_chat_is_followed_by_another_for_all_that_comes(home, chat):
    first = home.start_brain()
    home.gemini.plans(Stall(), HELLO, {**HELLO, "text": "Good day."})
    person = chat("-t", "default")
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) == 2)

    os.kill(first, signal.SIGKILL)
    person.until(lambda: person.lines.count("Hello.") == 2)  # one is of the last exchange
    (second,) = home.brains
    person.ask("what is two?")

    person.see("Good day.")
    assert home.brains == [second]
    assert person.leave().status == 0
    assert [turn["status"] for turn in home.turns("default")] == ["done"] * 3


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
