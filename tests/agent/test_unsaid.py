"""What an action gets of fields that have kinds, and what of a plan nobody said."""

from decimal import Decimal

import pytest

from jarvis.actions.base import BrainAction, Field, plannable
from jarvis.core.events import Notice
from jarvis.core.money import Money
from jarvis.core.types import Effect, Outcome

REPLY = {"action": "reply", "text": "There.", "finish": True}
LOOK = {"action": "look", "query": "switch", "budget": "150 USD", "state": None}


class Look(BrainAction):
    """Looks for goods, and notes what it was given."""

    name = "look"
    description = "look for goods."
    fields = (
        Field("query", "what to look for"),
        Field("budget", "the most it may cost", kind="money", optional=True, said=True),
        Field("state", "the state it is in", kind="choice", choices=("new", "used"), optional=True),
    )

    def __init__(self):
        self.given = []

    def resolve(self, arguments, facts):
        self.given.append(dict(arguments))
        return Effect("reads", arguments["query"])

    async def perform(self, effect):
        return Outcome("done", "Looked.", value=effect.target)


@pytest.fixture
def look(monkeypatch):
    """Adds the action where all parts are joined."""
    action = Look()
    actions = {**plannable(), "look": action}
    monkeypatch.setattr("jarvis.turns.session.plannable", lambda: actions)
    return action


def test_an_action_gets_values_of_pythons(house, look):
    house.model_plans({**LOOK, "state": "Used"}, REPLY)

    asked = house.ask("what would a used switch under $150 be like")

    assert look.given == [{"query": "switch", "budget": Money(Decimal(150), "USD"), "state": "used"}]
    assert asked.status == ("done", 0)
    assert asked.of(Notice) == []


def test_what_nobody_said_is_left_out_and_told(house, look):
    house.model_plans(LOOK, REPLY)

    asked = house.ask("what would a used switch be like")

    assert look.given == [{"query": "switch"}]
    assert [notice.text for notice in asked.of(Notice)] == ["You did not say “150 USD”, so it is not used."]
    assert asked.status == ("done", 0)


@pytest.mark.parametrize(
    ("words", "budget", "told"),
    [
        ("a used switch under $150", None, ["“$150” was not taken as a limit."]),
        (
            "a used switch for 1.299,00 €, or $90",
            None,
            ["“1.299,00 €” was not taken as a limit. “$90” was not …"],
        ),
        ("a used switch between $50 and 150 dollars", "150 USD", ["“$50” was not taken as a limit."]),
        ("a used switch under $150", "150 USD", []),
        ("a switch 2 with 8 GB, a 24 inch screen, 20% off", None, []),
    ],
)
def test_an_amount_that_no_field_took_is_told(words, budget, told, house, look):
    house.model_plans({**LOOK, "budget": budget}, REPLY)

    asked = house.ask(words)

    said = [text.replace("not …", "not taken as a limit.") for text in told]
    assert [(notice.text, notice.must_know) for notice in asked.of(Notice)] == [(text, True) for text in said]


def test_it_may_be_said_in_the_turn_before(house, look):
    house.model_plans(REPLY, LOOK, REPLY)
    house.ask("what can one get under 150 dollars")

    house.ask("and what would a used switch be like")

    assert look.given[-1]["budget"] == Money(Decimal(150), "USD")
