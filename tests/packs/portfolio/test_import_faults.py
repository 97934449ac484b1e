"""Whatever fails while a file is sent: what came of it is told as it is, and nothing is stored twice."""

import pytest

from jarvis.store.database import run_sync
from tests.packs.portfolio import trades as t
from tests.packs.portfolio.trades import POST, READ, THREE, imported, stored, trades, undone, writes
from tests.person import Person
from tests.shell import wait_until
from tests.twins import ghostfolio as g
from tests.twins.faults import Raw, Reset

pytestmark = pytest.mark.slow
DONE = "Stored and read back: 3 activities (batch 1). To undo it: jarvis portfolio undo 1\n"
PARTLY = "Stored, but not all as it was sent: "
UNKNOWN = "It is not known yet whether it was stored: "


def test_until_a_part_that_is_late_is_stored_nothing_is_sent_or_removed(shell, allowed):
    trades(shell.home, *t.lines(t.many(1100)))
    later = g.StoresLater(allowed, Reset())
    allowed.fails(POST, g.NO_FAULT, g.Fault("late", later))

    done, taken_back = imported(shell), undone(shell)
    later.store()
    batches = shell.jarvis("portfolio", "batches")

    assert (allowed.happened, done.status, taken_back.status, writes(allowed)) == (["late"], 1, 75, [2, 0])
    assert done.stdout.startswith(UNKNOWN)
    assert done.stdout.endswith(" There so far: 500 of 1100. The last 100 were not sent.\n")
    assert f"An earlier import was cut off. {PARTLY}1000 of 1100 (batch 1)." in batches.stderr
    assert (imported(shell).status, len(allowed.activities)) == (0, 1100)


NONE, GONE = g.NO_FAULT, [g.AWAY] * 3
# What reading meets: before the question, once more behind the yes, and as it is read back.
READING = {
    "no list": ([g.Fault("no list", Raw(b'{"activities": null}'))], 69, 0),  # by which all would be new
    "away behind the yes": ([NONE, *GONE], 69, 0),
    "an old token as it is read back": ([NONE, NONE, g.AWAY, g.EXPIRED], 0, 3),
    "away as it is read back": ([NONE, NONE, *GONE], 1, 3),
}


@pytest.mark.parametrize("name", READING)
def test_what_can_not_be_read_is_told(shell, allowed, name):
    faults, status, count = READING[name]
    allowed.fails(READ, *faults)
    trades(shell.home)

    done = imported(shell)

    assert allowed.happened == [fault.name for fault in faults if fault is not NONE]
    assert (done.status, len(allowed.activities)) == (status, count), done
    if status == 1:
        assert done.stdout.startswith(UNKNOWN)
        batches = shell.jarvis("portfolio", "batches")
        assert f"An earlier import was cut off. {DONE}" in batches.stderr
        assert batches.stdout.endswith(": stored\n")
    assert imported(shell).status == 0
    assert sorted(stored(allowed)) == sorted(THREE)


def test_of_several_requests_all_is_told(shell, allowed):
    trades(shell.home, *t.lines(t.many(600)))
    allowed.fails(POST, NONE, g.HALF_STORED)

    done = imported(shell)

    assert (done.status, done.stdout.startswith(f"{PARTLY}550 of 600 (batch 1).")) == (1, True)
    assert imported(shell).status == 0
    assert sorted(stored(allowed)) == sorted(t.many(600))


def test_what_another_process_is_sending_is_not_told_as_broken_off(shell, allowed):
    allowed.fails(POST, g.slow(1))
    sending = shell.program().start("portfolio", "import", trades(shell.home))
    wait_until(lambda: writes(allowed) != [0, 0])

    listed = shell.jarvis("portfolio", "batches")

    assert (listed.status, listed.stderr, listed.stdout[-9:]) == (0, "", ": stored\n")
    assert sending.finish(60).stdout == DONE


def test_what_another_stores_between_the_question_and_the_yes_is_asked_about_anew(shell, broker):
    with Person(shell.program(), "portfolio", "import", trades(shell.home)) as person:
        person.see("new 3")
        person.at_question()
        account = broker.accounts[0]["id"]
        broker.booked("BUY", "VWCE.DE", "5", "112.3", "2025-11-20", fee="1.5", account=account)
        person.type("y")
        person.see("Something like it was stored there meanwhile.")
        person.see("rows 3   new 2   there already 1")
        person.at_question()
        assert writes(broker) == [0, 0]
        person.type("y")
        assert person.finish().status == 0
    assert stored(broker) == THREE


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
    assert "database is locked." in done.stderr
    assert (imported(shell).status, stored(allowed)) == (0, THREE)
