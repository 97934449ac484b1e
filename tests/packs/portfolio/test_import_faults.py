"""Whatever fails while a file is sent: what came of it is told as it is, and nothing is stored twice."""

from __future__ import annotations

import json
import time

import pytest

from jarvis.store.database import run_sync
from tests.conftest import BOTH_IF_LONG
from tests.packs.portfolio.trades import THREE, lines, stored, trades, writes
from tests.person import Person
from tests.twins.faults import Raw, Reset
from tests.twins.ghostfolio import (
    AWAY,
    ERROR,
    EXPIRED,
    HALF_STORED,
    HTML,
    LOST_AFTER_STORING,
    LOST_BEFORE_STORING,
    NO_FAULT,
    Fault,
    StoresLater,
    slow,
)

pytestmark = pytest.mark.slow
POST, READ = "POST /api/v1/import", "GET /api/v1/activities"
DONE = "Stored and read back: 3 activities (batch 1). To undo it: jarvis portfolio undo 1\n"
HALF = "Stored, but not all as it was sent: 1 of 3 (batch 1). To undo it: jarvis portfolio undo 1\n"
UNKNOWN = "It is not known yet whether it was stored: "
NO_LIST = Fault("no list", Raw(b'{"activities": null}'))
BROKEN_PAGE = Fault("html after storing", HTML.step, "all")


def imported(shell, **how):
    return shell.jarvis("portfolio", "import", "trades.csv", **how)


