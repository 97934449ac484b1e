"""Where a table is told: whole on a terminal, rows alone on a pipe, typed in JSON; and what was looked up."""

import csv
import io
import json

import pyte
import pytest

from jarvis.actions.base import catalogue
from jarvis.agent.reception import TurnResult, Usage, summary
from jarvis.core.events import Planned, Replied, Source, StepFinished, TableShown, TurnEnded, TurnStarted
from jarvis.core.tables import Row, Table
from jarvis.core.types import Options, Outcome, Plan, Turn
from jarvis.output.screen import Screen
from jarvis.output.tellers import AnswerTeller, teller_for
from jarvis.store.shown_notes import forget_shown_notes
from tests.output.terminals import Terminal
from tests.output.test_tables import CHECKS, FOUND
from tests.tabled import COLUMNS, dollars, product

WHY = "(not in your words or search results)"

SUMMARY = {"thread": "default", "steps": [1], "usage": Usage(1, 2, 1, 1, 0.5, 2)._asdict()}
USUAL = Options()
ENDED = TurnEnded("done", 0, SUMMARY)
LOOKED_FOR = "nintendo switch · used · at most $150.00"
PLANNED = Planned(1, Plan("find_products", {}), "searches", "nintendo switch used 150 USD")
REPLIED = Replied("It drifts [4].", (Source("r1", "Reviews", "https://b.example/"),), first=4)
BASKET = Table(
    "receipt",
    COLUMNS[:2],
    (product("o3", "A monitor", "159.00"), product("o7", "A mouse", "24.99")),
    foot=(Row("", {"title": "total, without tax", "price": dollars("183.99")}),),
    checks=CHECKS,
)


def observed(table=FOUND):
    outcome = Outcome("done", "Found 3 of 20 products.", LOOKED_FOR, table=table)
    return StepFinished(1, "find_products", "searches", outcome, is_implied=True)


def told(*events, options=USUAL, is_watched=False):
    """What stdout and stderr have, neither of them a terminal; where *is_watched*, stdout is one."""
    out, err = io.StringIO(), io.StringIO()
    screen = Screen({}, stdin=io.StringIO(), stdout=out, stderr=err)
    screen.out_tty = is_watched
    tell = teller_for(options, screen)
    for event in (*events, ENDED):
        tell(event)
    return out.getvalue(), err.getvalue()


def seen(size, *events, options=USUAL, encoding="utf-8"):
    """What then stands on a terminal of that size."""
    terminal = Terminal(*size, encoding)
    tell = teller_for(options, terminal.screen)
    for event in (*events, ENDED):
        tell(event)
    emulator = pyte.Screen(*size)
    pyte.Stream(emulator).feed(terminal.end().replace("\n", "\r\n"))
    return "\n".join(line.rstrip() for line in emulator.display).rstrip()


ROWS = """\
1\tNintendo Switch 32GB neon, V2\t129.00 USD\tused\tGameStop\t4.7 (812)\t5.99 USD\thttps://shop.example/o3
2\tNintendo Switch V1, console only\t98.50 USD\tused\teBay\t\t\thttps://shop.example/o1
3\tNintendo Switch grey\t\trefurbished\tBack Market\t4.5 (96)\t0.00 USD\thttps://shop.example/o9
"""
BESIDE = "3 of 20. Left out: 9 over $150.00, 8 new.\nUS prices before sales tax, seen 14:02\n"


def test_on_a_pipe_its_rows_stand_on_stdout_and_nothing_else_of_it():
    assert told(PLANNED, observed(), TableShown(FOUND)) == (ROWS, BESIDE)
    assert told(PLANNED, observed(), TableShown(FOUND), options=Options(quiet=True)) == (ROWS, "")
    out, _ = told(PLANNED, observed(), TableShown(FOUND), REPLIED)
    assert out == f"{ROWS}It drifts [4].\n\n[4] Reviews  https://b.example/\n"


def test_of_a_receipt_lines_for_programs_leave_out_its_sums_and_checks_which_stand_on_stderr():
    out, err = told(TableShown(BASKET))

    assert [line.split("\t")[1:3] for line in out.splitlines()] == [
        ["A monitor", "159.00 USD"],
        ["A mouse", "24.99 USD"],
    ]
    assert err.splitlines()[:2] == ["total, without tax  $183.99", "✓ prices as found, seen now"]


def test_as_csv_stdout_holds_tables_alone():
    out, err = told(observed(), TableShown(FOUND), TableShown(BASKET, 4), REPLIED, options=Options(csv=True))
    first, second = (list(csv.reader(io.StringIO(part))) for part in out.split("\n\n"))

    assert first[0][:4] == ["line", "title", "price", "price_currency"]
    assert [row[:4] for row in first[1:2]] == [["1", "Nintendo Switch 32GB neon, V2", "129.00", "USD"]]
    assert [row[0] for row in second] == ["line", "4", "5"]
    assert "It drifts [4]." in err
    assert "[4] Reviews  https://b.example/" in err


def test_one_that_is_not_listed_is_a_line_on_stderr():
    assert told(TableShown(FOUND, 0)) == ("", "3 products found, the first at $129.00\n")
    assert told(TableShown(FOUND, 0), options=Options(quiet=True)) == ("", "")


