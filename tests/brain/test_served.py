"""What a brain does for whoever speaks its protocol, and what it does not put up with."""

import pytest

from jarvis.brain.protocol import Failed, Ready, encode
from jarvis.core.events import StepFinished, Words
from tests.brain.brains import ASK, HELLO, OPEN, Talk
from tests.twins.gemini import Stall

LOOK = ASK._replace(words=Words("have a look at https://x.example for me"), thread="look")


def test_a_client_shows_and_acts_and_an_outcome_of_another_step_is_dropped(warm):
    warm.gemini.plans(OPEN)

    with Talk(warm, LOOK) as talk:
        act = talk.act()
        talk.done(act._replace(n=act.n + 1), "Sent another.")
        talk.done(act)

        assert (act.action, act.effect.target) == ("open_website", "https://x.example")
        assert talk.ended() == 0
        assert [each.outcome.text for each in talk.told(StepFinished)] == ["Sent it."]
        assert talk.is_hung_up()


def test_no_key_crosses_not_even_in_the_models_words(warm):
    warm.gemini.plans({"action": "reply", "text": "google-key-of-the-tests and serpapi-key-of-the-tests"})

    with Talk(warm, ASK._replace(streams=False)) as talk:
        talk.ended()

        assert b"[key] and [key]" in talk.heard
        assert b"key-of-the-tests" not in talk.heard
    with Talk(warm, ASK._replace(thread="google-key-of-the-tests/")) as talk:
        assert "[key]" in talk.failed().message
        assert b"key-of-the-tests" not in talk.heard


@pytest.mark.parametrize(
    "said",
    [encode(Ready()), b"GET / HTTP/1.1\r\n\r\n", encode(ASK) * 2],
    ids=["the wrong way", "another protocol", "two at once"],
)
def test_what_makes_no_sense_ends_the_connection_and_says_so(warm, said):
    warm.gemini.plans(Stall())

    with Talk(warm) as talk:
        talk.send(said)

        assert talk.next(Failed).code == "bad_message"
        assert talk.is_hung_up()
    warm.gemini._script.clear()
    warm.gemini.plans(HELLO)
    assert warm.jarvis("-t", "on", "what is all this?").stdout == "Hello.\n"


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (ASK._replace(words=Words("\x00")), "There are no words to act on."),
        (ASK._replace(words=Words("a " * 10_001)), "The limit is 20,000."),
        (ASK._replace(thread="no/slash"), "Can't use the conversation name “no/slash”."),
    ],
    ids=["no words", "too many", "a bad thread"],
)
def test_what_a_client_asks_is_held_to_the_same_rules(warm, ask, told):
    before = warm.cost

    with Talk(warm, ask) as talk:
        failed = talk.failed()
        assert failed.exit_status == 2
        assert told in failed.message
    assert warm.cost == before
