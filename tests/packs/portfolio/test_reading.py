"""What the person holds, how it did and what was traded is told as it is, or why it can't be told."""

import json
from datetime import date
from decimal import Decimal

import pytest

from jarvis.core.events import Notice, TableShown
from jarvis.core.tables import BLOCKS
from jarvis.packs.portfolio.show_activities import first_day
from jarvis.packs.portfolio.show_performance import draw_line
from tests.planned import plan
from tests.twins import ghostfolio as g
from tests.twins.faults import Raw
from tests.twins.keyrings import OPEN, using
from tests.twins.wire import Request

HOLDINGS, DETAILS = "show my holdings", "v1/portfolio/details"
OWN = "11111111-2222-4333-8444-555555555555"  # a symbol that no source prices


def asked(house, action="show_portfolio", words=HOLDINGS, **fields):
    house.model_plans(plan(action, **fields))
    return house.ask(words)


def table(found):
    (tabled,) = found.of(TableShown)
    return tabled.table


def cells(rows, key):
    """What stands in that column, as it is told."""
    return [getattr(row.cells[key], "formatted", row.cells[key]) for row in rows]


def paths(ghost):
    return [request.path.rpartition("/")[2] for request in ghost.requests]


# Holdings


def test_holdings_are_one_call_and_two_requests_the_largest_first_with_what_they_sum_to(house, portfolio):
    with house.staying():
        asked(house)
        before = len(portfolio.requests)
        found = asked(house)

    assert (found.status, found.reply, house.cost) == (("done", 0), "", (2, 0))
    assert paths(portfolio)[before:] == ["user", "details"]
    shown = table(found)
    assert cells(shown.rows, "symbol") == ["VWCE.DE", "BNDX", "AAPL"]
    assert cells(shown.rows, "value") == ["€529,375.07", "€441,696.29", "€139,889.50"]
    assert shown.rows[2].cells["price"].formatted == "$190.19"
    assert cells(shown.rows, "gain") == [Decimal("14.2"), Decimal("0.9"), Decimal("-5.7")]
    assert cells(shown.foot, "name") == ["cash", "net worth", "in Broker A", "in Broker B"]
    assert cells(shown.foot, "value") == ["€60,606.61", "€1,171,567.47", "€1,031,677.97", "€139,889.50"]
    told = ["rows and cash sum to net worth", "shares sum to 100 %"]
    assert [(check.is_met, check.finding) for check in shown.checks] == [(True, each) for each in told]


@pytest.mark.parametrize("action", ["show_portfolio", "show_performance"])
def test_what_is_not_worked_out_yet_is_never_shown_as_nothing(house, ghost, action):
    ghost.lag = 60
    ghost._age()
    ghost.booked("BUY", OWN, "3", "5", "2025-03-03", account=ghost.account("Broker A"))
    house.model_plans(plan(action), plan("reply", text="Not yet."))

    found = house.ask("show how my portfolio stands")

    assert (found.status, found.of(TableShown)) == (("failed", 75), [])
    assert "not worked out yet" in found.reply
    assert found.summary["error"]["hint"] == "Try again in a few seconds."


def test_who_holds_nothing_is_told_so(house, ghost):
    none = "There are no holdings in your portfolio."
    assert asked(house).reply == none
    ghost.booked("BUY", OWN, "3", "5", "2025-03-03")
    ghost.booked("SELL", OWN, "3", "6", "2025-03-04")
    assert asked(house).reply == none
    none = "No activities were found for FEE, all time."
    assert asked(house, "show_activities", kind="FEE").reply == none


def _lacks_a_price(page):
    page["hasError"] = True
    page["holdings"]["BNDX"].update(valueInBaseCurrency=0, allocationInPercentage=0, marketPrice=None)


def _does_not_add_up(page):
    page["summary"]["totalValueInBaseCurrency"] += 1


def _has_left_out_and_owes(page):
    page["summary"] |= {"excludedAccountsAndActivities": 100, "liabilitiesInBaseCurrency": 500}
    page["summary"]["totalValueInBaseCurrency"] -= 400


INCOMPLETE = "incomplete: Ghostfolio lacks prices of something"
SUMS, SHARES = "rows and cash sum to net worth", "shares sum to 100 %"
UNPRICED = [(None, True, INCOMPLETE), (False, False, f"not so: {SUMS}"), (False, False, f"not so: {SHARES}")]


