"""What came of a step that looks something up: told by itself, or left to the reply."""

from __future__ import annotations

import io

import pytest

from jarvis.core.events import Observed, Replied, Source
from jarvis.core.types import Outcome
from jarvis.output.screen import Screen
from jarvis.output.tellers import AnswerTeller

RENT = "The rent is 700."


def told(*events, is_watched):
    """What stdout and stderr have; where *is_watched*, stdout is a terminal."""
    out, err = io.StringIO(), io.StringIO()
    screen = Screen({}, stdin=io.StringIO(), stdout=out, stderr=err)
    screen.out_tty = is_watched
    tell = AnswerTeller(screen).tell
    for event in events:
        tell(event)
    return out.getvalue(), err.getvalue()


def found(effect="reads", **how):
    return Observed(1, "read_notes", effect, Outcome("done", RENT, value=RENT), **how)


@pytest.mark.parametrize("is_watched", [True, False])
def test_what_answers_by_itself_is_told_and_what_a_reply_goes_by_is_not(is_watched):
    assert told(found(is_implied=False), is_watched=is_watched) == (f"{RENT}\n", "")
    assert told(found(is_implied=True), is_watched=is_watched) == ("", "")


def test_how_to_open_what_was_found_is_told_beside_a_lookup_and_not_beside_an_opening():
    replied = Replied("So it is.", (Source("r1", "A page", "https://a.example/"),))
    for effect, is_told in (("reads", True), ("opens", False)):
        _, err = told(found(effect), replied, is_watched=True)
        assert ("jarvis open 1 opens the first" in err) is is_told


def test_on_a_pipe_stdout_has_what_was_not_done_whatever_a_reply_claims_and_stderr_what_was_not_found():
    not_found, not_done = (
        Observed(1, "an_action", effect, Outcome("failed", f"No {effect}.", hint="Look."))
        for effect in ("reads", "opens")
    )

    said = told(not_found, not_done, Replied("Opened it!"), is_watched=False)

    assert said == ("No opens.\nOpened it!\n", "No reads.\n  hint: Look.\n  hint: Look.\n")