def test_json_has_the_tables_and_the_last_that_was_worked_out():
    turn = Turn("t1", "default", 1, ())
    tables = (TableShown(FOUND, 0), TableShown(FOUND, 1), TableShown(BASKET, 4))
    whole = summary(TurnResult(turn, "x", "done", 0, (), Usage(), tables=tables), catalogue())
    whole = json.loads(json.dumps(whole))

    assert [table["kind"] for table in whole["tables"]] == ["product", "receipt"]
    assert [row["line"] for table in whole["tables"] for row in table["rows"]] == [1, 2, 3, 4, 5]
    row = whole["tables"][0]["rows"][0]
    assert (row["id"], row["price"], row["url"]) == (
        *("o3", {"amount": "129.00", "currency": "USD"}),
        "https://shop.example/o3",
    )
    assert whole["tables"][0]["rows"][2]["price"] is None
    result = whole["result"]
    assert (result["kind"], result["table"]) == ("receipt", 2)
    assert result["checks"][0] == {"name": "offers", "ok": True, "said": CHECKS[0].finding, "hard": True}


def test_as_records_a_table_is_one():
    out, err = told(observed(), TableShown(FOUND, 4), options=Options(ndjson=True))
    records = [json.loads(line) for line in out.splitlines()]

    assert [record["event"] for record in records] == ["outcome", "table", "turn_ended"]
    assert [row["line"] for row in records[1]["table"]["rows"]] == [4, 5, 6]
    assert "private" not in out
    assert err == ""


def beside(folder, thread, *events):
    """What stands beside the answers of a turn of *thread*, on a terminal."""
    out, err = io.StringIO(), io.StringIO()
    screen = Screen({"NO_COLOR": "1"}, io.StringIO(), out, err)
    screen.out_tty = screen.err_tty = True
    teller = AnswerTeller(screen, str(folder))
    for event in (TurnStarted(thread, "t", ""), *events):
        teller.tell(event)
    return [line for line in out.getvalue().splitlines() if "Left out" in line] + err.getvalue().splitlines()


def test_what_stands_beside_an_answer_is_told_once_in_a_thread_and_again_where_it_changed(tmp_path):
    found, left_out = TableShown(FOUND), TableShown(FOUND._replace(left_out={"new": 8}))
    gone = TableShown(FOUND._replace(rows=()))
    doubted = Replied("See evil.example.", unverified=("https://evil.example/",))
    another = doubted._replace(unverified=("https://evil.example/x", "https://worse.example/"))
    whole = [
        "3 of 20. Left out: 9 over $150.00, 8 new.",
        "US prices before sales tax, seen 14:02 · jarvis open 1",
    ]

    assert beside(tmp_path, "work", found) == whole
    assert beside(tmp_path, "work", found) == []
    assert beside(tmp_path, "work", left_out) == ["3 of 11. Left out: 8 new."]
    assert beside(tmp_path, "work", Replied("It is.", REPLIED.sources)) == []
    for at in ("2026-11-22T14:02:10Z", "2026-11-22T14:03:10Z"):
        table = left_out.table._replace(failures=("eBay could not be asked: it is down.",), seen_at=at)
        assert "eBay could not be asked: it is down" in beside(tmp_path, "work", TableShown(table))[0]
    assert beside(tmp_path, "work", doubted) == [f"Unverified: evil.example {WHY}"]
    assert beside(tmp_path, "work", another) == [f"Unverified: worse.example {WHY}"]
    assert "Nothing is left of 17 lines: 9 over $150.00, 8 new." in seen((80, 24), gone)
    assert beside(tmp_path, "other", found) == whole
    forget_shown_notes(str(tmp_path), "work")
    assert (beside(tmp_path, "work", found), beside(tmp_path, "other", found)) == (whole, [])


RENT = "The rent is 700."


def found(effect="reads", **how):
    return StepFinished(1, "read_notes", effect, Outcome("done", RENT, value=RENT), **how)


@pytest.mark.parametrize("is_watched", [True, False])
def test_what_answers_by_itself_is_told_and_what_a_reply_goes_by_is_not(is_watched):
    assert told(found(is_implied=False), is_watched=is_watched) == (f"{RENT}\n", "")
    assert told(found(is_implied=True), is_watched=is_watched) == ("", "")


def test_how_to_open_what_was_found_is_told_beside_a_lookup_and_not_beside_an_opening():
    replied = Replied("So it is.", (Source("r1", "A page", "https://a.example/"),))
    for effect, is_told in (("reads", True), ("opens", False)):
        _, err = told(found(effect), replied, is_watched=True)
        assert ("Open the first: jarvis open 1" in err) is is_told


def test_on_a_pipe_stdout_has_what_was_not_done_whatever_a_reply_claims_and_stderr_what_was_not_found():
    not_found, not_done = (
        StepFinished(1, "an_action", effect, Outcome("failed", f"No {effect}.", hint="Look."))
        for effect in ("reads", "opens")
    )

    said = told(not_found, not_done, Replied("Opened it!"), is_watched=False)

    assert said == ("No opens.\nOpened it!\n", "No reads.\n  hint: Look.\n  hint: Look.\n")
