"""What `scripts/bench asks` asks for can be read: each line has steps and a reading that fit its words."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.readings import faults

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import asks

FRESH = (asks.FRESH, asks.MORE, asks.OTHER_LANGUAGES, asks.LANGUAGES, asks.MISSPELT_APPS)
FOLLOWING = (asks.FOLLOWING, asks.MORE_FOLLOWING, asks.LANGUAGES_FOLLOWING)
FIRST = [request for text in (*FRESH, *FOLLOWING) for request in asks.requests(text)]
SECOND = asks.second_requests()
ALL = [("", *request) for request in FIRST] + SECOND


def effects(reading: str) -> Counter[str]:
    parts = [part for part in reading.split("; ") if part != "nothing"]
    counted = Counter(part.split()[0] for part in parts)
    if "open found 3" in parts:
        counted["open"] += 2
    if "open lines" in parts:  # of three, as FOLLOWING has them
        counted["open"] += 2
    return counted


def done(steps: list[str]) -> Counter[str]:
    kinds = {**dict.fromkeys(("site", "any", "typed", "line", "the"), "open"), "app": "start"}
    did = [step.split()[0] for step in steps]
    return Counter(kinds.get(kind, kind) for kind in did if kind not in ("look", "say"))


def test_there_are_as_many_as_are_to_be_measured():
    texts = (asks.FRESH, asks.MORE, asks.FOLLOWING, asks.MORE_FOLLOWING)

    assert sum(len(asks.requests(text)) for text in texts) + len(asks.answered_before()) == 214
    assert len(asks.requests(asks.LANGUAGES)) >= 100
    assert len(asks.requests(asks.LANGUAGES_FOLLOWING)) >= 15


def test_each_request_has_one_that_follows_it():
    assert [first for first, *_ in SECOND] == asks.first_words()
    assert len(SECOND) >= 214


def test_none_is_asked_for_twice():
    """But for what is asked again of another list."""
    texts = [words for text in FRESH for words, *_ in asks.requests(text)]

    assert [words for words, n in Counter(texts).items() if n > 1] == []


@pytest.mark.parametrize(("first", "words", "steps", "reading"), ALL, ids=lambda value: str(value)[:40])
def test_each_reading_fits_its_words_and_its_steps(first, words, steps, reading):
    assert faults(reading, words, first) == []
    assert done(steps) == effects(reading)
    apps = [step.removeprefix("app ") for step in steps if step.startswith("app ")]
    assert apps == [part.removeprefix("start ") for part in reading.split("; ") if part.startswith("start ")]


def test_a_question_after_an_answer_asks_for_nothing():
    assert {reading for *_, reading in asks.answered_before()} == {"nothing"}
