"""What the model may choose: only what it could still do, and each address once."""

import pytest

from jarvis.actions.base import plannable
from jarvis.agent.offer import is_open, unused_ids
from jarvis.config.settings import Budgets
from jarvis.core.intent import Form, Intent, Part
from jarvis.core.types import INSTEAD, Address, Outcome, Plan, Step

ACTIONS, BUDGETS = plannable(), Budgets(steps=4, searches=2)
ONE, THREE = Intent(), Intent(tuple(Part(Form.SITE, name) for name in ("A", "B", "C")))


def steps(*ended):
    """Return steps, each an action and its state, or the code of a no."""
    return [
        Step(
            n, Plan(name, {"address": f"r{n}"}), Outcome("declined" if end == INSTEAD else end, "", code=end)
        )
        for n, (name, end) in enumerate(ended, 1)
    ]


OPEN, SEARCH, READ = "open_website", "search", "read"


@pytest.mark.parametrize(
    ("action", "ids", "before", "intent", "may"),
    [
        (OPEN, ["r1"], [(OPEN, INSTEAD)] * 2, ONE, True),
        (OPEN, ["r1"], [(OPEN, "failed")] * 2, THREE, True),
        (OPEN, ["r1"], [(SEARCH, "done")] * 4, THREE, True),
        (SEARCH, [], [(SEARCH, "done")] * 2, THREE, True),
        (SEARCH, [], [(SEARCH, "failed")], THREE, False),
    ],
)
def test_an_action_is_open_while_it_has_work_and_is_not_spent(action, ids, before, intent, may):
    assert is_open(ACTIONS[action], ids, (), steps(*before), BUDGETS, intent) is may


def test_an_address_may_be_tried_once_and_to_read_it_is_no_try():
    known, taken = (
        [Address(f"r{n}", "https://a.example/") for n in (1, 2, 3)],
        steps((OPEN, "failed"), (READ, "done")),
    )

    assert unused_ids(known, (), taken, ACTIONS) == ["r2", "r3"]
