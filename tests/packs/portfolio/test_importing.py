"""`jarvis portfolio import`: what is new in a file is sent once, after a yes, and all of it is told."""

import json
import os
import re

import pytest

from tests.conftest import BOTH, BOTH_IF_LONG
from tests.packs.portfolio import trades as t
from tests.packs.portfolio.trades import BUY, THREE, imported, stored, trades, undone, writes
from tests.person import Person

pytestmark = pytest.mark.slow
DONE = "Stored and read back: 3 activities (batch 1). To undo it: jarvis portfolio undo 1\n"
NOT_CLEAR = "It is not clear which account: there are Mine"


def test_what_stands_in_the_file_is_stored_without_a_model_and_no_figure_is_kept_here(shell, allowed):
    without = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}
    trades(shell.home)

    done = imported(shell, environment=without)

    assert (done.status, done.stdout, stored(allowed)) == (0, DONE, THREE)
    assert {row["accountId"] for row in allowed.activities} == {allowed.accounts[0]["id"]}
    kept = t.left_on_disk(shell)
    assert b"batches" in kept
    assert not re.search(rb"(?<!\d{7})112\.3", kept)  # of no figure there is a trace; times end like one
    assert shell.jarvis("portfolio", "batches", environment=without).status == 0
    assert undone(shell, environment=without).status == 0
    assert (stored(allowed), shell.cost) == ([], (0, 0))


def test_json_has_what_was_sent_and_refused(shell, allowed):
    trades(shell.home, BUY, BUY.replace("VWCE.DE", "NOPE"))

    done = imported(shell, "--json")

    told = json.loads(done.stdout)
    (refused,), sent = told.pop("refused"), told.pop("sent")
    assert (done.status, told) == (1, {"rows": 2, "new": 1, "there_already": 0})
    assert (refused["line"], refused["why"][:34]) == (3, "Ghostfolio knows no symbol “NOPE”,")
    assert (sent["state"], sent["hint"]) == ("done", "")
    (listed,) = json.loads(shell.jarvis("portfolio", "batches", "--json").stdout)
    assert (listed["number"], listed["count"], listed["state"]) == (1, 1, "stored")
    assert shell.json("portfolio", "undo", "1") == {"batch": 1, "removed": 1, "left": 0}


# What is refused

