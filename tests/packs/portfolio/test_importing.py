"""`jarvis portfolio import`: what is new in a file is sent once, after a yes, and all of it is told."""

from __future__ import annotations

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
NOT_CLEAR = "It is not clear which account is meant: there are Mine"


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


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        ([BUY, BUY.replace("VWCE.DE", "NOPE")], "line 3: Ghostfolio knows no symbol “NOPE”"),
        ([BUY.replace("5,", "1000000000000000,"), BUY], "line 2: no number in “1000000000000000”"),
        ([BUY, BUY], "line 3: the same as line 2\n"),
        ([f"{BUY},Mine", f"{BUY},Nobody’s"], f"line 3: {NOT_CLEAR}.\n"),
    ],
)
def test_a_line_that_is_refused_is_named_and_the_others_are_stored(shell, allowed, rows, refused):
    trades(shell.home, *rows, heads=t.HEADS + ",account" * ("Mine" in rows[0]))
    done = imported(shell)

    assert (done.status, stored(allowed)) == (1, THREE[:1])
    assert "rows 2   new 1   there already 0   refused 1\n" in done.stderr
    assert f"\n{refused}" in done.stderr


def test_of_many_lines_that_are_refused_each_is_named(shell, allowed):
    rows = [BUY.replace("VWCE.DE", f"NO{n}") for n in range(20)]
    rows[15] = rows[17] = BUY  # lines 17 and 19, of which one is the same as the other
    trades(shell.home, *rows)

    done = imported(shell)

    named = [line.partition(":")[0] for line in done.stderr.splitlines() if line.startswith("line")]
    assert named == [f"line {n}" for n in range(2, 22) if n != 17]
    (told,) = json.loads(imported(shell, "--json").stdout)["refused"][-1:]
    assert (told["line"], told["why"][:34]) == (21, "Ghostfolio knows no symbol “NO19”,")


# What is new


def test_what_is_there_is_not_sent_again_however_it_came_there(shell, allowed):
    broker = allowed.accounts[0]["id"]
    allowed.booked("BUY", "VWCE.DE", "5", "112.30", "2025-11-20T14:03:00", fee="1.5", account=broker)
    allowed.booked("SELL", "VWCE.DE", "2", "113.07", "2025-11-23", comment="by hand")  # in no account
    trades(shell.home)

    assert (imported(shell).status, stored(allowed)[2:]) == (0, THREE[1:])


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


SAME_DAY = [BUY.replace("-20,", f"-20T{hour}:03:00Z,") for hour in (9, 14)]
MANY = [f"SYM{n}.DE" for n in range(150)]
EXACT = "0.123456789012345678"  # of what is not traded in whole ones there are eighteen digits
# A file, what is there besides, and what is stored of it at last: by two imports of the same file.
ODD_FILES = {
    "the same at another hour": (SAME_DAY, lambda twin: None, THREE[:1] * 2),
    "more digits than are kept": (
        [BUY.replace("5,", f"{EXACT},")],
        lambda twin: None,
        [("BUY", "VWCE.DE", "0.12345678901234568", *THREE[0][3:])],
    ),
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


def test_an_account_that_is_named_gets_them(shell, allowed):
    other = allowed.account("Other")
    trades(shell.home)

    assert imported(shell, "--account", "other").status == 0
    assert {row["accountId"] for row in allowed.activities} == {other}

    # The same in another account is another activity.
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
    print(f"{count} rows: {done.seconds:.1f} s, {len(allowed.requests)} requests")


# What is in the way


@pytest.mark.parametrize(
    ("size", "told"),
    [(None, "Is a directory"), (0, "The file is empty"), (20_000_001, "no text")],
)
def test_what_is_no_file_to_import_is_told(shell, broker, size, told):
    path = shell.home / "trades.csv"
    if size is None:
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, size)

    done = imported(shell)

    assert (done.status, told in done.stderr, broker.requests) == (2, True, [])


@pytest.mark.parametrize(
    ("more", "other"), [(["--account=mine"], "Mine"), (["--account=Nobody’s"], "Other"), ([], "Other")]
)
def test_where_it_is_not_clear_in_which_account_it_is_told_once_and_none_is_guessed(
    shell, allowed, more, other
):
    allowed.account(other)
    trades(shell.home)

    done = imported(shell, *more)

    assert (done.status, writes(allowed)) == (1, [0, 0])
    hint = "  hint: Name it; in a command as --account NAME.\n"
    assert done.stderr == f"jarvis: {NOT_CLEAR}, {other}.\n{hint}"


def test_a_source_that_is_down_refuses_what_was_never_traded(shell, allowed):
    allowed.is_lookup_down = True
    trades(shell.home)

    done = imported(shell)

    assert (done.status, writes(allowed)) == (1, [0, 0])
    assert "line 2: Ghostfolio knows no symbol “VWCE.DE”, or its source is down" in done.stdout


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

    done = imported(shell, file=file, environment=environment)

    assert (done.status, done.stdout, writes(broker)) == (status, "", [0, 0]), done
    assert len(done.stderr.splitlines()) <= 2
    assert "wrong-access-token" not in done.stderr


# What is asked


@pytest.mark.parametrize(("key", "count"), [("y", 3), ("n", 0), ("\r", 0)])
def test_they_are_asked_with_sums_and_what_is_not_yes_sends_nothing(shell, broker, key, count):
    with Person(shell.program(), "portfolio", "import", trades(shell.home)) as person:
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


@pytest.mark.parametrize(
    ("how", "rule", "status", "told"),
    [
        (["-y"], "", 2, ""),
        (["--ndjson"], "", 2, ""),
        ([], "", 3, "BUY 1 for €561.50: VWCE.DE\n"),
        (["--json"], "", 3, "allow it for good: jarvis policy allow write 127.0.0.1"),
        ([], "deny", 4, "Not sent: policy rule 1 denies it."),
    ],
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
