"""`jarvis portfolio undo`: what a batch stored goes, nothing else does, and what is left is read."""

import json
import re

import pytest

from jarvis.core.events import TableShown
from jarvis.packs.context import PackContext
from jarvis.packs.portfolio import PACK
from jarvis.packs.portfolio.batches import Batches
from tests.conftest import BOTH
from tests.packs.portfolio.trades import ONE_MORE, POST, THREE, imported, stored, trades, undone, writes
from tests.person import Person
from tests.planned import plan
from tests.twins import ghostfolio as g

pytestmark = pytest.mark.slow
BATCH = {"pack": "portfolio", "list": "batches", "at": 1_700_000_000.0}
SUMS = "Total: purchases {}, sales €226.14, dividends $212.03, fees $0.00 and €1.50.\n"


@pytest.fixture
def sent(shell, allowed):
    """A server to which a file was sent that holds THREE."""
    trades(shell.home)
    assert imported(shell).status == 0
    return allowed


@BOTH
def test_the_activities_of_the_batch_go_and_those_that_look_alike_stay(shell, sent):
    (row, *_) = sent.activities
    comment = row["comment"]
    alike = (f"see {comment}.", f"x{comment}", f"{comment}0", f"a note {comment}", "jarvis:")
    others = [
        sent.booked("BUY", "VWCE.DE", "5", "115.30", "2025-11-20", comment=other)
        for other in (*alike, comment)  # the last is a copy, made there for another price
    ]
    assert imported(shell, file=trades(shell.home, ONE_MORE, name="more.csv")).status == 0
    others.append(sent.activities[-1]["id"])
    row["unitPrice"] += 1  # corrected there since, and with a long note
    row["comment"] = "a note"

    done = undone(shell, "1")

    assert (done.status, done.stdout) == (0, "Removed and read back: 3 of 3 activities (batch 1).\n")
    assert SUMS.format("€566.50") in done.stderr
    assert [row["id"] for row in sent.activities] == others


def test_the_last_goes_once_and_none_before_it_and_figures_are_as_before(house, shell, sent):
    def shown():
        house.model_plans(plan("show_portfolio"))
        (tabled,) = house.ask("show my holdings").of(TableShown)
        return [row.cells for row in (*tabled.table.rows, *tabled.table.foot)]

    before = shown()
    imported(shell, file=trades(shell.home, ONE_MORE.replace("BUY", "SELL"), name="more.csv"))
    assert shown() != before

    told = [undone(shell).stdout for _ in range(2)]

    assert told[0] == "Removed and read back: 1 of 1 activity (batch 2).\n"
    assert told[1] == "Batch 2 is no longer there.\n"
    assert (stored(sent), writes(sent), shown()) == (THREE, [2, 1], before)
    assert shell.jarvis("portfolio", "batches").stdout.splitlines()[-1].endswith(": removed")
    assert undone(shell, "3").status == undone(shell, "-1").status == 2


def test_what_is_undone_is_not_said_not_to_have_arrived(house, shell, sent):
    ((id_,),) = house.rows("SELECT id FROM items")
    undone(shell)

    found = house.kept(lambda store: Batches(PackContext(PACK, house.settings, store)).read_back(id_))

    assert (found.state, found.text) == ("done", "It was stored, and removed since.")


def test_two_processes_that_undo_it_remove_each_once(shell, sent):
    sent.fails("DELETE", g.slow(0.2))
    both = [shell.program().start("portfolio", "undo", "1") for _ in range(2)]
    done = [each.finish(60) for each in both]

    assert [each.status for each in done] == [0, 0], done
    assert (sent.activities, writes(sent)) == ([], [1, 3])


def test_it_is_asked_about_unless_a_rule_allows_it_and_what_changed_meanwhile_is_not_removed(shell, sent):
    shell.jarvis("policy", "rm", "1")
    done = undone(shell, stdin="y\n")
    assert (done.status, SUMS.format("€561.50") in done.stderr) == (3, True)

    with Person(shell.program(), "portfolio", "undo") as person:
        person.at_question()
        sent.activities[0]["unitPrice"] += 1
        person.type("y")
        person.see("Its activities were changed there meanwhile, so nothing is removed.")
        assert person.finish().status == 1
    assert writes(sent) == [1, 0]