UNKNOWN = BUY.replace("VWCE.DE", "NO")
TWENTY = [BUY, *[f"{UNKNOWN[:6]}{n}{UNKNOWN[6:]}" for n in range(19)]]
# The rows of a file, of which the first is stored; which lines are refused, and a part of why the last is.
REFUSED = {
    "an unknown symbol": ([BUY, UNKNOWN], [3], "Ghostfolio knows no symbol “NO”"),
    "too large a number": ([BUY, BUY.replace("5,", f"1{'0' * 15},")], [3], f"no number in “1{'0' * 15}”"),
    "the same as before": ([BUY, BUY], [3], "the same as line 2"),
    "an unknown account": ([f"{BUY},Mine", f"{BUY},Nobody’s"], [3], f"{NOT_CLEAR}."),
    "many": (TWENTY, [*range(3, 22)], "Ghostfolio knows no symbol “NO18”"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_each_line_that_is_refused_is_named_and_the_others_are_stored(shell, allowed, name):
    rows, lines, why = REFUSED[name]
    trades(shell.home, *rows, heads=t.HEADS + ",account" * ("Mine" in rows[0]))

    done = imported(shell)

    refused = [line for line in done.stderr.splitlines() if line.startswith("line ")]
    assert (done.status, stored(allowed)) == (1, THREE[:1])
    assert f"rows {len(rows)}   new 1   there already 0   refused {len(lines)}\n" in done.stderr
    assert [line.partition(":")[0] for line in refused] == [f"line {line}" for line in lines]
    assert why in refused[-1]


# What is new


@BOTH
def test_of_two_processes_with_one_file_one_stores_each_row(shell, allowed, long):
    assert shell.jarvis("portfolio", "batches").status == 0  # by which history is made
    allowed.gap = 0.1 if long else 0.5  # so that the other one looks before it is stored
    met, races = 0, 100 if long else 3
    for n in range(races):
        rows = t.lines((*row[:3], f"{100 + n}.25", *row[4:]) for row in THREE)
        argv = ("portfolio", "import", trades(shell.home, *rows))
        both = [shell.program().start(*argv) for _ in range(2)]
        done = [each.finish(60) for each in both]

        assert [each.status for each in done] == [0, 0], done
        assert len({*stored(allowed)}) == len(allowed.activities) == 3 * (n + 1)
        met += all("new 3 " in each.stderr for each in done)
    assert imported(shell).stdout.startswith("rows 3   new 0   there already 3   refused 0\n")
    assert writes(allowed) == [races, 0]
    assert met > (races / 2 if long else 0), met


def test_of_ghostfolios_own_export_nothing_is_new_where_it_came_from(shell, portfolio):
    shell.jarvis("policy", "allow", "write", "127.0.0.1")
    trades(shell.home)
    assert imported(shell, "--account", "Broker A").status == 0
    before = stored(portfolio)
    (shell.home / "export.json").write_text(portfolio.exported())

    again = imported(shell, file="export.json")

    assert (again.status, again.stdout.splitlines()[0]) == (0, "rows 8   new 0   there already 8   refused 0")
    del portfolio.activities[2:]
    assert imported(shell, file="export.json").status == 0
    assert sorted(stored(portfolio)) == sorted(before)
    assert (undone(shell).status, stored(portfolio)) == (0, before[:2])


def _has_them_by_hand(twin):
    broker = twin.accounts[0]["id"]
    twin.booked("BUY", "VWCE.DE", "5", "112.30", "2025-11-20T14:03:00", fee="1.5", account=broker)
    twin.booked("SELL", "VWCE.DE", "2", "113.07", "2025-11-23", comment="by hand")  # in no account


SAME_DAY = [BUY.replace("-20,", f"-20T{hour}:03:00Z,") for hour in (9, 14)]
MANY = [f"SYM{n}.DE" for n in range(150)]
EXACT = "0.123456789012345678"  # of what is not traded in whole ones there are eighteen digits
ROUNDED = ("BUY", "VWCE.DE", "0.12345678901234568", *THREE[0][3:])  # more digits than are kept
# A file, what is there besides, and what is stored of it at last: by two imports of the same file.
ODD_FILES = {
    "what came there by hand": (t.lines(THREE), _has_them_by_hand, THREE[1:]),
    "the same at another hour": (SAME_DAY, lambda twin: None, THREE[:1] * 2),
    "more digits than are kept": ([BUY.replace("5,", f"{EXACT},")], lambda twin: None, [ROUNDED]),
    "an ISIN": (
        [BUY.replace("VWCE.DE", "IE00B4L5Y983")],
        lambda twin: twin.quotes("IWDA.AS", "IE00B4L5Y983", "99.10"),
        [("BUY", "IWDA.AS", *THREE[0][2:])],
    ),
    "no currency": (
        [BUY.removesuffix("EUR")],
        lambda twin: twin.booked("BUY", "VWCE.DE", "1", "115", "2025-03-03", currency="USD"),
        THREE[:1],
    ),
    "symbols never traded": (
        [BUY.replace("VWCE.DE", name) for name in MANY],
        lambda twin: [twin.quotes(name, "A stock", "10") for name in MANY],
        [("BUY", name, *THREE[0][2:]) for name in MANY],
    ),
    "no account there": (t.lines(THREE), lambda twin: twin.accounts.clear(), THREE),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_whatever_a_file_has_is_stored_as_it_is_meant_and_once(shell, allowed, name):
    rows, arrange, expected = ODD_FILES[name]
    arrange(allowed)
    before = len(allowed.activities)
    trades(shell.home, *rows)

    assert [imported(shell).status for _ in range(2)] == [0, 0]
    assert stored(allowed)[before:] == expected
    if rows is SAME_DAY:
        assert [row["date"][11:16] for row in allowed.activities] == ["09:03", "14:03"]


def test_an_account_that_is_named_gets_them_and_in_another_they_are_others(shell, allowed):
    other = allowed.account("Other")
    trades(shell.home)

    assert imported(shell, "--account", "other").status == 0
    assert {row["accountId"] for row in allowed.activities} == {other}
    assert imported(shell, "--account", "Mine").status == 0
    assert len(allowed.activities) == 6


@BOTH_IF_LONG
def test_a_large_file_goes_in_several_requests(shell, allowed, long):
    count = 20_000 if long else 1_100
    trades(shell.home, *t.lines(t.many(count)))

    done = imported(shell, timeout=900)

    assert (done.status, writes(allowed)) == (0, [-(-count // 500), 0])
    assert len({*stored(allowed)}) == len(allowed.activities) == count
    assert done.stdout.startswith(f"Stored and read back: {count} activities (batch 1).")
    assert done.stderr.count("purchase  VWCE.DE") == 10
    assert f"… and {count - 10:,} more. " in done.stderr


# What is in the way


@pytest.mark.parametrize(
    ("environment", "file", "status"),
    [
        *(({}, file, 2) for file in ("none.csv", "jarvis", "empty.csv", "large.csv")),
        ({"GHOSTFOLIO_URL": ""}, "trades.csv", 78),
        ({"GHOSTFOLIO_TOKEN": "wrong-access-token"}, "trades.csv", 77),
        ({"GHOSTFOLIO_URL": "http://127.0.0.1:1"}, "trades.csv", 69),
    ],
    ids=["no file", "a folder", "an empty file", "20 MB", "no address", "a wrong token", "nobody there"],
)
def test_what_is_in_the_way_is_one_line_with_its_cure(shell, broker, environment, file, status):
    trades(shell.home)
    (shell.home / "jarvis").mkdir(exist_ok=True)
    for name, size in (("empty.csv", 0), ("large.csv", 20_000_001)):
        (shell.home / name).touch()
        os.truncate(shell.home / name, size)

    done = imported(shell, file=file, environment=environment)

    assert (done.status, done.stdout, writes(broker)) == (status, "", [0, 0]), done
    assert done.stderr.startswith("jarvis: ")
    assert len(done.stderr.splitlines()) <= 2
    assert "wrong-access-token" not in done.stderr


@pytest.mark.parametrize(
    ("more", "other"),
    [(["--account=mine"], "Mine"), (["--account=Nobody’s"], "Other"), ([], "Other")],
    ids=["two of one name", "an unknown name", "no name"],
)
def test_where_it_is_not_clear_in_which_account_it_is_told_once_and_none_is_guessed(
    shell, allowed, more, other
):
    allowed.account(other)
    trades(shell.home)

    done = imported(shell, *more)

    assert (done.status, writes(allowed)) == (1, [0, 0])
    hint = "  hint: Name it. In a command: --account NAME\n"
    assert done.stderr == f"jarvis: {NOT_CLEAR}, {other}.\n{hint}"


# What is asked


def test_they_are_asked_with_sums_and_enter_sends_nothing(shell, broker):
    with Person(shell.program(), "portfolio", "import", trades(shell.home)) as person:
        person.at_question()
        shown = " ".join(" ".join(person.lines).split())
        person.type("\r")
        done = person.finish()

    assert "rows 3 new 3 there already 0 refused 0" in shown
    for row in ("purchase VWCE.DE 5 €112.30 €1.50 Mine", "sale VWCE.DE 2 €113.07 €0.00 Mine"):
        assert row in shown
    assert "Total: purchases €561.50, sales €226.14, dividends $212.03, fees €1.50 and $0.00." in shown
    assert f"Send these 3 activities to {broker.url.partition('://')[2]}?" in shown
    assert (done.status, writes(broker)) == (4, [0, 0])


@pytest.mark.parametrize(
    ("how", "rule", "status", "told"),
    [
        (["-y"], "", 2, ""),
        ([], "", 3, "Total: purchases €561.50, "),
        (["--json"], "", 3, "always allow it: jarvis policy allow write 127.0.0.1"),
        ([], "deny", 4, "Not sent: policy rule 1 denies it."),
    ],
    ids=["-y", "a pipe", "--json", "a rule denies it"],
)
def test_where_nobody_is_asked_nothing_is_sent_and_what_would_be_is_told(
    shell, broker, how, rule, status, told
):
    if rule:
        shell.jarvis("policy", rule, "write", "127.0.0.1")
    done = shell.jarvis(*how, "portfolio", "import", trades(shell.home), stdin="y\n")

    assert (done.status, writes(broker)) == (status, [0, 0])
    assert told in done.stderr + done.stdout
    assert status != 3 or "rows 3   new 3   there already 0   refused 0\n" in done.stderr
