"""A question in a chat: one key answers it, and what else is typed waits for the next prompt."""

import pytest

from jarvis.policy.rules import remember
from tests.brain.brains import HELLO
from tests.person import CTRL_C, ENTER, TAB
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
    person.at_question()
    return person


def test_the_rest_of_an_answer_and_its_enter_are_no_request(shell, chat):
    """However fast “yes” is typed where one key is enough."""
    for name in "abcd":
        remember(shell.settings.folders.policy, "ask", "opens", f"{name}.example")
    person = chat()
    person.at_prompt()
    for n, (name, typed) in enumerate(
        zip("abcd", ("y" + ENTER, "yes" + ENTER, "no" + ENTER, "y"), strict=True)
    ):
        person.type(f"open {name}.example" + ENTER)
        person.until(lambda: sum("Open this site?" in line for line in person.lines) == n + 1)  # noqa: B023
        person.at_question()
        person.type(typed)
        person.see("Not opened." if "n" in typed else f"Sent https://{name}.example")
        person.at_prompt()
    person.type("e")
    person.until(lambda: person.line == "> e")
    person.type("s" + ENTER)
    person.ask("open e.example")

    assert person.leave().status == 0
    assert shell.opened == [f"https://{name}.example" for name in "abde"]
    assert [turn["goal"] for turn in shell.turns()] == [f"open {name}.example" for name in "abcde"]


def test_half_a_line_typed_before_the_question_is_not_sent_by_the_enter_of_an_answer(shell, chat):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, Slow({**OPEN, "finish": False}, chunks=4, delay=0.1), HELLO)
    person = chat()
    person.at_prompt()
    person.type("find the ticket shop and open it" + ENTER)
    wait_until(lambda: len(shell.gemini.requests) == 2)
    person.type("half of a")
    person.at_question()

    person.type("y" + ENTER)

    person.see("Hello.")
    person.until(lambda: person.line == "> half of a")
    assert len(shell.turns()) == 1


def test_what_is_typed_on_after_an_answer_is_kept(asked):
    asked.type("y" + "every word of it")

    asked.see("Sent https://")
    asked.until(lambda: asked.line == "> every word of it")


def test_what_they_say_instead_is_done_in_the_same_turn(shell, asked):
    shell.gemini.readings += ["open found 1"]
    shell.gemini.plans({**OPEN, "address": "r2"})

    asked.type(TAB)
    asked.until(lambda: asked.line == "instead:")
    asked.type(ENTER)  # nothing: they are asked again
    asked.at_question()
    asked.type("e")
    asked.until(lambda: asked.line == "instead:")
    asked.type("the official one" + ENTER)
    asked.see(f"Sent {OTHER} to your browser.")
    asked.at_prompt()

    assert asked.leave().status == 0
    asked.assert_sane()
    assert (shell.opened, len(shell.turns())) == ([OTHER], 1)


def test_what_was_typed_before_a_question_is_no_answer_to_it(shell, chat):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN)
    person = chat()
    person.at_prompt()

    person.type("find the ticket shop and open it" + ENTER + "y" + ENTER)

    person.at_question()
    person.type(CTRL_C)
    person.until(lambda: person.line == "> y")
    assert shell.opened == []
