"""What a yes is a yes to: one effect, one time."""

from __future__ import annotations

import pytest

from jarvis.core.types import Address, Effect, Request, Turn
from jarvis.policy import questions

TURN = Turn("t1", "default", 1, ())
A_PAGE = Effect("opens", "https://a.example/", address=Address("r1", "https://a.example/"))
REQUEST = Request(2, "open_website", A_PAGE, ask="odd letters", doubts=("odd letters",))


OTHERS = {
    "another turn": (TURN._replace(id="t2"), REQUEST),
    "another step": (TURN, REQUEST._replace(n=3)),
    "another address": (TURN, REQUEST._replace(effect=A_PAGE._replace(target="https://b.example/"))),
    "another app": (TURN, REQUEST._replace(effect=A_PAGE._replace(title="Terminal"))),
    "another action": (TURN, REQUEST._replace(action="open_app")),
    "another effect": (TURN, REQUEST._replace(effect=A_PAGE._replace(kind="launches"))),
    "another argument": (TURN, REQUEST._replace(effect=A_PAGE._replace(arguments={"topic": "x"}))),
    "another doubt": (TURN, REQUEST._replace(doubts=("private",))),
    "one doubt more": (TURN, REQUEST._replace(doubts=("odd letters", "private"))),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_yes_to_one_thing_is_none_to(other):
    turn, request = OTHERS[other]

    assert questions.effect_digest(turn, request) != questions.effect_digest(TURN, REQUEST)


def test_a_yes_to_one_of_several_is_none_where_there_are_others_to_choose_from():
    request = REQUEST._replace(choices=("s1", "a1"))
    site, app = Address("s1", "https://a.example/"), Address("a1", "gimp", source="app")
    shown, now = (site, app), (site, app._replace(url="terminal"))

    assert questions.effect_digest(TURN, request, shown) != questions.effect_digest(TURN, request, now)


def test_an_address_counts_by_itself_and_not_by_its_id():
    """It is another one on a server that the turn is delivered to."""
    elsewhere = A_PAGE._replace(address=Address("r7", A_PAGE.target))

    assert questions.effect_digest(TURN, REQUEST) == questions.effect_digest(
        TURN, REQUEST._replace(effect=elsewhere)
    )