@pytest.mark.parametrize(
    "fault", [g.LOST_AFTER_STORING, g.LOST_BEFORE_STORING, g.EXPIRED], ids=lambda fault: fault.name
)
def test_what_breaks_off_in_the_middle_is_told_and_ends_the_next_time(shell, sent, fault):
    sent.fails("DELETE", g.NO_FAULT, fault)

    done = undone(shell)

    left = len(sent.activities)
    assert sent.happened == [fault.name]
    assert (done.status, left) == (1, 1 if fault is g.LOST_AFTER_STORING else 2)
    assert f"Removed and read back: {3 - left} of 3 activities (batch 1)." in done.stdout
    assert (undone(shell).status, sent.activities) == (0, [])


def test_without_an_id_nothing_is_removed_at_all(shell, allowed):
    allowed.fails(POST, g.HALF_STORED)
    assert imported(shell, file=trades(shell.home, *[ONE_MORE, ONE_MORE.replace("5,", "6,")] * 2)).status == 1
    for name in ("", "../user", None):
        allowed.activities[0]["id"] = name
        done = undone(shell)

        assert (done.status, writes(allowed)) == (1, [1, 0])
        assert "An activity there has no id, so nothing is removed." in done.stderr


def test_what_was_sent_to_another_server_is_not_looked_for_here(shell, sent):
    with g.GhostfolioTwin() as other:
        done = undone(shell, environment={"GHOSTFOLIO_URL": other.url, "GHOSTFOLIO_TOKEN": g.TOKEN})

        assert (done.status, writes(other), stored(sent)) == (2, [0, 0], THREE)
        host, its = (twin.url.partition("://")[2] for twin in (sent, other))
        assert f"That was sent to {host}, and your portfolio is at {its} now." in done.stderr


def test_a_batch_that_somebody_forged_removes_nothing(house, shell, sent):
    forged = [
        {},
        {"id": ".*", "body": {"rows": 7, "ids": {"a": 1}}},
        {"body": {"host": 7, "rows": [[1], {}], "state": "stored"}},
        {"body": {"rows": "x", "state": ["being sent"], "changed_at": "soon"}},
        {"body": {"state": "being sent", "changed_at": 1e300}},
        {"at": 3_999_999_999.0, "body": {"state": "stored", "host": "\x1b[31mred", "ids": None}},
    ]
    here = {"host": sent.url.partition("://")[2]}
    records = [BATCH | each | {"body": here | each.get("body", {})} for each in forged]
    records = [{"id": f"abc{n}"} | each for n, each in enumerate(records)]
    told = "\n".join(json.dumps({"schema": 2, "item": record}) for record in records)
    (shell.home / "lists.jsonl").write_text(told)
    assert shell.jarvis("packs", "import", "lists.jsonl").status == 0

    done = [shell.jarvis("portfolio", "batches", *more) for more in ([], ["--json"])]
    assert [each.status for each in done] == [0, 0]
    done += [undone(shell, f"{number}") for number in range(1, 8)]
    house.model_plans(plan("show_portfolio"))

    assert house.ask("show my holdings").status == ("done", 0)
    assert not any("bug" in each.stderr or "\x1b" in each.stderr for each in done), done
    removed = [each for each in done if "Removed and read back: 3 of 3" in each.stdout]
    assert (len(removed), writes(sent), stored(sent)) == (1, [1, 3], [])


def test_what_was_sent_can_be_undone_on_another_machine(shell, sent):
    exported = shell.jarvis("packs", "export").stdout
    assert not re.search(r"(?<!\d{7})112\.3", exported)
    (shell.home / "lists.jsonl").write_text(exported)
    other = {"JARVIS_HOME": str(shell.home / "other")}
    shell.jarvis("policy", "allow", "write", "127.0.0.1", environment=other)

    assert shell.jarvis("packs", "import", "lists.jsonl", environment=other).status == 0
    assert (undone(shell, environment=other).status, stored(sent)) == (0, [])
