"""What the person holds, how it did and what was traded is told as it is, or why it can't be told."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from urllib.request import Request, urlopen

import pytest

from jarvis.core.events import Notice, Tabled
from jarvis.output.tables import table_lines
from jarvis.packs.portfolio.show_activities import first_day
from jarvis.packs.portfolio.show_performance import drawn
from tests.lying import plan
from tests.twins.faults import Raw
from tests.twins.ghostfolio import ERROR, EXPIRED, HTML, TOKEN, Fault
from tests.twins.keyrings import NONE, OPEN, using

HOLDINGS = "show my holdings"


def asked(house, action="show_portfolio", words=HOLDINGS, **fields):
    house.model_plans(plan(action, **fields))
    return house.ask(words)


def table(found):
    (tabled,) = found.of(Tabled)
    return tabled.table


def paths(ghost):
    return [request.path.rpartition("/")[2] for request in ghost.requests]


def send(ghost, path, body=None, token=""):
    """Ask the server by itself."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    asked = Request(f"{ghost.url}/api/{path}", json.dumps(body).encode() if body else None, headers)
    with urlopen(asked) as answer:
        return json.loads(answer.read())


def admitted(ghost):
    return send(ghost, "v1/auth/anonymous", {"accessToken": TOKEN})["authToken"]


def answers(ghost, path, change):
    """Have the next answer at *path* be as it is, but for a *change*."""
    page = send(ghost, f"{path}?range=max", token=admitted(ghost))
    change(page)
    ghost.fails(f"GET /api/{path}", Fault("changed", Raw(json.dumps(page).encode())))


# Holdings


def test_holdings_are_one_call_and_two_requests_the_largest_first_with_what_they_sum_to(house, portfolio):
    with house.staying():
        asked(house)
        before = len(portfolio.requests)
        found = asked(house)

    assert (found.status, found.reply) == (("done", 0), "")
    assert house.cost == (2, 0)
    assert paths(portfolio)[before:] == ["user", "details"]
    shown = table(found)
    assert [row.cells["symbol"] for row in shown.rows] == ["VWCE.DE", "BNDX", "AAPL"]
    assert [row.cells["value"].told for row in shown.rows] == ["€529,375.07", "€441,696.29", "€139,889.50"]
    assert shown.rows[2].cells["price"].told == "$190.19"
    assert [row.cells["gain"] for row in shown.rows] == [Decimal("14.2"), Decimal("0.9"), Decimal("-5.7")]
    sums = [(row.cells["name"], row.cells["value"].told) for row in shown.foot]
    assert sums == [
        ("cash", "€60,606.61"),
        ("net worth", "€1,171,567.47"),
        ("in Broker A", "€1,031,677.97"),
        ("in Broker B", "€139,889.50"),
    ]
    assert [(check.is_met, check.said) for check in shown.checks] == [
        (True, "rows and cash sum to net worth"),
        (True, "shares sum to 100 %"),
    ]


def test_they_are_sorted_and_narrowed_without_model_and_network(shell, portfolio):
    shell.gemini.plans(plan("show_portfolio"))
    shell.jarvis(HOLDINGS)
    before, cost = len(portfolio.requests), shell.cost

    worst = shell.jarvis("worst first")
    sorted_ = shell.jarvis("sort by gain")
    only = shell.jarvis("over 200000")
    one = shell.jarvis("show 2")

    assert [line.split("\t")[1] for line in worst.stdout.splitlines()] == ["AAPL", "BNDX", "VWCE.DE"], worst
    assert sorted_.stdout == worst.stdout
    assert [line.split("\t")[1] for line in only.stdout.splitlines()] == ["BNDX", "VWCE.DE"]
    assert one.stdout.split("\t")[1] == "VWCE.DE", one
    assert (len(portfolio.requests), shell.cost) == (before, cost)


@pytest.mark.parametrize("action", ["show_portfolio", "show_performance"])
def test_what_is_not_worked_out_yet_is_never_shown_as_nothing(house, ghost, action):
    ghost.lag = 60
    first = {"accountId": ghost.account("Broker A"), "dataSource": "MANUAL", "type": "BUY", "currency": "EUR"}
    first |= {"symbol": "11111111-2222-4333-8444-555555555555", "date": "2025-03-03T00:00:00.000Z"}
    send(
        ghost,
        "v1/import",
        {"activities": [first | {"quantity": 3, "unitPrice": 5, "fee": 0}]},
        admitted(ghost),
    )
    house.model_plans(plan(action), plan("reply", text="Not yet."))

    found = house.ask("show how my portfolio stands")

    assert (found.status, found.of(Tabled)) == (("failed", 75), [])
    assert "not worked out yet" in found.reply
    assert found.summary["error"]["hint"] == "Try again in a few seconds."


