"""How often a turn waits for a Postgres server: a database is rarely next door."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.far import Far
from tests.house import House

MIT = "https://web.mit.edu/"
FIND_AND_OPEN = "find the MIT website and open it"
SMALL_TALK = "hello there"
SEARCH = {"action": "search", "query": "MIT official website"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
MOST_TRIPS = {FIND_AND_OPEN: 22, SMALL_TALK: 13}
MOST_COMMITS = 15


@pytest.fixture
def far(url) -> Iterator[Far]:
    with Far(url) as far:
        yield far


@pytest.mark.parametrize("before", [0, 2], ids=["a fresh thread", "the third turn of a thread"])
@pytest.mark.parametrize("words", MOST_TRIPS)
def test_a_turn_waits_for_the_server_only_so_often(words, before, far, tmp_path, gemini, serpapi):
    house = House(tmp_path, gemini, serpapi, far.url)
    with house.staying():
        ask(house, "hello", "another")  # sets the tables up, and connects
        for _ in range(before):
            ask(house, words)
        far.counted()

        asked = ask(house, words)

        counted = far.counted()
    assert asked.status == ("done", 0), asked.summary["error"]
    assert house.desktop.opened == ([MIT] * (before + 1) if words == FIND_AND_OPEN else [])
    assert 0 < counted.trips <= MOST_TRIPS[words], counted.told()
    assert 0 < counted.commits <= MOST_COMMITS, counted.told()


def ask(house, words, thread="default"):
    if words == FIND_AND_OPEN:
        house.search_finds(MIT, *(f"https://r{n}.example.edu/" for n in range(9)))
        house.model_plans(SEARCH, OPEN)
    else:
        house.model_plans(HELLO)
    return house.ask(words, thread)
