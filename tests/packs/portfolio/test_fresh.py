"""For some seconds after a change Ghostfolio's figures are the old ones: none of these is shown as new."""

import threading
import time

import pytest

from jarvis.core.events import TableShown
from tests.packs.portfolio.trades import POST, imported, trades, undone, writes
from tests.planned import plan
from tests.shell import wait_until
from tests.twins.ghostfolio import HALF_STORED, LOST_BEFORE_STORING, NO_FAULT, Figures, slow, span

pytestmark = pytest.mark.slow
LAG = 9.0  # seconds: 6 were measured, and a busy machine is given the time to look
ADDED = {"kind": "BUY", "quantity": "5", "price": "112.30", "fee": None, "day": None, "account": None}


@pytest.fixture
def held(allowed):
    """A server on which something is held already, and figures lag behind."""
    allowed.booked("BUY", "VWCE.DE", "100", "98.43", "2025-03-03", account=allowed.accounts[0]["id"])
    allowed.lag = LAG
    return allowed


def worth_now(twin):
    """What a server's figures come to once they are worked out."""
    return round(Figures(twin, twin.activities, twin.accounts, *span("max")).net_worth, 2)


def look(house, action="show_portfolio"):
    """The net worth that is shown, and whether it is said that it may be old."""
    house.model_plans(plan(action))
    (tabled,) = house.ask("show my portfolio").of(TableShown)
    cells = [row.cells for row in (*tabled.table.rows, *tabled.table.foot)]
    (worth,) = [
        row.get("value") or row["worth"]
        for row in cells
        if row.get("name") == "net worth" or row.get("point") == "last"
    ]
    says_so = "perhaps as of before your last change"
    return worth.amount, any(says_so in check.finding for check in tabled.table.checks)


def looks(house, twin, count, seconds):
    """That many of them in the time after a change: how many are old; those of them that are told as new."""
    began, old, lies = time.monotonic(), 0, []
    for n in range(count):
        time.sleep(max(0, began + n * seconds / count - time.monotonic()))
        worth, is_marked = look(house, ("show_portfolio", "show_performance")[n % 2])
        is_right = worth == worth_now(twin)
        old += not is_right
        lies += [] if is_right or is_marked else [(n, worth)]
    return old, lies


def by_import(house, shell, twin, status=0):
    assert imported(shell, file=trades(shell.home)).status == status


def by_half_an_import(house, shell, twin):
    twin.fails(POST, HALF_STORED)
    by_import(house, shell, twin, 1)


def by_undo(house, shell, twin, status=0):
    by_import(house, shell, twin)
    twin.catch_up()
    assert undone(shell).status == status


def by_half_an_undo(house, shell, twin):
    twin.fails("DELETE", NO_FAULT, NO_FAULT, LOST_BEFORE_STORING)
    by_undo(house, shell, twin, 1)
    assert len(twin.activities) == 2


def by_a_turn(house, shell=None, twin=None):
    house.gemini.reading = "record VWCE.DE"
    found = plan("find_symbol", query="VWCE") | {"finish": False}
    house.model_plans(found, plan("add_activity", symbol="o1", **ADDED))
    asked = house.ask("bought 5 VWCE.DE at 112.30 today", thread="trades")
    house.gemini.reading = None
    assert asked.status == ("done", 0), asked.reply


@pytest.mark.parametrize("change", [by_import, by_undo, by_half_an_undo, by_half_an_import, by_a_turn])
def test_no_old_sum_is_shown_as_new(house, shell, held, long, change):
    with house.staying():  # one that was there before the change
        look(house)
        change(house, shell, held)

        old, lies = looks(house, held, 50 if long else 6, LAG if long else 0.5)

    assert lies == []
    assert old > (9 if long else 2)  # as many as a busy machine comes to


@pytest.mark.long
def test_later_it_is_not_said_any_more(house, shell, held):
    by_import(house, shell, held)
    time.sleep(11)

    assert look(house) == (worth_now(held), False)


def test_while_another_process_is_sending_it_is_said_and_a_turn_stores_what_is_its_own(house, shell, held):
    held.fails(POST, slow(1))
    sending = shell.program().start("portfolio", "import", trades(shell.home))
    wait_until(lambda: writes(held) != [0, 0])

    assert looks(house, held, 4, 0.5)[1] == []
    by_a_turn(house)
    assert sending.finish(60).status == 0
    assert (len(held.activities), writes(held)) == (5, [2, 0])


def test_figures_that_took_longer_than_that_to_come_are_marked_too(house, shell, held):
    by_import(house, shell, held)
    held.fails("GET /api/v1/portfolio/details", slow(0.2))
    changing = threading.Timer(0.1, lambda: undone(shell))
    changing.start()

    assert look(house)[1]
    changing.join()