def test_who_holds_nothing_is_told_so(house, ghost):
    assert asked(house).reply == "There are no holdings in your portfolio."
    ghost.booked("BUY", "11111111-2222-4333-8444-555555555555", "3", "5", "2025-03-03")
    ghost.booked("SELL", "11111111-2222-4333-8444-555555555555", "3", "6", "2025-03-04")
    assert asked(house).reply == "There are no holdings in your portfolio."
    none = "No activities were found for FEE, all time."
    assert asked(house, "show_activities", kind="FEE").reply == none


def test_what_lacks_a_price_is_unknown_and_the_whole_incomplete(house, portfolio):
    def lacks_price(page):
        page["hasError"] = True
        page["holdings"]["BNDX"].update(valueInBaseCurrency=0, allocationInPercentage=0, marketPrice=None)

    answers(portfolio, "v1/portfolio/details", lacks_price)
    found = asked(house)

    assert found.status == ("done", 0)
    last = table(found).rows[-1].cells
    assert (last["symbol"], last["quantity"], last["value"], last["gain"]) == ("BNDX", 9293, None, None)
    told = [(check.is_met, check.is_hard) for check in table(found).checks]
    assert told == [(None, True), (False, False), (False, False)]
    assert table(found).checks[0].said.startswith("incomplete: ")


def test_what_does_not_add_up_is_shown_as_that(house, portfolio):
    def lies(page):
        page["summary"]["totalValueInBaseCurrency"] += 1

    answers(portfolio, "v1/portfolio/details", lies)

    found = asked(house)

    assert (found.status, house.cost) == (("failed", 1), (1, 0))
    assert [(check.is_met, check.said) for check in table(found).checks] == [
        (False, "not so: rows and cash sum to net worth"),
        (True, "shares sum to 100 %"),
    ]


def test_what_is_left_out_and_what_is_owed_count_in_the_net_worth(house, portfolio):
    def owes(page):
        page["summary"] |= {"excludedAccountsAndActivities": 100, "liabilitiesInBaseCurrency": 500}
        page["summary"]["totalValueInBaseCurrency"] -= 400

    answers(portfolio, "v1/portfolio/details", owes)

    shown = table(asked(house))

    told = {row.cells["name"]: row.cells["value"].told for row in shown.foot}
    assert (told["left out of it"], told["liabilities"]) == ("€100.00", "-€500.00")
    assert [check.is_met for check in shown.checks] == [True, True]


# Performance, activities, symbols


def test_a_performance_says_its_range_its_measure_and_its_ends(house, portfolio):
    found = asked(house, "show_performance", "how did my portfolio do this year?", range="this year")

    shown = table(found)
    assert [row.cells["point"] for row in shown.rows] == ["first", "last", "lowest", "highest"]
    assert portfolio.requests[-1].params == {"range": "ytd"}
    assert shown.note.startswith(
        "The range is this year; gains are net, after fees, with currency effect; from 127.0.0.1"
    )
    assert set(shown.foot[0].cells["point"]) <= set("▁▂▃▄▅▆▇")
    assert shown.checks == ()
    assert house.cost == (1, 0)


def test_errors_in_a_performance_are_named(house, portfolio):
    portfolio.has_errors = True

    (check,) = table(asked(house, "show_performance")).checks

    assert (check.is_met, check.said) == (None, "incomplete: Ghostfolio lacks prices of VWCE.DE, AAPL, BNDX")


@pytest.mark.parametrize(
    ("values", "line"), [([1], "▁"), ([1, 1, 1], "▁▁▁"), (range(7), "▁▂▃▄▅▆▇"), ([-3, 3, 0], "▁▇▄")]
)
def test_the_line_is_as_high_as_its_values(values, line):
    assert drawn([Decimal(value) for value in values]) == line
    assert drawn([Decimal(value) for value in range(100)], 4) == "▁▃▅▇"


