"""Whatever happens to the one request that changes something, the person is told what came of it, once."""

from __future__ import annotations

import pytest

from jarvis.core.events import Notice, Observed, UnknownStep
from jarvis.packs.portfolio import batches
from jarvis.policy.rules import remember
from tests.lying import plan
from tests.packs.portfolio.buying import REPLY, WORDS, adding, kept, told, writes
from tests.twins.faults import Reset
from tests.twins.ghostfolio import (
    ERROR,
    EXPIRED,
    HALF_STORED,
    HTML,
    LOST_AFTER_STORING,
    LOST_BEFORE_STORING,
    SILENT,
    Fault,
    slow,
)

POST = "POST /api/v1/import"
STORED = [("BUY", 5.0, 112.3)]
DONE = "Stored and read back: 1 activity (batch 1). To undo it: jarvis portfolio undo 1"
ALSO = "An earlier turn stopped in the middle."
long = pytest.mark.long


@pytest.fixture
def allowed(house, portfolio, monkeypatch):
    """A portfolio that is changed without a question; what was lost is looked for as often, but sooner."""
    monkeypatch.setattr(batches, "_LOOKS", (0.0, 0.1, 0.3))
    remember(house.settings.folders.policy, "allow", "writes", "127.0.0.1")
    told(house)
    return portfolio


def storing(fault):
    return fault._replace(name=f"{fault.name} after storing", stores="all")


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        *((each, "") for each in (LOST_AFTER_STORING, storing(ERROR), storing(HTML), storing(EXPIRED))),
        (slow(1), ""),
        pytest.param(slow(11), "", marks=long),
        (LOST_BEFORE_STORING, "the connection broke off"),
        (ERROR, "it answered with status 500"),
        (HTML, "A web page came instead"),
        (EXPIRED, "refused the key: GHOSTFOLIO_TOKEN"),
        (HALF_STORED, "it answered with status 500"),  # half of one is none
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_told_is_what_is_stored(house, allowed, fault, why):
    allowed.fails(POST, fault)

    with house.staying():
        found = house.ask(WORDS)
        later = house.ask("hello")

    assert allowed.happened == [fault.name]
    assert len(writes(allowed)) == 1
    assert kept(allowed) == ([] if why else STORED)
    if why:
        assert found.status == ("failed", 1)
        first, _ = found.reply.splitlines()
        assert first.startswith("Nothing was stored: ")
        assert why in first
    else:
        assert (found.status, found.reply) == (("done", 0), DONE)
    assert later.of(Notice) + later.of(UnknownStep) == []


@long
def test_what_is_not_answered_in_time_is_looked_for_once_more_by_the_next_turn(house, allowed):
    allowed.fails(POST, SILENT)

    with house.staying():
        found = house.ask(WORDS)
        later = house.ask("hello")

    assert found.status == ("failed", 1)
    assert found.reply.startswith("It is not known whether it was stored: Ghostfolio did not answer within ")
    assert [each.text for each in later.of(Notice)] == [f"{ALSO} Nothing was stored: it did not arrive."]
    assert (len(writes(allowed)), kept(allowed)) == (1, [])


def going_away(ghost, stores):
    """The fault of a server that answers no more from then on."""

    class GoesAway(Reset):
        def send(self, exchange, request):
            ghost.is_away = True
            super().send(exchange, request)

    return Fault("goes away", GoesAway(), stores)


@pytest.mark.parametrize("is_stored", [True, False])
def test_where_nobody_answers_any_more_the_next_turn_tells(house, allowed, is_stored):
    allowed.fails(POST, going_away(allowed, "all" if is_stored else "nothing"))

    found = house.ask(WORDS)
    allowed.is_away = False
    then = house.ask("hello")
    house.gemini.plans(*[REPLY] * 2)
    last = house.ask("hello again")

    assert allowed.happened == ["goes away", *["away"] * 3]
    assert found.status == ("failed", 1)
    assert [each.outcome.state for each in found.of(Observed)][-1] == "unknown"
    assert found.reply.startswith("It is not known whether it was stored: Ghostfolio can't be reached")
    (notice,) = then.of(Notice)
    assert notice.text == f"{ALSO} {DONE if is_stored else 'Nothing was stored: it did not arrive.'}"
    assert (then.of(UnknownStep), last.of(Notice), last.of(UnknownStep)) == ([], [], [])
    assert len(writes(allowed)) == 1
    step = house.turns()[0]["steps"][-1]
    assert step["state"] == ("done" if is_stored else "failed")


def test_while_it_stays_away_that_is_told_once_more_and_then_no_more(house, allowed):
    allowed.fails(POST, going_away(allowed, "all"))
    house.ask(WORDS)
    house.gemini.plans(*[REPLY] * 4)

    second, third = house.ask("hello"), house.ask("hello again")
    allowed.is_away = False
    listed = house.ask("hello")

    assert [each.action for each in second.of(UnknownStep)] == ["add_activity"]
    assert third.of(UnknownStep) + listed.of(UnknownStep) == []
    assert len(writes(allowed)) == 1


def test_what_is_in_the_way_before_anything_is_sent_is_told_with_its_cure(house, portfolio):
    house.model_plans(plan("find_symbol", query="VWCE"))
    house.ask("which symbol has the stock VWCE?")
    portfolio.is_away = True
    told(house, adding())

    found = house.ask(WORDS)

    assert (found.status, house.questions, writes(portfolio)) == (("failed", 69), [], [])
    assert "can't be reached" in found.reply
    assert "jarvis config set packs.portfolio.url" in found.summary["error"]["hint"]
