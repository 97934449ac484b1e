"""The question shows what is sent, and what is doubtful about it; what nobody said is in none."""

from __future__ import annotations

import pytest

from jarvis.policy.rules import remember
from tests.packs.portfolio.buying import DAY, FIND, WORDS, adding, kept, told, writes
from tests.person import ENTER, ESC, Person

INVENTED = {
    "quantity": ["6", "50", "5.0001", "-5", "2025", "11", "21"],
    "price": ["113", "11.23", "112.30 USD", "112.30 EUR", "5612.30"],
    "fee": ["2", "15", "1.50 USD", "0.01", "21", "11"],
    "account": ["Broker B", "Broker"],
    "day": ["2025-11-20", "2025-11-28", "2024-11-21"],
    "symbol": ["o1 o1", "2 of o1", "o7"],
}


def test_what_nobody_said_is_refused_and_nobody_asked(house, portfolio):
    cases = [(WORDS, field, value) for field, all_ in INVENTED.items() for value in all_]
    cases.append((WORDS.replace(f"on {DAY}, ", ""), "day", DAY))  # where no day was said
    with house.staying():
        for n, (words, field, value) in enumerate(cases):
            told(house, FIND, *[adding(**{field: value})] * 2)

            found = house.ask(words, thread=f"t{n}")

            assert (house.questions, writes(portfolio)) == ([], []), (field, value)
            assert found.status[0] in ("failed", "refused"), (field, value)


@pytest.mark.parametrize("reading", ["nothing", "open site VWCE", "keep"])
def test_what_they_did_not_ask_for_is_refused_and_nobody_asked(house, portfolio, reading):
    told(house, reading=reading)

    found = house.ask(WORDS)

    assert (house.questions, writes(portfolio)) == ([], [])
    assert ("add_activity", "done") not in found.steps


@pytest.mark.parametrize(
    ("words", "fields", "warning"),
    [
        ("", {"day": "2025-11-22"}, "! Saturday: markets are closed then"),
        ("", {"day": "2099-11-23"}, "! that day is still to come"),
        ("sold 4712", {"kind": "SELL", "quantity": "4712"}, "! you hold 4711 of it there"),
        ("112.30 USD", {"price": "112.30 USD"}, "! VWCE.DE is priced in EUR, not in USD"),
        (
            "112.30 CHF",
            {"price": "112.30 CHF"},
            "! Ghostfolio has shown no rate of CHF yet: without one it counts as 0",
        ),
        (
            "4711 at 98.43, fee 31.57",
            {"quantity": "4711", "price": "98.43", "fee": "31.57", "day": "2025-03-03"},
            "like it there already: 1; Ghostfolio does not change the account's cash by it",
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


# Where it is not asked


@pytest.mark.parametrize(
    ("verdict", "host", "asked", "status"),
    [
        ("allow", "ghost.home.lan", 0, ("done", 0)),
        ("allow", "home.lan", 1, ("refused", 4)),
        ("allow", "*.home.lan", 1, ("refused", 4)),
        ("allow", "", 1, ("refused", 4)),
        ("deny", "ghost.home.lan", 0, ("refused", 4)),
        ("deny", "*.home.lan", 0, ("refused", 4)),
        ("deny", "", 0, ("refused", 4)),
        ("ask", "ghost.home.lan", 1, ("refused", 4)),
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


# On the screen


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize(("key", "stored"), [("y" + ENTER, 1), (ENTER, 0), (ESC, 0), ("n" + ENTER, 0)])
def test_the_question_shows_it_all_on_the_screen(shell, portfolio, width, key, stored):
    told(shell)
    with Person(shell.program(), WORDS, size=(width, 24)) as person:
        person.see("Enter = no")
        person.at_prompt()
        assert max(map(len, person.lines)) <= width
        for text in (
            "BUY 5 VWCE.DE (FTSE All-World) at €112.30 = €561.50, fee €1.50",
            "Fri 21 Nov 2025, Broker A",
        ):
            person.see(text)
        person.see(f"Send this to {portfolio.url.removeprefix('http://')} ?")
        person.type(key)
        done = person.finish()
        person.assert_sane()

    assert (done.status, len(writes(portfolio))) == (0 if stored else 4, stored)
