"""`jarvis portfolio import`: what is new in a file is sent once, after a yes, and all of it is told."""

from __future__ import annotations

import json
import os
import re
from decimal import Decimal

import pytest

from tests.conftest import BOTH, BOTH_IF_LONG
from tests.packs.portfolio.trades import BUY, HEADS, THREE, lines, stored, trades, writes
from tests.twins.ghostfolio import plain

pytestmark = pytest.mark.slow


def imported(shell, file, *more, **how):
    return shell.jarvis("portfolio", "import", file, *more, **how)


@BOTH
def test_of_two_processes_with_one_file_one_stores_each_row(shell, allowed, long):
    assert shell.jarvis("portfolio", "batches").status == 0  # by which history is made
    allowed.gap = 0.1 if long else 0.5  # so that the other one looks before it is stored
    met, races = 0, 100 if long else 5
    for n in range(races):
        rows = lines((*row[:3], f"{100 + n}.25", *row[4:]) for row in THREE)
        argv = ("portfolio", "import", trades(shell.home, *rows))
        both = [shell.program().start(*argv) for _ in range(2)]
        done = [each.finish(60) for each in both]

        assert [each.status for each in done] == [0, 0], done
        assert len(allowed.activities) == 3 * (n + 1)
        assert len({*stored(allowed)}) == 3 * (n + 1)
        met += all("new 3 " in each.stderr for each in done)
        again = imported(shell, "trades.csv") if n < 5 else None
        assert not again or again.stdout.startswith("rows 3   new 0   there already 3   refused 0\n")
    assert writes(allowed) == [races, 0]
    assert met > (races / 2 if long else 0), met


def test_what_is_stored_is_what_stands_in_the_file(shell, allowed):
    done = imported(shell, trades(shell.home))

    assert (done.status, done.stdout) == (
        0,
        "Stored and read back: 3 activities (batch 1). To undo it: jarvis portfolio undo 1\n",
    )
    assert stored(allowed) == THREE
    assert {row["accountId"] for row in allowed.activities} == {allowed.accounts[0]["id"]}
    assert shell.cost == (0, 0)
    kept = b"".join(path.read_bytes() for path in (shell.home / "jarvis").rglob("*") if path.is_file())
    assert b"batches" in kept
    assert not re.search(rb"(?<!\d{7})112\.3", kept)  # of no figure there is a trace; times end like one


def test_without_a_key_of_a_model_it_goes_as_well(shell, allowed):
    without = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}

    assert imported(shell, trades(shell.home), environment=without).status == 0
    assert shell.jarvis("portfolio", "batches", environment=without).status == 0
    assert shell.jarvis("portfolio", "undo", environment=without).status == 0
    assert stored(allowed) == []


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        ([BUY, BUY.replace("VWCE.DE", "NOPE")], "line 3: Ghostfolio knows no symbol “NOPE”"),
        ([BUY.replace("5,", "1000000000000000,"), BUY], "line 2: no number in “1000000000000000”"),
        ([BUY, BUY], "line 3: the same as line 2\n"),
    ],
)
def test_a_line_that_is_refused_is_named_and_the_others_are_stored(shell, allowed, rows, refused):
    done = imported(shell, trades(shell.home, *rows))

    assert done.status == 1
    assert "rows 2   new 1   there already 0   refused 1\n" in done.stderr
    assert f"\n{refused}" in done.stderr
    assert stored(allowed) == THREE[:1]


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

    done = imported(shell, "trades.csv")

    assert (done.status, told in done.stderr, broker.requests) == (2, True, [])


def test_of_many_lines_that_are_refused_each_is_named(shell, allowed):
    rows = [BUY.replace("VWCE.DE", f"NO{n}") for n in range(20)]
    rows[15] = rows[17] = BUY  # lines 17 and 19, of which one is the same as the other

    done = imported(shell, trades(shell.home, *rows))

    named = [line.partition(":")[0] for line in done.stderr.splitlines() if line.startswith("line")]
    assert named == [f"line {n}" for n in range(2, 22) if n != 17]
    (told,) = json.loads(imported(shell, "trades.csv", "--json").stdout)["refused"][-1:]
    assert (told["line"], told["why"][:34]) == (21, "Ghostfolio knows no symbol “NO19”,")


def test_what_is_there_is_not_sent_again_however_it_came_there(shell, allowed):
    broker = allowed.accounts[0]["id"]
    allowed.booked("BUY", "VWCE.DE", "5", "112.30", "2025-11-20T14:03:00", fee="1.5", account=broker)
    allowed.booked("SELL", "VWCE.DE", "2", "113.07", "2025-11-23", comment="by hand")  # in no account

    assert imported(shell, trades(shell.home)).status == 0

    assert stored(allowed)[2:] == THREE[1:]


def test_the_same_at_another_hour_is_another_one_and_no_new_one_the_next_time(shell, allowed):
    rows = [BUY.replace("-20,", f"-20T{hour}:03:00Z,") for hour in (9, 14)]
    for _ in range(2):
        assert imported(shell, trades(shell.home, *rows)).status == 0

    assert stored(allowed) == THREE[:1] * 2
    assert [row["date"][11:16] for row in allowed.activities] == ["09:03", "14:03"]


