"""Nothing of the person's portfolio is changed but by a yes to exactly that, which counts once."""

import time

import pytest

from jarvis.core.errors import UsageError
from jarvis.output.questions import nobody_answers
from jarvis.policy.rules import remember
from tests.packs.portfolio.buying import DAY, FIND, WORDS, adding, kept, sent, told, writes
from tests.twins.ghostfolio import GhostfolioTwin

STORED = [("BUY", 5.0, 112.3)]


def test_a_yes_sends_what_was_shown_once_and_it_is_read_back(house, portfolio):
    told(house)
    house.answers = ["y"]

    found = house.ask(WORDS)

    (question,) = house.questions
    host = portfolio.url.removeprefix("http://")
    assert (question.kind, question.host, question.text) == ("write", host, f"Send this purchase to {host}?")
    assert question.as_record()["lines"] == [
        "2025-11-21  purchase  VWCE.DE  5  €112.30  €1.50  Broker A",
        "Total: purchases €561.50, fees €1.50.",
        "VWCE.DE is FTSE All-World. Ghostfolio doesn't adjust the account's cash.",
    ]
    (body,) = sent(portfolio)
    assert [body] == question.body["activities"]
    assert body["comment"] == f"jarvis:{question.body['key']}"
    assert (body["quantity"], body["unitPrice"], body["fee"], body["date"][:10]) == (5, 112.3, 1.5, DAY)
    assert (found.status, kept(portfolio)) == (("done", 0), STORED)
    reply = "Stored and read back: 1 activity (batch 1). To undo it: jarvis portfolio undo 1"
    assert found.reply == reply
    assert house.cost == (2, 0)


# Who says yes, and who does not


def test_anything_else_than_yes_sends_nothing(house, portfolio):
    said = dict.fromkeys(["n", "", "a", "1", "yy", "nope, not today"], ("refused", 4))
    said |= dict.fromkeys(["y", " Yes "], ("done", 0))
    with house.staying():
        for n, (answer, status) in enumerate(said.items()):
            before = len(writes(portfolio))
            told(house)
            house.answers = [answer]

            found = house.ask(WORDS, thread=f"t{n}")

            assert (len(house.questions), found.status) == (n + 1, status), answer
            assert len(writes(portfolio)) - before == (status[0] == "done"), answer


@pytest.mark.parametrize(
    ("how", "words", "stdin", "statuses"),
    [
        (["--json", "-y"], WORDS, None, [3]),
        (["--ndjson"], WORDS, "", [3]),
        (["-y"], "put this into my portfolio", f"{WORDS}\n", [1, 3, 4]),
    ],
    ids=["-y", "a closed stdin", "a pipe"],
)
def test_nobody_says_yes_beforehand_or_by_a_pipe(shell, portfolio, how, words, stdin, statuses):
    told(shell)

    done = shell.jarvis(*how, words, stdin=stdin)

    assert (done.status in statuses, writes(portfolio)) == (True, []), done


@pytest.mark.parametrize(
    ("later", "name"), [(False, "Broker B"), (True, "Broker A")], ids=["at once", "later, of one name"]
)
def test_of_several_accounts_they_choose_one_by_number_and_then_see_all_of_it(house, portfolio, later, name):
    portfolio.accounts[1]["name"] = name
    told(house, FIND, adding(account=None))
    house.answers = [] if later else ["2", "y"]
    house.otherwise = nobody_answers

    done = house.ask(WORDS)
    for answer in ("2", "y") if later else ():
        assert writes(portfolio) == []
        done = house.answer(done, answer)

    which, whole = house.questions
    assert [(each.id, each.title) for each in which.options[:2]] == [("1", "Broker A"), ("2", name)]
    assert (which.kind, whole.kind) == ("choice", "write")
    assert whole.table.lines[0].endswith(name)
    (body,) = sent(portfolio)
    assert (done.status, body["accountId"]) == (("done", 0), portfolio.accounts[1]["id"])


