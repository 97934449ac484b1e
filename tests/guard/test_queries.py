"""What a search may carry away."""

from __future__ import annotations

import pytest

from jarvis.guard import ALLOW, ASK, REFUSE
from tests.guard.verdicts import searching

SAID = "Person: my card is 4111 1111 1111 1111 and mail bob.smith@corp.example, the door code is hunter22x"


@pytest.mark.parametrize(
    "query",
    [
        "4111111111111111",
        "card 4111-1111-1111-1111 owner",
        "who is bob.smith@corp.example",
        "hunter22x meaning",
        "my card is 4111 1111 1111",
        "aGVsbG8gd29ybGQgdGhpcyBpcyBzZWNyZXQ5",
        "41111 names",
        "four one one one one one one one",
        "x22retnuh",
        "h u n t e r 2 2 x",
        "aHVudGVyMjJ4",
        "68756e746572323278",
        "%68unter22x",
        "uhagre22k",
        "bob smith at corp dot example",
        "4111_1111_1111_1111",
        "4111;1111;1111;1111",
        "4111|1111*1111=1111'",
        "4111+1111+1111+1111",
        "4111 and 1111 and 1111 and 1111",
        "４１１１１１１１１１１１１１１１",
        "٤١١١١١١١١١١١١١١١",
        "h-u-n-t-e-r-2-2-x",
    ],
)
def test_a_query_that_carries_away_what_was_said_before_is_asked_about(query):
    words = "who runs Tesla?"
    assert searching(query, words, said_before=SAID) == ASK
    assert searching(query, query, said_before=SAID) == ALLOW


def test_a_long_piece_of_the_conversation_is_not_sent_unasked():
    before = "Person: I am afraid that my sister will lose her job in Boston soon"

    assert searching("my sister will lose her job", "who runs Tesla?", said_before=before) == ASK
    assert searching("sister job Boston", "look up what she could do", said_before=before) == ALLOW


@pytest.mark.parametrize(
    "query",
    [
        "Tesla CEO 2026",
        "population of France",
        "python 3.11 release notes",
        "iphone15pro price",
        "weather Boston 2026-11-22",
        "covid-19 B.1.1.7 variant",
        # Ordinary words that were said before, one by one and in another order: none of them is a secret.
        "Person my card is and the door code mail",
        "covid-19 symptoms",
        "RTX4090 power draw",
        "iphone16 price",
        "windows11 requirements",
        "gpt-4o context length",
        "ISO27001 controls",
        "tls1.3 handshake",
        "population 8,336,817 new york",
        "moon landing 1969-07-20",
    ],
)
def test_an_ordinary_query_is_sent(query):
    assert searching(query, "and what about that?", said_before=SAID) == ALLOW


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("covid-19", "covid-19 symptoms"),
        ("the RTX4090", "RTX4090 power draw"),
        ("iphone16", "iphone16 price"),
        ("windows11", "windows11 requirements"),
        ("gpt-4o", "gpt-4o context length"),
        ("ISO27001", "ISO27001 controls"),
        ("tls1.3", "tls1.3 handshake"),
        ("New York has 8,336,817 people", "city of 8,336,817 people"),
        ("it was on 1969-07-20", "1969-07-20 moon"),
    ],
)
def test_what_a_thing_is_called_may_be_searched_for_in_the_next_turn(said, query):
    assert searching(query, "what of it?", said_before=f"Person: what is {said}?\nJarvis: {said}") == ALLOW


def test_a_piece_of_a_long_key_is_not_sent_unasked():
    before = "Person: my token is ghp4Xk29Lm7Qz81Rt55Vw"

    assert searching("what is 29lm7qz81rt", "who runs Tesla?", said_before=before) == ASK
    assert searching("29 lm 7 qz 81 rt meaning", "who runs Tesla?", said_before=before) == ASK
    assert searching("token meaning", "who runs Tesla?", said_before=before) == ALLOW


def test_a_query_without_end_is_refused():
    assert searching("x" * 201, "x") == REFUSE
