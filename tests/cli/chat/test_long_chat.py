"""A long chat with everything in it."""

from __future__ import annotations

import re

import pytest

from tests.cli.chat.conftest import MIT
from tests.person import CTRL_C, ENTER
from tests.shell import wait_until
from tests.twins.gemini import Stall
from tests.twins.serpapi import Stall as SearchStalls

SEARCH = {"action": "search", "query": "MIT official website"}


@pytest.mark.parametrize(
    ("size", "database_url"),
    [((40, 20), "postgres"), pytest.param((80, 24), "sqlite", marks=pytest.mark.long)],
    ids=str,
    indirect=["database_url"],
)
def test_a_long_chat(shell, chat, size, database_url, long):
    """Questions, openings, plain commands, and Ctrl-C in a search, in a model call and in an approval."""
    rounds = 6 if long else 2
    person = chat(size=size)
    for _ in range(rounds):
        a_question(shell, person)
        find_and_open(shell, person)
        person.ask("open 2")
    ctrl_c_in_a_search(shell, person)
    ctrl_c_in_a_model_call(shell, person)
    ctrl_c_in_an_approval(shell, person)

    assert person.leave().status == 0

    person.assert_sane()
    statuses = [turn["status"] for turn in shell.turns()]
    assert statuses == ["done"] * 3 * rounds + ["interrupted"] * 3
    assert shell.opened == [MIT, "https://b.example/"] * rounds
    assert [line for line in person.lines if line.startswith("jarvis:")] == ["jarvis: Interrupted."] * 3


def id_of(host, asked):
    """The id under which the address of *host* is offered to the model."""
    return re.search(rf"\[(r\d+)\] .*\({re.escape(host)}\)", asked.prompt)[1]


def a_question(shell, person):
    shell.search_finds(MIT, "https://b.example/")
    shell.gemini.plans(
        SEARCH,
        lambda asked: {
            "action": "reply",
            "text": f"So [{id_of('web.mit.edu', asked)}], or so [{id_of('b.example', asked)}].",
        },
    )
    person.ask("what is MIT?")
    person.see("[2] About")


def find_and_open(shell, person):
    before = len(shell.opened)
    shell.search_finds(MIT)
    opening = {"action": "open_website", "finish": True}
    shell.gemini.plans(SEARCH, lambda asked: {**opening, "address": id_of("web.mit.edu", asked)})
    person.ask("find the MIT website and open it")
    wait_until(lambda: len(shell.opened) == before + 1)


def ctrl_c_in_a_search(shell, person):
    shell.serpapi.finds(SearchStalls())
    shell.gemini.plans(SEARCH)
    searches = len(shell.serpapi.requests)
    person.type("what is a stall?" + ENTER)
    wait_until(lambda: len(shell.serpapi.requests) > searches)
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt()


def ctrl_c_in_a_model_call(shell, person):
    shell.gemini.plans(Stall())
    calls = len(shell.gemini.requests)
    person.type("what is a call?" + ENTER)
    wait_until(lambda: len(shell.gemini.requests) > calls)
    person.type(CTRL_C)
    person.until(lambda: person.lines.count("jarvis: Interrupted.") == 2)
    person.at_prompt()
    wait_until(lambda: shell.gemini.requests[-1].gone)


def ctrl_c_in_an_approval(shell, person):
    shell.search_finds("https://xn--mnchen-3ya.example/")
    opening = {"action": "open_website", "finish": True}
    shell.gemini.plans(SEARCH, lambda asked: {**opening, "address": id_of("xn--mnchen-3ya.example", asked)})
    person.type("find the ticket shop and open it" + ENTER)
    person.see("to do instead")
    person.at_prompt()
    person.type(CTRL_C)
    person.until(lambda: person.lines.count("jarvis: Interrupted.") == 3)
    person.at_prompt()
