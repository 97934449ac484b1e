"""What is asked of a list in English, and what sounds like that and is not."""

from decimal import Decimal

import pytest

from jarvis.cli.line import command_in
from jarvis.core.money import Money
from jarvis.core.tables import MONEY, Column, FollowUp, Row, Table
from jarvis.language.command_grammar import list_request_in, parse_words
from jarvis.language.follow_ups import change_in, to_follow_up
from tests.wordings import pairs, wordings


def told(change):
    """What it is, as the tables have it."""
    if change is None:
        return "nothing"
    way = {None: "", True: "falling", False: "rising"}[change.falling]
    said = ("open" if change.opens else "", change.verb, change.word, way, str(change.number or ""))
    return " ".join(filter(None, said)) + ("" if change.is_sure else "?")


def test_what_is_asked_of_a_list_is_understood():
    asked = pairs("follow_ups")

    assert len(asked) > 70
    assert [(words, told(change_in(list_request_in(parse_words(words))))) for words, _ in asked] == asked


def test_what_only_sounds_so_is_not():
    """Or only where the list has it: what it has not goes to the model then."""
    words = wordings("no_follow_ups")
    asked = {each: change for each in words if (change := change_in(list_request_in(parse_words(each))))}

    assert len(words) > 60
    assert [each for each, change in asked.items() if change.is_sure] == []
    assert len(asked) < 5


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\x85", "\u2028"])
def test_several_lines_ask_nothing_of_a_list(line_break):
    """They may be pasted, and so somebody else's."""
    assert list_request_in(parse_words("cheapest first"))
    assert not list_request_in(parse_words(f"cheapest{line_break}first"))


def test_typed_without_quotes_they_are_no_command_with_a_slip():
    for words, _ in pairs("follow_ups"):
        assert command_in(words.split()) == []


def priced(*amounts):
    rows = (Row(f"o{n}", {"price": Money(Decimal(10), code)}) for n, code in enumerate(amounts, 1))
    return Table("product", (Column("price", "price", MONEY),), tuple(rows))


@pytest.mark.parametrize(
    ("words", "currencies", "country", "limit"),
    [
        ("under 130", "USD", "", "130 USD"),
        ("under 130", "EUR", "us", "130 EUR"),
        ("under $130", "USD", "", "130 USD"),
        ("under $130", "EUR", "us", "130 USD"),
        ("under ¥4000", "JPY", "us", "4000 JPY"),
        ("under 1.299,50", "EUR", "", "1299.50 EUR"),
        ("under €50", "USD", "us", "50 EUR"),
        ("under 130 dollars", "USD", "", "130 USD"),
        ("under 130", "USD JPY", "", "130 "),
        ("under ¥4000", "USD JPY", "us", "4000 JPY"),
        ("under 30 minutes", "USD", "us", "none"),
        ("over 2 million", "USD", "us", "none"),
    ],
)
def test_the_list_says_what_an_amount_is_of(words, currencies, country, limit):
    asked = to_follow_up(priced(*currencies.split()), change_in(words), country)

    assert (f"{asked.amount:f} {asked.currency}" if asked else "none") in (limit, limit.replace(" ", ".00 "))


def test_a_limit_on_a_list_without_prices_is_left_to_the_list():
    assert to_follow_up(priced(), change_in("under $130")) == FollowUp("under")