def test_dividends_are_a_kind_of_activities_and_are_summed(house, portfolio):
    found = asked(
        house, "show_activities", "the dividends of my portfolio", kind="DIVIDEND", range="all time"
    )

    assert found.reply == ""
    assert [row.cells["day"] for row in table(found).rows] == ["2025-11-12", "2025-08-12"]
    assert [row.cells["value"].told for row in table(found).foot] == ["$433.14"]


def test_a_range_begins_on_its_day():
    days = {"today": "2026-11-26", "this week": "2026-11-23", "this month": "2026-11-01"}
    days |= {"this year": "2026-01-01", "one year": "2025-11-26", "five years": "2021-11-27", "all time": ""}
    assert {since: first_day(since, date(2026, 11, 26)) for since in days} == days


def test_activities_are_those_since_that_day(house, portfolio):
    portfolio.booked("FEE", "BNDX", "1", "4.04", f"{date.today()}")
    found = asked(house, "show_activities", "what was booked in my portfolio today?", range="today")
    (row,) = table(found).rows
    assert (row.cells["type"], row.cells["account"], row.cells["comment"]) == ("FEE", None, None)


def test_a_symbol_is_found_or_there_is_none_or_its_source_is_down(house, portfolio):
    words = "which symbol has the stock of Apple?"
    found = asked(house, "find_symbol", words, query="apple")
    assert [row.cells["symbol"] for row in table(found).rows] == ["AAPL"]
    portfolio._profile("COINGECKO", "AAPL", "USD")
    found = asked(house, "find_symbol", words, query="aapl")
    assert [row.private["dataSource"] for row in table(found).rows] == ["YAHOO", "COINGECKO"]
    portfolio.is_lookup_down = True
    none = "Ghostfolio found no symbol for apple: there is none, or its source is down."
    assert asked(house, "find_symbol", words, query="apple").reply == none


# What goes wrong


def test_a_token_that_is_no_more_good_is_made_anew_once(house, portfolio):
    with house.staying():
        asked(house)
        portfolio.fails("GET /api/v1/portfolio/details", EXPIRED)
        found = asked(house)

    assert found.status == ("done", 0)
    assert paths(portfolio)[3:] == ["user", "details", "anonymous", "details"]


def test_who_does_not_answer_is_asked_three_times(house, portfolio):
    portfolio.fails("GET /api/v1/portfolio/details", ERROR, ERROR)
    assert asked(house).status == ("done", 0)
    portfolio.fails("GET /api/v1/portfolio/details", *[ERROR] * 3)
    house.model_plans(plan("show_portfolio"), plan("reply", text="It has a fault."))
    assert house.ask(HOLDINGS).status == ("failed", 69)


def _is_away(house, ghost):
    ghost.is_away = True


def _has_another_token(house, ghost):
    house.environment["GHOSTFOLIO_TOKEN"] = "another-token"


def _is_old(house, ghost):
    ghost.is_old = True


def _is_a_web_page(house, ghost):
    ghost.fails("GET /api/v1/activities", HTML, HTML, HTML)


@pytest.mark.parametrize(
    ("fault", "status", "line", "cure"),
    [
        (_is_away, 69, "can't be reached", "jarvis config set packs.portfolio.url"),
        (_has_another_token, 77, "refused the key: GHOSTFOLIO_TOKEN", "jarvis keys set ghostfolio"),
        (_is_old, 1, "Ghostfolio says: Not Found", "See that Ghostfolio 3.5 or newer runs at"),
        (_is_a_web_page, 69, "A web page came instead", "jarvis config set packs.portfolio.url"),
    ],
)
def test_each_fault_is_one_line_with_its_cure(house, portfolio, fault, status, line, cure):
    fault(house, portfolio)
    house.model_plans(plan("show_activities"), plan("reply", text="It can't be told."))

    found = house.ask("the activities of my portfolio")

    assert found.status == ("failed", status)
    assert sum(line.lower() in text.lower() for text in found.reply.splitlines()) == 1
    assert cure in found.summary["error"]["hint"]
    assert "another-token" not in json.dumps(found.summary)


@pytest.mark.parametrize(
    ("variable", "missing", "cure"),
    [
        ("GHOSTFOLIO_URL", "the address of its server", "jarvis config set packs.portfolio.url https://…"),
        ("GHOSTFOLIO_TOKEN", "a Ghostfolio key", "jarvis keys set ghostfolio"),
    ],
)
def test_without_its_address_and_its_token_it_is_not_there(shell, ghost, variable, missing, cure):
    shell.environment[variable] = ""
    (pack,) = [each for each in shell.json("packs", "list") if each["name"] == "portfolio"]

    assert (pack["on"], pack["missing"], pack["cure"]) == (variable == "GHOSTFOLIO_TOKEN", missing, cure)


