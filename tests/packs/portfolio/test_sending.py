"""Whatever happens to the one request that changes something, the person is told what came of it, once."""

import pytest

from jarvis.core.events import StepFinished, Unreported
from jarvis.packs.portfolio import batches
from jarvis.policy.rules import remember
from tests.packs.portfolio.buying import REPLY, WORDS, adding, kept, told, writes
from tests.planned import plan
from tests.twins import ghostfolio as g
from tests.twins.faults import Html, Raw, Reset

POST = "POST /api/v1/import"
STORED = [("BUY", 5.0, 112.3)]
DONE = "Stored and read back: 1 activity (batch 1). To undo it: jarvis portfolio undo 1"
UNKNOWN, ALSO = "It is not known yet whether it was stored: ", "From an earlier request: "
NEVER = f"{ALSO}Nothing was stored: it did not arrive."


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
        *((each, "") for each in (g.LOST_AFTER_STORING, storing(g.ERROR), storing(g.EXPIRED), g.slow(1))),
        (g.EXPIRED, "refused the key: GHOSTFOLIO_TOKEN"),
        (g.HALF_STORED, "activities.1 is not valid"),  # half of one is none
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_told_is_what_is_stored(house, allowed, fault, why):
    allowed.fails(POST, fault)

    with house.staying():
        found = house.ask(WORDS)
        later = house.ask("hello")

    assert (allowed.happened, len(writes(allowed))) == ([fault.name], 1)
    assert later.of(Unreported) == []
    if why:
        assert (found.status, kept(allowed)) == (("failed", 1), [])
        assert found.reply.startswith("Nothing was stored: ")
        assert why in found.reply.splitlines()[0]
    else:
        assert (found.status, found.reply, kept(allowed)) == (("done", 0), DONE, STORED)


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Reset(), "Ghostfolio can't be reached: the connection broke off."),
        (Html(504), "A web page came instead of Ghostfolio's answer (504 "),
        (g.ERROR.step, "Ghostfolio has a fault: it answered with status 500."),
        (Raw(b'{"activities": []}', status=201), "it may still arrive."),
        pytest.param(g.SILENT.step, "Ghostfolio did not answer within 60 s.", marks=pytest.mark.long),
    ],
    ids=["reset", "gateway", "500", "taken", "silent"],
)
def test_until_it_is_known_what_became_of_it_nothing_is_sent(house, allowed, monkeypatch, step, why, arrives):
    late = g.StoresLater(allowed, step)
    allowed.fails(POST, g.Fault("late", late))
    with house.staying():
        found = house.ask(WORDS)
        told(house)
        again = house.ask(WORDS, thread="another")
        if arrives:
            late.store()
        else:
            monkeypatch.setattr(batches, "_ARRIVES", -1)
        then, last = house.ask("hello"), house.ask("hello again")

    assert (allowed.happened, found.reply.startswith(f"{UNKNOWN}{why}")) == (["late"], True)
    assert "There so far: 0 of 1." in found.reply
    assert (again.status, len(writes(allowed))) == (("failed", 75), 1)
    assert "activities sent before may still be stored." in again.reply
    assert [each.text for each in then.of(Unreported)] == [f"{ALSO}{DONE}" if arrives else NEVER]
    assert (last.of(Unreported), kept(allowed)) == ([], STORED if arrives else [])


def test_while_the_server_is_away_that_is_told_once_more_and_then_the_truth(house, allowed):
    """Each turn is a process of its own here."""

    class GoesAway(Reset):
        def send(self, exchange, request):
            allowed.is_away = True
            super().send(exchange, request)

    allowed.fails(POST, g.Fault("goes away", GoesAway(), "all"))
    found = house.ask(WORDS)
    house.gemini.plans(*[REPLY] * 4)
    second, third = house.ask("hello"), house.ask("hello again")
    allowed.is_away = False
    then, last = house.ask("hello"), house.ask("hello again")

    assert allowed.happened == ["goes away", *["away"] * 9]
    assert found.status == ("failed", 1)
    assert [each.outcome.state for each in found.of(StepFinished)][-1] == "unknown"
    assert found.reply.startswith(f"{UNKNOWN}Ghostfolio can't be reached")
    unknown = f"{ALSO}It is not known whether this happened: add activity BUY 5 VWCE.DE."
    notices = [[each.text for each in asked.of(Unreported)] for asked in (second, third, then, last)]
    assert notices == [[f"{unknown} Your next request looks for it again."], [], [f"{ALSO}{DONE}"], []]
    assert len(writes(allowed)) == 1
    assert house.turns()[0]["steps"][-1]["state"] == "done"


def test_what_is_in_the_way_before_anything_is_sent_is_told_with_its_cure(house, portfolio):
    house.model_plans(plan("find_symbol", query="VWCE"))
    house.ask("which symbol has the stock VWCE?")
    portfolio.is_away = True
    told(house, adding())

    found = house.ask(WORDS)

    assert (found.status, house.questions, writes(portfolio)) == (("failed", 69), [], [])
    assert "can't be reached" in found.reply
    assert "jarvis config set packs.portfolio.url" in found.summary["error"]["hint"]