@pytest.mark.parametrize(
    ("change", "status", "checks", "last"),
    [
        (_lacks_a_price, "done", UNPRICED, ("BNDX", None, None)),
        (_does_not_add_up, "failed", [(False, True, f"not so: {SUMS}"), (True, True, SHARES)], None),
        (_has_left_out_and_owes, "done", [(True, True, SUMS), (True, True, SHARES)], None),
    ],
)
def test_what_is_not_known_or_does_not_add_up_is_shown_as_that(
    house, portfolio, change, status, checks, last
):
    _, page = portfolio._details(Request("GET", f"/api/{DETAILS}", {}, b""))
    change(page)
    told = Raw(json.dumps(page, default=g.plain).encode())
    portfolio.fails(f"GET /api/{DETAILS}", g.Fault("changed", told))

    found = asked(house)

    assert (found.status[0], house.cost) == (status, (1, 0))
    shown = table(found)
    assert [(each.is_met, each.is_hard, each.finding) for each in shown.checks] == checks
    assert last in (None, tuple(shown.rows[-1].cells[key] for key in ("symbol", "value", "gain")))
    told = dict(zip(cells(shown.foot, "name"), cells(shown.foot, "value"), strict=True))
    owes = change is _has_left_out_and_owes
    assert (told.get("left out of it"), told.get("liabilities")) == (
        ("€100.00", "-€500.00") if owes else (None,) * 2
    )


# Performance, activities, symbols


def test_a_performance_says_its_range_its_measure_its_ends_and_its_errors(house, portfolio):
    found = asked(house, "show_performance", "how did my portfolio do this year?", range="this year")

    shown = table(found)
    assert (cells(shown.rows, "point"), shown.checks) == (["first", "last", "lowest", "highest"], ())
    assert (portfolio.requests[-1].params, house.cost) == ({"range": "ytd"}, (1, 0))
    measure = "Gains are net, after fees, with currency effect"
    assert shown.note.startswith(f"The range is this year. {measure}; from 127.0.0.1")
    assert set(shown.foot[0].cells["point"]) <= set(BLOCKS)

    portfolio.has_errors = True
    (check,) = table(asked(house, "show_performance")).checks
    assert (check.is_met, check.finding) == (None, INCOMPLETE.replace("something", "VWCE.DE, AAPL, BNDX"))


def test_its_line_is_as_high_as_the_values():
    for values, line in (([1], "▁"), ([1] * 3, "▁▁▁"), ([-3, 3, 0], "▁█▅"), (range(100), "▁▃▆█")):
        assert draw_line([Decimal(value) for value in values], max(len(line), 2)) == line


def test_activities_are_those_of_their_kind_and_range_and_are_summed(house, portfolio):
    words = "the dividends of my portfolio"
    found = asked(house, "show_activities", words, kind="DIVIDEND", range="all time")
    assert found.reply == ""
    assert cells(table(found).rows, "day") == ["2025-11-12", "2025-08-12"]
    assert cells(table(found).foot, "value") == ["$433.14"]

    portfolio.booked("FEE", "BNDX", "1", "4.04", f"{date.today()}")
    found = asked(house, "show_activities", "what was booked in my portfolio today?", range="today")
    (row,) = table(found).rows
    assert (row.cells["type"], row.cells["account"], row.cells["comment"]) == ("FEE", None, None)


def test_a_range_begins_on_its_day():
    days = {"today": "2026-11-26", "this week": "2026-11-23", "this month": "2026-11-01"}
    days |= {"this year": "2026-01-01", "one year": "2025-11-26", "five years": "2021-11-27", "all time": ""}
    assert {since: first_day(since, date(2026, 11, 26)) for since in days} == days


def test_a_symbol_is_found_or_there_is_none_or_its_source_is_down(house, portfolio):
    def found(query):
        return asked(house, "find_symbol", "which symbol has the stock of Apple?", query=query)

    assert cells(table(found("apple")).rows, "symbol") == ["AAPL"]
    portfolio._profile("COINGECKO", "AAPL", "USD")
    assert [row.private["dataSource"] for row in table(found("aapl")).rows] == ["YAHOO", "COINGECKO"]
    portfolio.is_lookup_down = True
    none = "Ghostfolio found no symbol for apple: there is none, or its source is down."
    assert found("apple").reply == none


# What goes wrong


@pytest.mark.parametrize(
    ("faults", "asks"), [([g.EXPIRED], ["details", "anonymous"]), ([g.ERROR] * 2, ["details"] * 2)]
)
def test_a_token_is_made_anew_once_and_who_does_not_answer_is_asked_again(house, portfolio, faults, asks):
    with house.staying():
        asked(house)
        portfolio.fails(f"GET /api/{DETAILS}", *faults)
        assert asked(house).status == ("done", 0)

    assert paths(portfolio)[3:] == ["user", *asks, "details"]


