"""A question in a chat: one key answers it, and what else is typed waits for the next prompt."""

from __future__ import annotations

import pytest

from tests.cli.chat.said import HELLO, turns
from tests.person import ENTER, TAB
from tests.policy.test_approval import MUNICH, OPEN, SEARCH
from tests.shell import wait_until
from tests.twins.gemini import Slow

OTHER = "https://www.muenchenticket.example/"


@pytest.fixture
def asked(shell, chat):
    """The person in a chat who is asked whether an address that was found is to be opened."""
    shell.search_finds(MUNICH, OTHER)
    shell.gemini.plans(SEARCH, OPEN)
    person = chat()
    person.at_prompt()
    person.type("find the ticket shop and open it" + ENTER)
    person.see("Enter = no")
    person.at_prompt()
    return person


@pytest.fixture
def asked_plainly(shell, chat):
    """The person in a chat who is asked since a rule wants it."""
    shell.jarvis("policy", "ask", "open", "a.example")
    person = chat()
    person.at_prompt()
    person.type("open a.example" + ENTER)
    person.see("Enter = no")
    person.at_prompt()
    return person


@pytest.mark.parametrize(("typed", "opened"), [("y" + ENTER, 1), ("yes" + ENTER, 1), ("no" + ENTER, 0)])
def test_the_rest_of_an_answer_and_its_enter_are_no_request(shell, asked, typed, opened):
    asked.type(typed)
    asked.see("Sent https://" if opened else "Not opened.")
    asked.at_prompt()
    asked.ask("open b.example")

    assert asked.leave().status == 0
    assert shell.opened == [MUNICH] * opened + ["https://b.example"]
    assert [turn["goal"] for turn in turns(shell)][1:] == ["open b.example"]


def test_a_yes_that_is_typed_slowly_is_no_request_either(shell, asked):
    asked.type("y")
    asked.see("Sent https://")
    asked.at_prompt()
    asked.type("e")
    asked.until(lambda: asked.line == "> e")
    asked.type("s" + ENTER)
    asked.ask("open b.example")

    assert asked.leave().status == 0
    assert [turn["goal"] for turn in turns(shell)][1:] == ["open b.example"]


@pytest.mark.parametrize(("answer", "later"), [("y" + ENTER, ""), ("y", "es" + ENTER)])
def test_half_a_line_typed_before_the_question_is_not_sent_by_the_enter_of_an_answer(
    shell, chat, answer, later
):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, Slow({**OPEN, "finish": False}, chunks=4, delay=0.2), HELLO)
    person = chat()
    person.at_prompt()
    person.type("find the ticket shop and open it" + ENTER)
    wait_until(lambda: len(shell.gemini.requests) == 2)
    person.type("half of a")
    person.see("Enter = no")
    person.at_prompt()

    person.type(answer)

    person.see("Hello.")
    person.until(lambda: person.line == "> half of a")
    person.type(later)
    person.until(lambda: sum("> half of a" in line for line in person.lines) == 1 + bool(later))
    assert len(turns(shell)) == 1


def test_what_is_typed_on_after_an_answer_is_kept(shell, asked):
    asked.type("y" + "every word of it")

    asked.see("Sent https://")
    asked.until(lambda: asked.line == "> every word of it")


@pytest.mark.parametrize("key", [TAB, "e"])
def test_what_they_say_instead_is_done_in_the_same_turn(shell, asked, key):
    shell.gemini.readings += ["open found 1"]
    shell.gemini.plans({**OPEN, "address": "r2"})

    asked.type(key)
    asked.until(lambda: asked.line == "instead:")
    asked.type(ENTER)  # nothing: they are asked again
    asked.at_prompt()
    asked.type(key)
    asked.until(lambda: asked.line == "instead:")
    asked.type("the official one" + ENTER)
    asked.see(f"Sent {OTHER} to your browser.")
    asked.at_prompt()

    assert asked.leave().status == 0
    asked.assert_sane()
    assert (shell.opened, len(turns(shell))) == ([OTHER], 1)


@pytest.mark.parametrize("command", ["/threads", "/alias", "/yes"])
def test_no_letter_of_a_command_typed_at_a_question_is_a_yes(shell, asked_plainly, command):
    asked_plainly.type(command)

    asked_plainly.until(lambda: asked_plainly.line.startswith("instead:"))
    assert shell.opened == []
    assert len(shell.jarvis("policy", "list").stdout.splitlines()) == 1
