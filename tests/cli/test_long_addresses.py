"""Addresses of up to 8,000 characters are opened whole; a longer one is refused, and no model sees either."""

import pytest

from jarvis.core.urls import LONGEST

OPENING = {"action": "open_website", "address": "u1", "finish": True}
ANSWER = {"action": "reply", "text": "It is long."}


def address(length, tail="#end"):
    begun = "https://a.example/cb?state="
    return begun + "x" * (length - len(begun) - len(tail)) + tail


@pytest.mark.parametrize("length", [2_049, LONGEST])
def test_a_long_address_opens_alone_in_words_and_from_a_pipe(length, shell):
    url = address(length)

    assert shell.jarvis("open", url).stdout.strip() == url
    assert shell.jarvis(f"please open {url} now").status == 0
    assert shell.jarvis(stdin=f"{url}\n").status == 0
    assert (shell.opened, shell.cost) == ([url] * 3, (0, 0))


@pytest.mark.parametrize("words", ["open {}", "{}", "tell me what {} is for, please", "({})."])
def test_one_that_is_too_long_is_refused_with_the_reason(words, shell):
    ended = shell.jarvis("--json", words.format(address(LONGEST + 1)))

    assert f"{LONGEST + 1:,} characters" in ended.stdout
    assert (ended.status, shell.opened, shell.cost) == (1, [], (0, 0))


def test_the_model_is_shown_the_beginning_and_opens_it_by_its_id(house):
    url = address(LONGEST)
    house.gemini.reading = "open u1"
    house.model_plans(OPENING, ANSWER, ANSWER)

    asked = house.ask(f"could you do me a favour: {url} is what I want to see")
    house.ask("what was that?")
    house.ask("and this?", piped=f"see {url}")

    assert (asked.status, house.desktop.opened) == (("done", 0), [url])
    assert len(house.gemini.requests) == 3
    for request in house.gemini.requests:
        assert "https://a.example/cb?state=" in request.prompt
        assert "x" * 200 not in request.prompt
