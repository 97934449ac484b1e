"""Turns in flight are kept by LangGraph's own savers: little is written, nothing is left, nothing revived."""

from pathlib import Path

import ormsgpack
import pytest

from jarvis.agent.graph import strict
from jarvis.core.events import Notice
from tests.conftest import BOTH
from tests.store.test_sqlite import overwritten, torn

SEARCH = {"action": "search", "query": "x"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
REPLY = {"action": "reply", "text": "Hello.", "finish": True}


@BOTH
@pytest.mark.parametrize(
    ("plans", "status"),
    [((SEARCH, {"action": "nonsense"}, {"action": "nonsense"}), "failed"), ((SEARCH, OPEN), "needs_answer")],
    ids=["a failure", "a question"],
)
def test_only_a_turn_that_waits_for_its_answer_keeps_one(house, plans, status):
    house.search_finds("https://xn--mnchen-3ya.example/")
    house.model_plans(*plans)

    asked = house.ask("find x and open it")

    assert asked.status[0] == status
    assert house.checkpoints == ({asked.summary["turn"]} if status == "needs_answer" else set())


def test_what_a_row_says_is_revived_as_nothing_but_plain_values():
    run = ormsgpack.packb(("os", "system", "touch hijacked"))
    planted = ormsgpack.packb(ormsgpack.Ext(1, run))

    assert not callable(strict().loads_typed(("msgpack", planted)))
    assert not Path("hijacked").exists()


@pytest.mark.parametrize("fault", [overwritten, torn])
def test_a_broken_file_is_set_aside_which_is_said_once(house, fault):
    """What it held counted for turns that were under way alone."""
    file = Path(house.settings.folders.inflight)
    house.model_plans(REPLY, REPLY, REPLY)
    house.ask("hello")
    fault(file)
    broken = file.read_bytes()

    asked = [house.ask("hello") for _ in range(2)]

    assert [each.status for each in asked] == [("done", 0)] * 2
    said = [notice.text for each in asked for notice in each.of(Notice)]
    aside = f"{file}.broken"
    assert said == [f"{file} was broken, so it is in {aside} now. It held unfinished requests only."]
    assert (Path(aside) / file.name).read_bytes() == broken
