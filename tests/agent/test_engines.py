"""An action that asks the engines of shops: what a turn of it costs, and what is told of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jarvis.actions import plannable
from jarvis.actions.base import ENGINES, BrainAction, Field, Service
from jarvis.core.errors import JarvisError
from jarvis.core.types import Effect, Outcome
from jarvis.output.tellers import footer
from tests.conftest import BOTH
from tests.twins import shop_faults as faults
from tests.twins.shop_pages import EBAY, SHOP, ebay, item, listed, shopping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jarvis.core.types import Facts
    from jarvis.search.serpapi import Engines

REPLY = {"action": "reply", "text": "Lanterns there are.", "finish": True}


class FindLanterns(BrainAction):
    """Asks a shop for each of the words."""

    name = "find_lanterns"
    description = "find lanterns of these `kinds`."
    fields = (Field("kinds", "what kinds"),)
    effect = "searches"
    services = (Service(ENGINES),)

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        return Effect("searches", str(arguments["kinds"]))

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        kinds = effect.target.split()
        asked = [(EBAY, {"_nkw": kind}) if kind == "used" else (SHOP, {"q": kind}) for kind in kinds]
        answers = await engines.ask_all(asked)
        for answer in answers:
            if isinstance(answer, JarvisError) and len(answers) == 1:
                raise answer
        pages = [answer for answer in answers if not isinstance(answer, JarvisError)]
        return Outcome("done", f"{len(pages)} of {len(kinds)} kinds.", value=effect.target)


@pytest.fixture
def lanterns(house, monkeypatch):
    """A house that knows how to find some."""
    actions = {**plannable(), FindLanterns.name: FindLanterns()}
    monkeypatch.setattr("jarvis.turns.session.plannable", lambda: actions)
    house.serpapi.sells(google_shopping=shopping(listed(1)), ebay=ebay(item(1)))
    return house


def find(kinds: str) -> dict[str, object]:
    return {"action": "find_lanterns", "kinds": kinds}


def counted(house) -> int:
    return house.rows("SELECT COALESCE(SUM(searches), 0) FROM usage")[0][0]


@BOTH
def test_one_step_may_cost_several_searches_and_they_are_told(lanterns):
    lanterns.model_plans(find("brass used"), REPLY)

    asked = lanterns.ask("find me lanterns")

    used = asked.summary["usage"]
    assert (used["searches"], used["credits"], used["searches_left"]) == (1, 2, 98)
    assert len(lanterns.serpapi.requests) == counted(lanterns) == 2
    assert footer(asked.summary).endswith("2 model calls · 2 searches (98 left today)")


def test_a_turn_keeps_to_its_budget_however_it_is_asked(lanterns):
    lanterns.configure("[budgets]\ncredits = 3\n")
    lanterns.model_plans(find("a b c d e"), find("f"), REPLY)

    asked = lanterns.ask("find me lanterns")

    assert [state for _, state in asked.steps] == ["done", "failed"]
    assert asked.status == ("failed", 124)
    assert "3 searches, is used up" in asked.reply
    assert asked.summary["error"]["code"] == "turn_limit"
    assert len(lanterns.serpapi.requests) == counted(lanterns) == 3


@pytest.mark.parametrize(
    ("fault", "name", "status"),
    [(faults.plan_spent(), "429 for the plan", 75), (faults.html(), "HTML", 69)],
)
def test_a_step_that_failed_tells_its_credits_too(lanterns, fault, name, status):
    lanterns.serpapi.sells(ebay=fault)
    lanterns.model_plans(find("used"), REPLY)

    asked = lanterns.ask("find me lanterns")

    assert lanterns.serpapi.happened == [name]
    assert asked.status == ("failed", status)
    assert asked.summary["usage"]["credits"] == counted(lanterns) == 1