URL, ADDRESS = "jarvis config set packs.portfolio.url", "the address of its server"
SET_KEY = "jarvis keys set ghostfolio"
FAULTS = {
    "away": (69, "can't be reached", URL),
    "another token": (77, "refused the key: GHOSTFOLIO_TOKEN", SET_KEY),
    "old": (1, "Ghostfolio says: Not Found", "Check that Ghostfolio 3.5 or newer runs at"),
    "a web page": (69, "A web page came instead", URL),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_one_line_with_its_cure(house, portfolio, fault):
    portfolio.is_away, portfolio.is_old = fault == "away", fault == "old"
    portfolio.fails("GET /api/v1/activities", *[g.HTML] * 3 * (fault == "a web page"))
    house.environment |= {"GHOSTFOLIO_TOKEN": "another-token"} if fault == "another token" else {}
    house.model_plans(plan("show_activities"), plan("reply", text="It can't be told."))

    found = house.ask("the activities of my portfolio")

    status, line, cure = FAULTS[fault]
    assert found.status == ("failed", status)
    assert sum(line.lower() in text.lower() for text in found.reply.splitlines()) == 1
    assert cure in found.summary["error"]["hint"]
    assert "another-token" not in json.dumps(found.summary)


# Its address and its token


def test_without_its_address_it_is_off_and_takes_no_token(shell, ghost):
    shell.environment["GHOSTFOLIO_URL"] = ""
    (pack,) = [each for each in shell.json("packs", "list") if each["name"] == "portfolio"]
    done = shell.jarvis("keys", "set", "ghostfolio", stdin="the-token\n")

    assert (pack["on"], pack["missing"], pack["cure"]) == (False, ADDRESS, f"{URL} https://…")
    assert (done.status, pack["cure"] in done.stderr) == (78, True)
    assert "Jarvis doesn't know where your Ghostfolio is." in done.stderr


@pytest.mark.parametrize(
    ("lost", "cure"),
    [
        (["GHOSTFOLIO_URL"], f"lacks {ADDRESS}: {URL}"),
        (["GHOSTFOLIO_TOKEN"], f"lacks a Ghostfolio key: {SET_KEY}"),
        (["GHOSTFOLIO_URL", "GHOSTFOLIO_TOKEN"], ""),
    ],
    ids=["its address", "its token", "both"],
)
def test_what_it_lacks_is_told_where_it_was_half_set_up_and_is_meant(house, ghost, lost, cure):
    for name in lost:
        del house.environment[name]
    house.model_plans(plan("reply", text="I know no figures."), plan("reply", text="It is a moon."))

    told = [notice.text for notice in house.ask(HOLDINGS).of(Notice)]

    assert bool(cure) == any(cure in text for text in told)
    assert not any("lacks" in notice.text for notice in house.ask("what is Io?").of(Notice))


TAKEN = "https://ghost.example http://127.0.0.1:3333 http://192.168.178.20:3333/ http://nas:3333"
TAKEN += " http://[fd00::2] http://172.16.0.9 http://ghost.home.lan"
NOT_TAKEN = "http://ghost.example http://8.8.8.8 http://10.evil.example http://172.32.0.1 http://[2001::1]"
NOT_TAKEN += " ftp://nas"


def test_a_token_goes_in_the_open_no_further_than_the_network_at_home(shell):
    for url in (*TAKEN.split(), *NOT_TAKEN.split()):
        done = shell.jarvis("config", "set", "packs.portfolio.url", url)

        assert (done.status == 0) == (url in TAKEN), done
        assert url in TAKEN or "your own network" in done.stderr


def test_its_token_is_set_checked_and_shown_nowhere(shell, ghost):
    token = shell.environment.pop("GHOSTFOLIO_TOKEN")
    shell.environment |= using(OPEN)
    wrong = shell.jarvis("keys", "set", "ghostfolio", stdin="not-the-token\n")
    done = shell.jarvis("keys", "set", "ghostfolio", stdin=f"{token}\n")
    tested = shell.jarvis("keys", "test", "ghostfolio")

    assert (wrong.status, done.status, tested.status) == (77, 0, 0), (wrong, done, tested)
    assert "Checked with Ghostfolio" in done.stderr
    assert "Ghostfolio accepts it" in tested.stdout
    (listed,) = [each for each in shell.json("keys", "list") if each["name"] == "ghostfolio"]
    assert listed["from"] == "the system keyring"
    shell.gemini.plans(plan("show_activities"))
    assert shell.jarvis("the activities of my portfolio").status == 0
    told = f"{done}{tested}{shell.jarvis('config', 'show')}{shell.jarvis('doctor', '--offline')}"
    assert token not in told
