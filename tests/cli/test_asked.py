"""A person at a terminal is asked, one-shot: the terminal is theirs again, however the question ends."""

import signal

import pytest

from tests.person import CTRL_C, CTRL_Z, Person
from tests.policy.test_approval import MUNICH, OPEN, SEARCH, reply

WORDS = "find the ticket shop and open it"
OTHER = "https://www.muenchenticket.example/"


@pytest.fixture
def asked(shell):
    """The person who is asked, after a search and a plan."""
    shell.search_finds(MUNICH, OTHER)
    shell.gemini.plans(SEARCH, OPEN)
    with Person(shell.program(), "-t", "default", WORDS) as person:
        person.at_question()
        yield person


@pytest.fixture
def asked_plainly(shell):
    """The person who is asked since a rule wants it, without a model."""
    shell.jarvis("policy", "ask", "open", "a.example")
    with Person(shell.program(), "-t", "default", "open", "a.example") as person:
        person.at_question()
        yield person


@pytest.mark.parametrize(
    ("way", "end", "status", "told"),
    [
        ("asked", CTRL_C, 130, "jarvis: Interrupted."),
        ("asked_plainly", CTRL_C, 130, "jarvis: Interrupted."),
        ("asked", signal.SIGTERM, 143, "jarvis: Terminated."),
        ("asked_plainly", signal.SIGTERM, 143, "jarvis: Terminated."),
    ],
)
def test_who_stops_it_there_has_their_terminal_back(shell, request, way, end, status, told):
    person = request.getfixturevalue(way)

    if end == CTRL_C:
        person.type(end)
    else:
        person.send(end)

    assert person.finish().status == status
    person.assert_sane()
    assert told in person.lines
    assert shell.opened == []


def test_ctrl_z_stops_it_with_the_terminal_given_back_and_it_still_asks(shell):
    """In a shell that takes over the terminal while the program is stopped."""
    shell.jarvis("policy", "ask", "open", "a.example")
    script = 'set -m; "$@"; echo stopped; stty -a | grep -o "[- ]icanon"; fg'
    with Person(shell.scripted(script), "open", "a.example") as person:
        person.at_question()
        person.type(CTRL_Z)
        person.see("stopped")
        person.until(lambda: " icanon" in person.lines)
        person.at_question()
        person.type("y")
        assert person.finish().status == 0

    assert shell.opened == ["https://a.example"]


def test_a_no_where_the_model_had_more_to_say_is_the_end(shell, asked):
    shell.gemini.plans(reply("Then not."))

    asked.type("n")

    assert asked.finish().status == 4
    assert "Not opened." in " ".join(asked.lines)
    assert "Then not." not in "".join(asked.lines)
    assert shell.cost == (2, 1)
