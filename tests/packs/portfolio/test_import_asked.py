"""What is asked before a file is sent, what is told where nobody can be asked, and how it ends."""

from __future__ import annotations

import json

import pytest

from tests.packs.portfolio.test_importing import imported
from tests.packs.portfolio.trades import BUY, trades, writes
from tests.person import Person

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("key", "count"), [("y", 3), ("n", 0), ("\r", 0)])
def test_they_are_asked_with_sums_and_what_is_not_yes_sends_nothing(shell, broker, key, count):
    file = trades(shell.home)
    with Person(shell.program(), "portfolio", "import", file) as person:
        person.see("Enter = no")
        person.at_prompt()
        shown = " / ".join(person.lines)
        assert broker.activities == []
        person.type(key)
        done = person.finish()

    assert "rows 3   new 3   there already 0   refused 0" in shown
    for told in ("BUY 1 for €561.50", "SELL 1 for €226.14", "DIVIDEND 1 for $212.03"):
        assert told in shown
    assert f"Send this to {broker.url.partition('://')[2]} ?" in shown
    assert (done.status, len(broker.activities)) == (0 if count else 4, count)


@pytest.mark.parametrize("option", ["-y", "--ndjson"])
def test_no_option_answers_it_beforehand(shell, broker, option):
    done = shell.jarvis(option, "portfolio", "import", trades(shell.home), stdin="y\n")

    assert (done.status, broker.requests) == (2, [])


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_where_nobody_can_be_asked_nothing_is_sent_and_what_would_be_is_told(shell, broker, more):
    done = shell.jarvis(*more, "portfolio", "import", trades(shell.home), stdin="y\n")

    assert done.status == 3
    assert "rows 3   new 3   there already 0   refused 0\n" in done.stderr
    assert "BUY 1 for €561.50: VWCE.DE\n" in done.stderr
    assert "allow it for good: jarvis policy allow write 127.0.0.1" in done.stderr + done.stdout
    assert writes(broker) == [0, 0]


def test_a_rule_that_denies_it_counts(shell, broker):
    shell.jarvis("policy", "deny", "write", "127.0.0.1")

    done = imported(shell, trades(shell.home))

    assert (done.status, writes(broker)) == (4, [0, 0])
    assert "Not sent: policy rule 1 denies it." in done.stderr


def test_json_has_what_was_sent_and_refused(shell, allowed):
    file = trades(shell.home, BUY, BUY.replace("VWCE.DE", "NOPE"))

    done = imported(shell, file, "--json")

    told = json.loads(done.stdout)
    (refused,), sent = told.pop("refused"), told.pop("sent")
    assert (done.status, told) == (1, {"rows": 2, "new": 1, "there_already": 0})
    assert (refused["line"], refused["why"][:34]) == (3, "Ghostfolio knows no symbol “NOPE”,")
    assert (sent["state"], sent["hint"]) == ("done", "")
    (listed,) = json.loads(shell.jarvis("portfolio", "batches", "--json").stdout)
    assert (listed["number"], listed["count"], listed["state"]) == (1, 1, "stored")
    assert shell.json("portfolio", "undo", "1") == {"batch": 1, "removed": 1, "left": 0}


@pytest.mark.parametrize(
    ("environment", "file", "status"),
    [
        ({}, "none.csv", 2),
        ({"GHOSTFOLIO_URL": ""}, "trades.csv", 78),
        ({"GHOSTFOLIO_TOKEN": ""}, "trades.csv", 78),
        ({"GHOSTFOLIO_TOKEN": "wrong-access-token"}, "trades.csv", 77),
        ({"GHOSTFOLIO_URL": "http://127.0.0.1:1"}, "trades.csv", 69),
    ],
)
def test_what_is_in_the_way_is_one_line_with_its_cure(shell, broker, environment, file, status):
    trades(shell.home)

    done = imported(shell, file, environment=environment)

    assert (done.status, done.stdout) == (status, ""), done
    assert len(done.stderr.splitlines()) <= 2
    assert "wrong-access-token" not in done.stderr
    assert writes(broker) == [0, 0]
