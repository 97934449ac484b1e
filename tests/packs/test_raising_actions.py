"""An action that raises fails its step, a pack that is broken is left out, and nothing else fails."""

import pytest

from jarvis.core.events import StepFinished
from jarvis.packs.pack import all_packs, ready, warnings
from tests.house import packs_beside_ours

PACK = """
from jarvis.config.keys import Key
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
ASKED = "when is high tide at Dover?"
REPLY = {"action": "reply", "text": "That I can't tell."}


@pytest.fixture
def tides(tmp_path, house):
    """Makes a folder of it, turned on, with its files changed: (file, what stands there, in its place)."""

    def make(file="", old="", new=""):
        folder = tmp_path / "packs/tides"
        folder.mkdir(parents=True)
        for name, text in (("__init__.py", PACK), ("find_tides.py", ACTION)):
            assert name != file or text.count(old) == 1
            (folder / name).write_text(text.replace(old, new) if name == file else text)
        house.configure('[packs]\non = ["shop", "tides"]\n')
        return house

    with packs_beside_ours(tmp_path / "packs"):
        yield make


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('arguments["harbour"]', 'arguments["port"]', "a bug in the action find_tides: KeyError."),
        ("return Outcome", "Outcome", "a bug in the action find_tides: TypeError."),
    ],
)
def test_an_action_that_raises_fails_its_step_alone(tides, caplog, old, new, said):
    house = tides("find_tides.py", old, new)
    house.model_plans({"action": "find_tides", "harbour": "Dover", "finish": True}, REPLY)

    asked = house.ask(ASKED)

    (outcome,) = [event.outcome for event in asked.of(StepFinished)]
    assert outcome.state == "failed"
    assert said in outcome.text
    assert asked.reply.endswith("That I can't tell.")
    assert asked.status == ("failed", 1)
    (logged,) = [record for record in caplog.records if record.name == "jarvis.agent.executor"]
    assert logged.exc_info


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('Pack("tides"', 'Pack("tide"', "it is called tide, not tides."),
        ("PACK = Pack(", "PACK = Pact(", "NameError: name 'Pact' is not defined."),
        (
            '("find_tides",))',
            '("find_tides",), key=Key("worldtides", "WorldTides", ("TIDES_API_KEY",), "", ""))',
            "TIDES_API_KEY is called tides, not worldtides.",
        ),
        (
            '("find_tides",))',
            '("find_tides",), key=Key("tides", "Tides", ("TIDES_API_KEY", "OCEAN_TOKEN"), "", ""))',
            "OCEAN_TOKEN is called ocean, not tides.",
        ),
    ],
)
def test_a_broken_pack_is_told_and_left_out(tides, old, new, said):
    settings = tides("__init__.py", old, new).settings

    assert warnings(settings) == (f"The pack tides is broken, and left out: {said}",)
    assert {"shop", "trip"} <= {*all_packs()}
    assert "tides" not in all_packs()
    assert "tides" not in {pack.name for pack in ready(settings)}