@pytest.mark.parametrize(
    ("verdict", "host", "asked", "status"),
    [
        ("allow", "ghost.home.lan", 0, ("done", 0)),
        ("allow", "home.lan", 1, ("refused", 4)),
        ("allow", "*.home.lan", 1, ("refused", 4)),
        ("allow", "", 1, ("refused", 4)),
        ("deny", "*.home.lan", 0, ("refused", 4)),
        ("deny", "", 0, ("refused", 4)),
    ],
)
def test_only_a_rule_that_names_the_host_lets_it_through(
    house, portfolio, monkeypatch, verdict, host, asked, status
):
    monkeypatch.setenv("HTTP_PROXY", portfolio.url)  # where that host is
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    house.environment["GHOSTFOLIO_URL"] = "http://ghost.home.lan"
    remember(house.settings.folders.policy, verdict, "writes", host)
    told(house)
    house.answers = ["n"]

    found = house.ask(WORDS)

    assert {each.headers["host"] for each in portfolio.requests} == {"ghost.home.lan"}
    assert (len(house.questions), found.status, len(writes(portfolio))) == (asked, status, status[1] == 0)


# What is another body by the time of the yes


def _is_stored_by_another(house, ghost):
    account = ghost.accounts[0]["id"]
    ghost.booked("BUY", "VWCE.DE", "5", "112.30", DAY, fee="1.50", account=account)


def _has_another_account_of_that_name(house, ghost):
    ghost.accounts.remove(ghost.accounts[0])
    ghost.account("Broker A")


CHANGES = [_is_stored_by_another, _has_another_account_of_that_name]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("second", ["y", "n"])
def test_a_yes_to_what_has_changed_meanwhile_is_asked_for_again(house, portfolio, change, second):
    told(house)

    def meanwhile(question):
        if len(house.questions) > 1:
            return second
        change(house, portfolio)
        return "y"

    house.otherwise = meanwhile
    found = house.ask(WORDS)

    one, other = house.questions
    assert one.id != other.id
    assert (one.body, one.lines) != (other.body, other.lines)
    assert (kept(portfolio), found.status[0]) == ((STORED, "done") if second == "y" else ([], "refused"))
    assert sent(portfolio) == (other.body["activities"] if second == "y" else [])


@pytest.fixture
def elsewhere(portfolio):
    """Another server, on which all is the same."""
    with GhostfolioTwin(base="EUR", USD="0.9") as twin:
        for name in ("accounts", "activities", "profiles", "prices"):
            setattr(twin, name, getattr(portfolio, name))
        yield twin


@pytest.mark.parametrize("change", [*CHANGES, None], ids=[*(each.__name__ for each in CHANGES), "_moves"])
def test_an_answer_that_comes_later_counts_for_the_same_alone(house, portfolio, elsewhere, change):
    told(house)
    house.otherwise = nobody_answers
    first = house.ask(WORDS)
    assert (first.status, first.summary["question"]["kind"]) == (("needs_answer", 3), "write")
    if change:
        change(house, portfolio)
    else:
        house.environment["GHOSTFOLIO_URL"] = elsewhere.url

    again = house.answer(first, "y")

    assert (again.status, writes(portfolio), writes(elsewhere)) == (("needs_answer", 3), [], [])
    assert again.summary["question"]["id"] != first.summary["question"]["id"]
    assert house.answer(again, "y").status == ("done", 0)
    assert len(writes(portfolio if change else elsewhere)) == 1


def test_it_counts_for_no_other_day(shell, portfolio):
    """Today is meant, which is another one by the time of the yes."""
    told(shell, FIND, adding(day=None))
    first = shell.json(WORDS, environment={"TZ": "WEST+12"})["question"]
    late = shell.json(f"--answer={first['id']}=y", environment={"TZ": "EAST-14"})["question"]

    assert first["body"]["activities"][0]["date"] < late["body"]["activities"][0]["date"]
    assert writes(portfolio) == []