@BOTH_IF_LONG
@pytest.mark.parametrize(
    ("fault", "count", "told"),
    [
        (LOST_AFTER_STORING, 3, DONE),
        (LOST_BEFORE_STORING, 0, UNKNOWN),
        (HALF_STORED, 1, HALF),
        (EXPIRED, 0, "Nothing was stored: "),
        pytest.param(HTML, 0, UNKNOWN, marks=pytest.mark.long),
        (BROKEN_PAGE, 3, DONE),
        pytest.param(ERROR, 0, UNKNOWN, marks=pytest.mark.long),
        pytest.param(slow(11), 3, DONE, marks=pytest.mark.long),
        (slow(1), 3, DONE),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_what_is_told_of_it_is_what_is_stored(house, shell, allowed, fault, count, told):
    allowed.fails(POST, fault)
    trades(shell.home)

    done = imported(shell)

    assert allowed.happened == [fault.name]
    assert (done.status, len(allowed.activities)) == (0 if count == 3 else 1, count)
    assert done.stdout.startswith(told)
    assert writes(allowed) == [1, 0]
    assert ("  hint: " in done.stderr) == (count < 3)
    if told == UNKNOWN:
        assert (imported(shell).status, writes(allowed)) == (75, [1, 0])
        house.rows("UPDATE items SET body = REPLACE(body, '\"changed_at\": 1', '\"changed_at\": -1')")

    again = imported(shell)

    assert again.status == 0
    assert f"rows 3   new {3 - count}   there already {count}" in again.stdout + again.stderr
    assert sorted(stored(allowed)) == sorted(THREE)


def test_until_a_part_that_is_late_is_stored_nothing_is_sent_or_removed(shell, allowed):
    rows = [("BUY", "VWCE.DE", "1", f"{n}.25", "0", "EUR", "2025-11-20") for n in range(1100)]
    trades(shell.home, *lines(rows))
    later = StoresLater(allowed, Reset())
    allowed.fails(POST, NO_FAULT, Fault("late", later))

    done = imported(shell)
    undone = shell.jarvis("portfolio", "undo")
    later.store()
    batches = shell.jarvis("portfolio", "batches")

    assert (allowed.happened, done.status, undone.status, writes(allowed)) == (["late"], 1, 75, [2, 0])
    assert done.stdout.startswith(UNKNOWN)
    assert done.stdout.endswith(" There so far: 500 of 1100. The last 100 were not sent.\n")
    some = "Stored, but not all as it was sent: 1000 of 1100 (batch 1)."
    assert f"Something was broken off before. {some}" in batches.stderr
    assert (imported(shell).status, len(allowed.activities)) == (0, 1100)


@pytest.mark.parametrize(
    ("faults", "status", "count"),
    [
        ([AWAY, AWAY], 0, 3),  # it is asked for again
        ([AWAY] * 3, 69, 0),
        ([EXPIRED] * 2, 77, 0),  # also a token that is new
        ([HTML] * 3, 69, 0),
        ([NO_LIST], 69, 0),  # no empty one, by which all would be new
        ([NO_FAULT, *[AWAY] * 3], 69, 0),  # as it is looked once more behind the yes
        ([NO_FAULT, NO_FAULT, AWAY, EXPIRED], 0, 3),  # as it is read back, by a new token
        ([NO_FAULT, NO_FAULT, *[AWAY] * 3], 1, 3),
        ([NO_FAULT, NO_FAULT, *[HTML] * 3], 1, 3),
        ([NO_FAULT, NO_FAULT, NO_LIST], 1, 3),
    ],
)
def test_what_can_not_be_read_is_told(shell, allowed, faults, status, count):
    allowed.fails(READ, *faults)
    trades(shell.home)

    done = imported(shell)

    assert allowed.happened == [fault.name for fault in faults if fault is not NO_FAULT]
    assert (done.status, len(allowed.activities)) == (status, count), done
    if status == 1:
        assert done.stdout.startswith(UNKNOWN)
        batches = shell.jarvis("portfolio", "batches")
        assert f"Something was broken off before. {DONE}" in batches.stderr
        assert batches.stdout.endswith(": stored\n")
    assert imported(shell).status == 0
    assert sorted(stored(allowed)) == sorted(THREE)


@pytest.mark.parametrize(
    ("on", "faults", "told"),
    [
        pytest.param(
            POST,
            [NO_FAULT, EXPIRED],
            "Stored, but not all as it was sent: 500 of 600 ",
            marks=pytest.mark.long,
        ),
        (POST, [NO_FAULT, HALF_STORED], "Stored, but not all as it was sent: 550 of 600 (batch 1)."),
        # Before the question, behind it, then read back.
        (READ, [*[NO_FAULT] * 2, *[AWAY] * 3], UNKNOWN),
    ],
)
def test_of_several_requests_all_is_told(shell, allowed, on, faults, told):
    rows = [("BUY", "VWCE.DE", "1", f"{n}.25", "0", "EUR", "2025-11-20") for n in range(600)]
    trades(shell.home, *lines(rows))
    allowed.fails(on, *faults)

    done = imported(shell)

    assert allowed.happened == [fault.name for fault in faults if fault is not NO_FAULT]
    assert (done.status, done.stdout.startswith(told)) == (1, True)
    assert imported(shell).status == 0
    assert sorted(stored(allowed)) == sorted(rows)


def test_what_another_process_is_sending_is_not_told_as_broken_off(shell, allowed):
    allowed.fails(POST, slow(1))
    trades(shell.home)
    sending = shell.program().start("portfolio", "import", "trades.csv")
    while writes(allowed) == [0, 0]:
        time.sleep(0.01)

    listed = shell.jarvis("portfolio", "batches")

    assert (listed.status, listed.stderr) == (0, "")
    assert listed.stdout.endswith(": stored\n")
    assert sending.finish(60).stdout == DONE


def test_what_another_stores_between_the_question_and_the_yes_is_asked_about_anew(shell, allowed):
    shell.jarvis("policy", "rm", "1")
    trades(shell.home)
    with Person(shell.program(), "portfolio", "import", "trades.csv") as person:
        person.see("new 3")
        person.see("Enter = no")
        person.at_prompt()
        account = allowed.accounts[0]["id"]
        allowed.booked("BUY", "VWCE.DE", "5", "112.3", "2025-11-20", fee="1.5", account=account)
        person.type("y")
        person.see("Something like it was stored there meanwhile.")
        person.see("rows 3   new 2   there already 1")
        person.until(lambda: sum("Enter = no" in line for line in person.lines) == 2)
        person.at_prompt()
        assert writes(allowed) == [0, 0]
        person.type("y")
        assert person.finish().status == 0
    assert stored(allowed) == THREE


def test_what_the_server_refuses_is_told_in_its_words(shell, allowed):
    one = {"type": "BUY", "quantity": 1, "unitPrice": 2.5, "fee": 0, "currency": "EUR", "dataSource": "YAHOO"}
    both = [one | {"symbol": symbol, "date": "2025-11-20T00:00:00.000Z"} for symbol in ("VWCE.DE", "GONE")]
    (shell.home / "trades.csv").write_text(json.dumps({"activities": both}))

    done = imported(shell)

    assert (done.status, allowed.activities, writes(allowed)) == (1, [], [1, 0])
    assert done.stdout.startswith("Nothing was stored: ")
    assert "GONE" in done.stdout


@pytest.mark.long
def test_where_it_can_not_be_noted_nothing_is_sent(house, shell, allowed):
    trades(shell.home)
    shell.jarvis("portfolio", "batches")
    other = house.lock_out()
    try:
        done = imported(shell)
    finally:
        run_sync(other.close())

    assert (done.status, writes(allowed), allowed.activities) == (1, [0, 0], [])
    assert "History can't be used: database is locked." in done.stderr
    assert imported(shell).status == 0
    assert stored(allowed) == THREE