def test_of_ghostfolios_own_export_nothing_is_new_where_it_came_from(shell, portfolio):
    shell.jarvis("policy", "allow", "write", "127.0.0.1")
    assert imported(shell, trades(shell.home), "--account", "Broker A").status == 0
    before = stored(portfolio)
    (shell.home / "export.json").write_text(json.dumps(portfolio._export(None)[1], default=plain))

    again = imported(shell, "export.json")

    assert (again.status, again.stdout.splitlines()[0]) == (0, "rows 8   new 0   there already 8   refused 0")
    del portfolio.activities[2:]
    assert imported(shell, "export.json").status == 0
    assert sorted(stored(portfolio)) == sorted(before)
    assert shell.jarvis("portfolio", "undo").status == 0
    assert stored(portfolio) == before[:2]


@pytest.mark.parametrize(
    ("more", "other"), [(["--account=mine"], "Mine"), (["--account=Nobody’s"], "Other"), ([], "Other")]
)
def test_where_it_is_not_clear_in_which_account_it_is_told_once_and_none_is_guessed(
    shell, allowed, more, other
):
    allowed.account(other)

    done = imported(shell, trades(shell.home), *more)

    assert (done.status, writes(allowed)) == (1, [0, 0])
    assert done.stderr == (
        f"jarvis: It is not clear which account is meant: there are Mine, {other}.\n"
        "  hint: Name it; in a command as --account NAME.\n"
    )


def test_a_line_that_names_no_account_of_theirs_is_refused(shell, allowed):
    rows = [f"{HEADS},account", *(f"{BUY},{name}" for name in ("Mine", "Nobody’s"))]
    (shell.home / "trades.csv").write_text("\n".join(rows))

    done = imported(shell, "trades.csv")

    assert (done.status, stored(allowed)) == (1, THREE[:1])
    assert "\nline 3: It is not clear which account is meant: there are Mine.\n" in done.stderr


def test_more_digits_than_ghostfolio_keeps_are_no_reason_to_refuse_a_line(shell, allowed):
    """Of what is not traded in whole ones there are eighteen digits."""
    file = trades(shell.home, BUY.replace("5,", "0.123456789012345678,"))

    assert [imported(shell, file).status for _ in range(2)] == [0, 0]
    assert [row["quantity"] for row in allowed.activities] == [Decimal("0.12345678901234568")]


def test_an_account_that_is_named_gets_them(shell, allowed):
    other = allowed.account("Other")

    assert imported(shell, trades(shell.home), "--account", "other").status == 0
    assert {row["accountId"] for row in allowed.activities} == {other}

    # The same in another account is another activity.
    assert imported(shell, "trades.csv", "--account", "Mine").status == 0
    assert len(allowed.activities) == 6


def test_an_isin_stands_for_the_symbol_that_has_it(shell, allowed):
    allowed.quotes("IWDA.AS", "IE00B4L5Y983", "99.10")

    assert imported(shell, trades(shell.home, BUY.replace("VWCE.DE", "IE00B4L5Y983"))).status == 0
    assert stored(allowed) == [("BUY", "IWDA.AS", *THREE[0][2:])]


def test_where_no_currency_is_said_it_is_that_of_the_symbol(shell, allowed):
    allowed.booked("BUY", "VWCE.DE", "1", "115", "2025-03-03", currency="USD")

    assert imported(shell, trades(shell.home, BUY.removesuffix("EUR"))).status == 0
    assert stored(allowed)[1:] == THREE[:1]


def test_a_first_file_of_somebody_who_traded_much_is_stored_at_once(shell, allowed):
    names = [f"SYM{n}.DE" for n in range(150)]
    for name in names:
        allowed.quotes(name, "A stock", "10")

    done = imported(shell, trades(shell.home, *(BUY.replace("VWCE.DE", name) for name in names)))

    assert done.status == 0
    assert [row[1] for row in stored(allowed)] == names


def test_a_source_that_is_down_refuses_what_was_never_traded(shell, allowed):
    allowed.is_lookup_down = True

    done = imported(shell, trades(shell.home))

    assert done.status == 1
    assert "line 2: Ghostfolio knows no symbol “VWCE.DE”, or its source is down" in done.stdout
    assert writes(allowed) == [0, 0]


def test_a_server_without_an_account_takes_them_as_well(shell, allowed):
    allowed.accounts.clear()

    assert imported(shell, trades(shell.home)).status == 0
    assert stored(allowed) == THREE


@BOTH_IF_LONG
def test_a_large_file_goes_in_several_requests(shell, allowed, long):
    count = 20_000 if long else 1_100
    rows = lines(("BUY", "VWCE.DE", "1", f"{n}.25", "0", "EUR", "2025-11-20") for n in range(count))

    done = imported(shell, trades(shell.home, *rows), timeout=900)

    assert done.status == 0
    assert len({*stored(allowed)}) == len(allowed.activities) == count
    assert writes(allowed) == [-(-count // 500), 0]
    assert done.stdout.startswith(f"Stored and read back: {count} activities (batch 1).")
    print(f"{count} rows: {done.seconds:.1f} s, {len(allowed.requests)} requests")
