"""How many things the words ask to be opened."""

from __future__ import annotations

import pytest

from jarvis.words.counting import things_named

COUNTS = {
    "open github": 1,
    "find the MIT website and open it": 1,
    "open the MIT website and the Stanford website": 2,
    "open wikipedia and github": 2,
    "open a, b and c": 3,
    "open a.example and b.example": 2,
    "open a.example b.example": 2,
    "open one and tell me about the other": 1,
    "open one and open the other": 2,
    "please open both": 2,
    "open a couple of sites": 2,
    "open the first and the third": 2,
    "open the first two results": 2,
    "find x and open the first three": 3,
    "open all of them": 6,
    "open each result": 6,
    "open the top ten results": 6,
    "can you open the mail app, the editor and the terminal": 3,
    "tell me all the news about MIT": 1,
    "find all the facts about MIT": 1,
    "find 5 best restaurants and open the first": 1,
    "summarise the two top stories": 1,
    "open spotify, please": 1,
    "open youtube and play despacito": 1,
    "open the Windows 10 download page": 1,
    "open Fantastic Four site": 1,
    "open the page with all recipes": 1,
    "Open Firefox. Open Thunderbird.": 2,
    "first open Firefox, then open Thunderbird": 2,
    "quickly open firefox and thunderbird": 2,
    "öffne https://github.com und https://gitlab.com": 2,
    "open a page about how to tie a tie in 5 steps": 1,
    "open a page on the five pillars of islam": 1,
    "open a recipe for a cake in 10 minutes": 1,
    "open a page that lists all countries": 1,
    "open the page of these guys": 1,
    "open wikipedia and explain gravity, mass and energy": 1,
    "open a page about cats and describe lions, tigers and pumas": 1,
    "open all but the first one": 1,
    "open 2": 1,
    "open 2 and 3": 2,
    "open 3 pages": 3,
    "open the top 3": 3,
    "open all three": 3,
    "show me the news and open github": 1,
    "if it rains, open github and gitlab": 1,
    "": 1,
}


@pytest.mark.parametrize(("goal", "count"), COUNTS.items())
def test_only_what_stands_after_a_verb_that_opens_counts(goal, count):
    assert things_named(goal) == count


def test_white_space_without_end_is_read_at_once():
    """A pattern that begins with white space took minutes for this."""
    assert things_named("open a" + " " * 200_000 + "b") == 1
