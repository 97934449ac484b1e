"""A front end that is none of ours: what one has to have, which handles each event in a line."""

import pytest

from jarvis.actions.base import desktop_actions
from jarvis.cli.in_process import LocalDesktop
from jarvis.core import events
from jarvis.core.concurrency import run_async
from jarvis.core.errors import Interrupted
from jarvis.core.types import ActionRequest
from jarvis.desktop.desktop import Desktop
from jarvis.turns import build
from tests.brain.brains import FIRST, HELLO, MIT, MUNICH, SEARCH
from tests.brain.test_protocol import TABLE
from tests.twins import gemini

SHOWN = {
    events.TurnStarted: lambda event: f"> {event.goal}",
    events.Unreported: lambda event: f"? {event.text}",
    events.Planned: lambda event: f"{event.n}. {event.plan.action} {event.target}",
    events.QuestionAsked: lambda event: f"{event.question.text} {event.question.reason}",
    ActionRequest: lambda event: f"… {event.effect.formatted}",
    events.StepFinished: lambda event: event.outcome.text,
    events.TableShown: lambda event: f"{len(event.table.rows)} rows from line {event.first}",
    events.ReplyDelta: lambda event: "",
    events.Replied: lambda event: event.text,
    events.TurnFailed: lambda event: f"! {event.message} {event.hint}",
    events.Notice: lambda event: f"({event.text})",
    events.Waiting: lambda event: "",
    events.TurnEnded: lambda event: f"{event.status} {event.exit_status}",
}


class Front:
    """Implements events.Frontend."""

    place, streams, interruption = "Sunday", False, Interrupted("Interrupted.")

    def __init__(self, desktop):
        self.desktop, self.lines = desktop, []

    def tell(self, event):
        self.lines += filter(None, [SHOWN[type(event)](event)])

    async def confirmed(self):
        return True

    async def ask(self, question):
        self.lines.append(question.text)
        return "y"


@pytest.fixture
def asked(house):
    def asked(words, *plans, has_desktop=True):
        """What it shows of a turn on *words*, once the model gave these *plans*."""
        house.model_plans(*plans)
        local = LocalDesktop(Desktop(house.desktop, desktop_actions()))
        front = Front(local if has_desktop else events.NoDesktop())

        async def turn():
            async with build.session(house.settings) as session:
                await session.turn(events.Words(words), "default", front)

        run_async(turn())
        return front.lines

    return asked


def test_it_has_a_line_for_each_event_there_is():
    assert set(SHOWN) == set(events.Event.__args__)
    assert SHOWN[events.TableShown](events.TableShown(TABLE)) == "1 rows from line 1"


def test_it_finds_asks_and_opens(house, asked):
    house.search_finds(MUNICH)

    lines = asked("find the ticket shop and open it", SEARCH, FIRST)

    assert lines[0] == "> find the ticket shop and open it"
    assert lines[-1] == "done 0"
    assert any(line.startswith("Open ") for line in lines)
    assert f"… {MUNICH}" in lines
    assert house.desktop.opened == [MUNICH]


def test_it_shows_why_a_turn_failed(asked):
    lines = asked("what is one?", *[gemini.Status(400)] * 3)

    assert lines[-2].startswith("! ")
    assert lines[-1].startswith("failed ")


def test_without_a_desktop_nothing_is_opened_and_that_is_said(house, asked):
    lines = asked(f"have a look at {MIT} for me", {**FIRST, "address": "u1"}, HELLO, has_desktop=False)

    assert "There is no desktop here for this: open website https://web.mit.edu/." in lines
    assert lines[-1].startswith("failed ")
    assert house.desktop.opened == []
