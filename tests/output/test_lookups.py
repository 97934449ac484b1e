"""What came of a step that looks something up: told by itself, or left to the reply."""

from __future__ import annotations

import io

import pytest

from jarvis.core.events import Observed, Replied, Source, TurnEnded
from jarvis.core.types import Outcome
from jarvis.output.screen import Screen
from jarvis.output.tellers import InTheEnd, OnTerminal

RENT = "The rent is 700."
USAGE = {"model_calls": 0}


def told(teller, *, is_implied):
    """What stdout and stderr have."""
    out, err = io.StringIO(), io.StringIO()
    telling = teller(Screen({}, stdin=io.StringIO(), stdout=out, stderr=err))
    outcome = Outcome("done", RENT, value=RENT)
    telling.tell(Observed(1, "read_notes", "reads", outcome, is_implied))
    telling.tell(TurnEnded("done", 0, {"usage": USAGE}))
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("teller", [OnTerminal, InTheEnd])
def test_what_answers_by_itself_is_told_and_what_a_reply_goes_by_is_not(teller):
    assert told(teller, is_implied=False) == (f"{RENT}\n", "")
    assert told(teller, is_implied=True) == ("", "")


def test_how_to_open_what_was_found_is_told_beside_a_lookup_and_not_beside_an_opening():
    source = Source("r1", "A page", "https://a.example/")
    for effect, is_told in (("reads", True), ("opens", False)):
        err = io.StringIO()
        telling = OnTerminal(Screen({}, stdin=io.StringIO(), stdout=io.StringIO(), stderr=err))
        telling.tell(Observed(1, "an_action", effect, Outcome("done", RENT)))
        telling.tell(Replied("So it is.", (source,)))

        assert ("jarvis open 1 opens the first" in err.getvalue()) is is_told
