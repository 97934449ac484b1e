"""A draft outlives the brain that worked it out: killed before it is approved of, it is kept once."""

from __future__ import annotations

import pytest

from tests.brain.test_going_on import Mortal
from tests.conftest import BOTH
from tests.packs.trip.travels import ADDED_UP, FLIGHTS, HOTELS, WORDS, sells

pytestmark = pytest.mark.slow


@BOTH
def test_a_draft_is_kept_once_though_brains_are_killed_before_and_after(
    tmp_path, gemini, serpapi, database_url
):
    home = Mortal(tmp_path, gemini, serpapi, database_url)
    sells(home)
    try:
        home.start_brain()
        gemini.plans(FLIGHTS, HOTELS, ADDED_UP)
        assert home.jarvis(WORDS).status == 0
        before = home.cost
        home.kill()
        approved = home.json("approve")
        home.kill()
        again = home.json("approve", "it")
    finally:
        home.stop()

    assert (approved["status"], "Kept as trip" in approved["reply"]) == ("done", True)
    assert (again["status"], "is kept already" in again["reply"]) == ("done", True)
    assert (home.cost, home.killed) == (before, 2)
    assert len(home.jarvis("trip", "list").stdout.splitlines()) == 1