def test_a_yes_after_a_quarter_of_an_hour_is_asked_for_again(house, portfolio, monkeypatch):
    told(house)
    now, sent_by = time.time, []

    def late(question):
        sent_by.append(len(writes(portfolio)))
        monkeypatch.setattr(time, "time", lambda: now() + 901)  # from then on: once
        return "y"

    house.otherwise = late

    assert (house.ask(WORDS).status, sent_by) == (("done", 0), [0, 0])
    assert kept(portfolio) == STORED


def test_an_answer_a_quarter_of_an_hour_later_does_nothing(house, portfolio, monkeypatch):
    told(house)
    house.otherwise = nobody_answers
    first, now = house.ask(WORDS), time.time
    monkeypatch.setattr(time, "time", lambda: now() + 901)

    with pytest.raises(UsageError, match="There is no open question"):
        house.answer(first, "y")

    assert writes(portfolio) == []


# What is asked about, and what never is

INVENTED = {
    "quantity": ["6", "50", "5.0001", "-5", "2025", "11", "21"],
    "price": ["113", "11.23", "112.30 USD", "112.30 EUR", "5612.30"],
    "fee": ["2", "15", "1.50 USD", "0.01", "21", "11"],
    "account": ["Broker B", "Broker"],
    "day": ["2025-11-20", "2025-11-28", "2024-11-21"],
    "symbol": ["o1 o1", "2 of o1", "o7"],
}


def test_what_nobody_said_or_asked_for_is_refused_and_nobody_asked(house, portfolio):
    cases = [("record VWCE", WORDS, {field: value}) for field, all_ in INVENTED.items() for value in all_]
    cases.append(("record VWCE", WORDS.replace(f"on {DAY}, ", ""), {"day": DAY}))  # where no day was said
    cases += [(reading, WORDS, {}) for reading in ("nothing", "open site VWCE", "keep")]
    with house.staying():
        for n, (reading, words, fields) in enumerate(cases):
            told(house, FIND, *[adding(**fields)] * 2, reading=reading)

            found = house.ask(words, thread=f"t{n}")

            assert (house.questions, writes(portfolio)) == ([], []), (reading, words, fields)
            assert found.status[0] in ("failed", "refused"), (reading, words, fields)


@pytest.mark.parametrize(
    ("words", "fields", "warning"),
    [
        ("", {"day": "2025-11-22"}, "! Saturday: markets are closed then"),
        ("", {"day": "2099-11-23"}, "! that day is in the future"),
        ("sold 4712", {"kind": "SELL", "quantity": "4712"}, "! you hold only 4711 of it"),
        ("112.30 USD", {"price": "112.30 USD"}, "! VWCE.DE is priced in EUR, not in USD"),
        (
            "112.30 CHF",
            {"price": "112.30 CHF"},
            "! Ghostfolio has shown no rate for CHF yet: without one, this counts as 0",
        ),
        (
            "4711 at 98.43, fee 31.57",
            {"quantity": "4711", "price": "98.43", "fee": "31.57", "day": "2025-03-03"},
            "! Ghostfolio already has 1 like it",
        ),
    ],
)
def test_what_is_doubtful_about_it_is_a_line_of_the_question(house, portfolio, words, fields, warning):
    told(house, FIND, adding(**fields))
    house.answers = ["n"]

    house.ask(f"{WORDS}; {words}".replace(DAY, fields.get("day", DAY)))

    (question,) = house.questions
    assert warning in question.lines


def test_a_sentence_in_its_place_is_planned_and_asked_about_anew(house, portfolio):
    told(house, FIND, adding(), adding(quantity="6"))
    house.answers = ["make it 6", "y"]

    found = house.ask(WORDS)

    one, other = house.questions
    assert [each.body["activities"][0]["quantity"] for each in (one, other)] == [5, 6]
    assert (found.status, kept(portfolio)) == (("done", 0), [("BUY", 6.0, 112.3)])
