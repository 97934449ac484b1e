"""What is looked at again right before the desktop acts: the guard, and that it was written down."""

from __future__ import annotations

from jarvis.policy import rules
from tests.conftest import BOTH

OPEN = {"action": "open_website", "address": "r1", "finish": True}


def test_a_rule_that_is_made_while_they_are_asked_counts(quick):
    """In another window."""
    policy = quick.settings.folders.policy
    rules.remember(policy, "ask", "opens", "a.example")

    def answer(_question):
        rules.remember(policy, "deny", "opens", "a.example")
        return "y"

    quick.answer = answer

    assert quick.run("open a.example").exit_status == 4
    assert quick.desktop.opened == []


@BOTH
def test_a_step_of_the_loop_is_written_down_as_started_before_the_hands_act(house):
    seen = []
    written = "SELECT state, target, intent FROM steps JOIN turns ON turns.id = steps.turn"
    house.desktop.meanwhile = lambda: seen.extend(house.rows(written))
    house.model_plans({**OPEN, "address": "u1"})

    house.ask("please open https://a.example/ for me")

    assert seen == [("started", "https://a.example/", '["open u1"]')]
    assert house.desktop.opened == ["https://a.example/"]
