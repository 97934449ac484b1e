"""A pack that is broken is told of once and left out; all else goes on."""

from __future__ import annotations

import sys

import pytest

from jarvis import packs
from jarvis.core.events import Notice, Observed

from ..twins.shop_pages import listed, shopping

PACK = """
from jarvis.packs.pack import Pack

PACK = Pack("tides", "tide times", {"en": "tide tides"}, ("find_tides",))
"""
ACTION = """
from jarvis.actions.base import BrainAction, Field
from jarvis.core.types import Effect, Outcome


class FindTides(BrainAction):
    name = "find_tides"
    description = "tide times at a `harbour`."
    fields = (Field("harbour", "a harbour"),)
    answers = True

    def resolve(self, arguments, facts):
        return Effect("reads", arguments["harbour"])

    async def perform(self, effect):
        return Outcome("done", f"High tide at {effect.target}: 12:40.")


ACTION = FindTides()
"""
LEFT_OUT = "The pack tides is left out: "
ASKED = "when is high tide at Dover?"
REPLY = {"action": "reply", "text": "That I can't tell."}


@pytest.fixture
def tides(tmp_path, house, monkeypatch):
    """Makes a folder of it, turned on, with its files changed: (file, what stands there, in its place)."""

    def make(file="", old="", new=""):
        folder = tmp_path / "packs/tides"
        folder.mkdir(parents=True)
        for name, text in (("__init__.py", PACK), ("find_tides.py", ACTION)):
            assert name != file or text.count(old) == 1
            (folder / name).write_text(text.replace(old, new) if name == file else text)
        monkeypatch.setattr(packs, "__path__", [*packs.__path__, str(tmp_path / "packs")])
        house.configure('[packs]\non = ["shop", "tides"]\n')
        return house

    yield make
    for name in [name for name in sys.modules if name.startswith("jarvis.packs.tides")]:
        del sys.modules[name]


def test_as_it_is_it_works(tides):
    house = tides()
    house.model_plans({"action": "find_tides", "harbour": "Dover", "finish": True})

    asked = house.ask(ASKED)

    assert asked.reply == "High tide at Dover: 12:40."
    assert packs.warnings(house.settings) == ()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("PACK = ", "PACK == ", "NameError: name 'PACK' is not defined"),
        ("PACK = ", "raise SystemExit(3)  # ", "SystemExit: 3"),
        (
            "PACK = Pack",
            "TIDES = Pack",
            "AttributeError: module 'jarvis.packs.tides' has no attribute 'PACK'",
        ),
        ("PACK = Pack(", "PACK = print(", "its PACK is no Pack"),
        ('"tides", "', '"sides", "', "its PACK has another name than its folder: sides"),
        ('"tide times"', "None", "`purpose` in its PACK makes no sense"),
        ('("find_tides",)', '("find_tides")', "`actions` in its PACK makes no sense"),
        ('("find_tides",)', '("find_tides",), needs=("moon",)', "`needs` in its PACK makes no sense"),
    ],
)
def test_one_that_is_no_pack_is_warned_of_once_and_stops_nothing(tides, old, new, why):
    house = tides("__init__.py", old, new)
    house.model_plans(REPLY)

    (warning,) = packs.warnings(house.settings)
    asked = house.ask(ASKED)

    assert warning.startswith(f"{LEFT_OUT}{why}")
    assert [pack.name for pack in packs.ready(house.settings)] == ["shop"]
    assert asked.status == ("done", 0)
    assert "tides" not in house.gemini.requests[0].enum("pack")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "ACTION = FindTides()",
            "import no_such_library",
            "ModuleNotFoundError: No module named 'no_such_library'",
        ),
        ("ACTION = FindTides()", "ACTION = FindTides", "the ACTION in find_tides.py is no BrainAction"),
        ('name = "find_tides"', 'name = "open_website"', "another name than its file"),
        ('description = "tide times at a `harbour`."', "", "find_tides has no description"),
        ("answers = True", 'effect = "sinks"', "find_tides has no effect that there is"),
    ],
)
def test_one_with_an_action_that_is_none_is_told_once_and_stops_nothing(tides, old, new, why):
    house = tides("find_tides.py", old, new)
    house.model_plans(REPLY)

    asked = house.ask(ASKED)

    (told,) = [event.text for event in asked.of(Notice)]
    assert told.startswith(LEFT_OUT)
    assert why in told
    assert asked.status == ("done", 0)
    assert "tides" not in house.gemini.requests[0].enum("pack")
    assert "shop" in house.gemini.requests[0].enum("pack")


@pytest.mark.parametrize("taken", ["open_website", "use", "find_products"])
def test_the_name_of_an_action_is_had_by_one_alone(tides, tmp_path, taken):
    house = tides("__init__.py", '"find_tides"', f'"{taken}"')
    action = (tmp_path / "packs/tides/find_tides.py").read_text()
    (tmp_path / f"packs/tides/{taken}.py").write_text(action.replace("find_tides", taken))
    house.serpapi.sells(google_shopping=shopping(listed(1)))
    house.model_plans({"action": "find_products", "queries": "a tide clock", "finish": True})

    asked = house.ask("the price of a tide clock")

    (told,) = [event.text for event in asked.of(Notice)]
    assert told == f"{LEFT_OUT}there is an action of the name {taken} already."
    assert asked.steps == [("find_products", "done")]


def test_the_model_that_opens_it_is_told_why_it_is_left_out(tides):
    house = tides("find_tides.py", "ACTION = ", "")
    house.model_plans({"action": "use", "pack": "tides"}, REPLY)

    asked = house.ask("when is high water at Dover?")

    (outcome,) = [event.outcome for event in asked.of(Observed)]
    assert outcome.state == "failed"
    assert "the pack tides is left out" in outcome.text
    assert asked.reply.endswith("That I can't tell.")
    assert "find_tides" not in house.gemini.requests[1].enum("action")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('arguments["harbour"]', 'arguments["port"]', "a bug in find_tides.py, line 13: KeyError."),
        ("return Outcome", "Outcome", "a bug in find_tides.py: TypeError."),
    ],
)
def test_an_action_that_raises_fails_its_step_alone(tides, caplog, old, new, said):
    house = tides("find_tides.py", old, new)
    house.model_plans({"action": "find_tides", "harbour": "Dover", "finish": True}, REPLY)

    asked = house.ask(ASKED)

    (outcome,) = [event.outcome for event in asked.of(Observed)]
    assert outcome.state == "failed"
    assert said in outcome.text
    assert asked.reply.endswith("That I can't tell.")
    assert asked.status == ("failed", 1)
    (logged,) = [record for record in caplog.records if record.name == "jarvis.agent.bugs"]
    assert logged.exc_info
