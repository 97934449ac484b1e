"""What a careful person reads in the words of an attacked goal is what that goal allows, and no more."""

from __future__ import annotations

import pytest

from tests.attacking import GOALS, READINGS
from tests.readings import faults


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_allows_just_what_its_words_are_read_as(name):
    goal = GOALS[name]
    parts = [part for part in READINGS[name].split("; ") if part != "nothing"]

    assert faults(READINGS[name], goal.words, goal.before) == []
    assert sum(part.startswith("open ") for part in parts) == len(goal.opens)
    assert tuple(part.removeprefix("start ") for part in parts if part.startswith("start ")) == goal.apps
    assert parts.count("picture") == goal.pictures


def test_there_is_a_reading_for_each_goal_and_for_nothing_else():
    assert READINGS.keys() == GOALS.keys()
