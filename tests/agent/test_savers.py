"""Turns in flight are kept by LangGraph's own savers: little is written, nothing is left, nothing revived."""

from __future__ import annotations

from pathlib import Path

import ormsgpack
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from jarvis.agent.graph import strict
from jarvis.core.errors import StoreFailed
from tests.conftest import BOTH

SEARCH = {"action": "search", "query": "x"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
REPLY = {"action": "reply", "text": "Hello.", "finish": True}


@BOTH
@pytest.mark.parametrize(
    ("words", "plans", "most"),
    [("find x and open it", (SEARCH, OPEN), 3), ("hello", (REPLY,), 1), ("tell me", (SEARCH, REPLY), 1)],
    ids=["find and open", "small talk", "a question"],
)
def test_few_checkpoints_are_written_and_none_is_left(house, monkeypatch, words, plans, most):
    written = []
    kind = AsyncPostgresSaver if house.is_on_a_server else AsyncSqliteSaver
    put = kind.aput

    async def counted(self, *arguments):
        written.append(arguments)
        return await put(self, *arguments)

    monkeypatch.setattr(kind, "aput", counted)
    house.search_finds("https://a.example/")
    house.model_plans(*plans)

    assert house.ask(words).status == ("done", 0)

    assert 0 < len(written) <= most
    assert house.checkpoints == set()


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


def test_of_a_file_that_is_broken_it_is_said_what_to_do(house):
    """What it held counted for turns that were under way alone."""
    inflight = Path(house.settings.folders.inflight)
    inflight.parent.mkdir(parents=True, exist_ok=True)
    inflight.write_bytes(b"this is no database" * 1000)

    with pytest.raises(StoreFailed, match="not a database") as failure:
        house.ask("hello")

    assert f"{inflight} is broken, delete it" in failure.value.hint
    inflight.unlink()
    house.model_plans(REPLY)
    assert house.ask("hello").status == ("done", 0)
