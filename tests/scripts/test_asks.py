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


@pytest.mark.parametrize(("first", "words", "steps", "reading"), ALL, ids=lambda value: str(value)[:40])
def test_each_reading_fits_its_words_and_its_steps(first, words, steps, reading):
    assert faults(reading, words, first) == []
    assert done(steps) == effects(reading)
    apps = [step.removeprefix("app ") for step in steps if step.startswith("app ")]
    assert apps == [part.removeprefix("start ") for part in reading.split("; ") if part.startswith("start ")]


def test_a_question_after_an_answer_asks_for_nothing():
    assert {reading for *_, reading in asks.answered_before()} == {"nothing"}