TAKEN = (
    "https://ghost.example http://127.0.0.1:3333 http://192.168.178.20:3333/ http://nas:3333 http://[fd00::2]"
)
TAKEN += " http://172.16.0.9 http://ghost.home.lan"
NOT_TAKEN = (
    "http://ghost.example http://8.8.8.8 http://10.evil.example http://172.32.0.1 http://[2001::1] ftp://nas"
)


@pytest.mark.parametrize("url", [*TAKEN.split(), *NOT_TAKEN.split()])
def test_a_token_goes_in_the_open_no_further_than_the_network_at_home(shell, url):
    done = shell.jarvis("config", "set", "packs.portfolio.url", url)

    assert (done.status == 0) == (url in TAKEN), done
    assert url in TAKEN or "your own network" in done.stderr


def test_its_address_comes_before_its_token(shell, ghost):
    shell.environment["GHOSTFOLIO_URL"] = ""

    done = shell.jarvis("keys", "set", "ghostfolio", stdin="the-token\n")

    assert done.status == 78
    assert "It is not known where your Ghostfolio is." in done.stderr
    assert "jarvis config set packs.portfolio.url https://…" in done.stderr


@pytest.mark.parametrize(
    ("lost", "cure"),
    [
        (["GHOSTFOLIO_URL"], "lacks the address of its server: jarvis config set packs.portfolio.url"),
        (["GHOSTFOLIO_TOKEN"], "lacks a Ghostfolio key: jarvis keys set ghostfolio"),
        (["GHOSTFOLIO_URL", "GHOSTFOLIO_TOKEN"], ""),
    ],
)
def test_what_it_lacks_is_told_where_it_was_half_set_up_and_is_meant(house, ghost, lost, cure):
    for name in lost:
        del house.environment[name]
    house.model_plans(plan("reply", text="I know no figures."), plan("reply", text="It is a moon."))

    told = [notice.text for notice in house.ask(HOLDINGS).of(Notice)]

    assert bool(cure) == any(cure in text for text in told)
    assert not any("lacks" in notice.text for notice in house.ask("what is Io?").of(Notice))


@pytest.mark.parametrize("keyring", [NONE, OPEN])
def test_its_token_is_set_checked_and_shown_nowhere(shell, ghost, keyring):
    token = shell.environment.pop("GHOSTFOLIO_TOKEN")
    shell.environment |= using(keyring)
    wrong = shell.jarvis("keys", "set", "ghostfolio", stdin="not-the-token\n")
    done = shell.jarvis("keys", "set", "ghostfolio", stdin=f"{token}\n")
    tested = shell.jarvis("keys", "test", "ghostfolio")

    assert (wrong.status, done.status, tested.status) == (77, 0, 0), (wrong, done, tested)
    assert "Checked with Ghostfolio" in done.stderr
    assert "Ghostfolio takes it" in tested.stdout
    (listed,) = [each for each in shell.json("keys", "list") if each["name"] == "ghostfolio"]
    assert listed["from"] == ("the system keyring" if keyring == OPEN else listed["from"])
    assert listed["from"]
    shell.gemini.plans(plan("show_activities"))
    assert shell.jarvis("the activities of my portfolio").status == 0
    told = f"{done}{tested}{shell.jarvis('config', 'show')}{shell.jarvis('doctor', '--offline')}"
    assert token not in told


# On the screen


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("action", ["show_portfolio", "show_performance", "show_activities"])
def test_what_is_shown_fits_the_screen(house, portfolio, action, width):
    class Terminal:
        out_tty, out_colour = True, False

    shown = table(asked(house, action))
    *lines, _ = table_lines(Terminal, shown, 1, width)  # the caption is wrapped later

    assert max(map(len, lines)) <= width
    whole = "\n".join(lines)
    assert action != "show_performance" or shown.foot[0].cells["point"] in whole
    expected = {
        "show_portfolio": ["VWCE.DE", "€529,375.07", "+14.2 %", "€1,171,567.47", "✓ shares sum"],
        "show_performance": ["lowest", "▁", "▇"],
        "show_activities": ["BUY", "€437,793.23", "2025-03-05"],
    }
    assert [text for text in expected[action] if text not in whole] == []
