"""What a model may write into a field, what becomes of it, and what it is told where it can't be read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jarvis.actions.base import Action, Field
from jarvis.actions.kinds import KINDS, Unusable, unsaid, values
from jarvis.core.money import Money
from jarvis.core.tables import MONEY, RATING, Column, Rating, Row, Table
from jarvis.core.types import Facts

OFFERS = (("o1", "129.00", "4.7", 812), ("o2", "98.50", "4.9", 2), ("o3", "139.99", "3.5", 96))
TABLE = Table(
    "product",
    (Column("title", "product"), Column("price", "price", MONEY), Column("rating", "rating", RATING)),
    tuple(
        Row(
            id_, {"title": id_, "price": Money(Decimal(price), "USD"), "rating": Rating(Decimal(value), many)}
        )
        for id_, price, value, many in OFFERS
    ),
)
MANY = tuple(f"o{n}" for n in range(1, 13))
EARLIER = TABLE._replace(rows=tuple(Row(id_, {}) for id_ in MANY[len(OFFERS) :]))
FACTS = Facts({}, shown=("o1", "o2", "o3", "r1"), country="us", tables=(EARLIER, TABLE))
CHOICES = ("new", "used", "Refurbished")


def field(kind, **more):
    return Field("it", "what it is", kind=kind, choices=CHOICES if kind == "choice" else (), **more)


def action(*fields, effect="reads"):
    return type("Tried", (Action,), {"name": "tried", "fields": fields, "effect": effect})()


def read(kind, wire, words="", facts=FACTS):
    # A text is read so where it has to be said; any other is the plan's own.
    return values(action(field(kind, said=True)), {"it": wire}, words, facts)["it"]


def is_said(kind, wire, words, before="", facts=FACTS):
    return unsaid(action(field(kind, said=True, optional=True)), {"it": wire}, words, before, facts) == []


def usd(amount):
    return Money(Decimal(amount), "USD")


GOOD = [
    ("text", " Sony\n WH-1000 ", "Sony WH-1000"),
    ("choice", "used", "used"),
    ("choice", " REFURBISHED ", "Refurbished"),
    ("number", "2", Decimal(2)),
    ("number", "two", Decimal(2)),
    ("number", "1,5", Decimal("1.5")),
    ("number", "1.299,00", Decimal("1299.00")),
    ("number", "-3", Decimal(-3)),
    ("number", "٣", Decimal(3)),
    ("count", "3", 3),
    ("count", "three", 3),
    ("money", "150 USD", usd(150)),
    ("money", "$150", usd(150)),
    ("money", "€1.299,00", Money(Decimal("1299.00"), "EUR")),
    ("money", "4000 yen", Money(Decimal(4000), "JPY")),
    ("ids", "o3 o2", ("o3", "o2")),
    ("ids", "3, 1", ("o3", "o1")),
    ("ids", "[o12] and O2", ("o12", "o2")),
    ("ids", "cheapest", ("o2",)),
    ("ids", "top 2 by price", ("o2", "o1")),
    ("ids", "top 2 by rating", ("o1", "o2")),
    ("ids", "best rated", ("o1",)),
    ("quantities", "o3 o2", ("o3", "o2")),
    ("quantities", "o3 o3 2", ("o3", "o3", "o2")),
    ("quantities", "2 of 3, o1", ("o3", "o3", "o1")),
    ("quantities", "2x o3 and O1 × 3", ("o3", "o3", "o1", "o1", "o1")),
    ("quantities", "3 of o12", ("o12",) * 3),
    ("quantities", "top 2 by price", ("o2", "o1")),
]
BAD = [
    ("text", "\x1b[31m", "it has no words"),
    ("choice", "broken", "`broken` is not one of: new, used, Refurbished"),
    ("choice", "new, used", "`new, used` is not one of"),
    ("number", "a few", "`a few` is no number: write it in digits, as 2 or 1.5"),
    ("number", "1.2.3", "is no number"),
    ("number", "NaN", "is no number"),
    ("number", "9" * 5000, "is no number"),
    ("count", "1.5", "`1.5` is no count: write a whole number from 1 to 1,000,000"),
    ("count", "0", "is no count"),
    ("money", "cheap", "`cheap` is no amount of money: write it with its currency, as 150 USD"),
    ("money", "0 USD", "is no amount"),
    ("money", "150 XYZ", "is no amount"),
    ("money", "2 million USD", "is no amount"),
    ("quantities", "2 of o77", "`o77` is no offer of this thread"),
    ("quantities", "0 of o3", "`0` is no count of an offer: write a whole number from 1 to 99"),
    ("quantities", "60 of o3, 60 of o3", "`o3` is wanted more than 99 times"),
    ("quantities", " ".join(MANY[:11]), "it names 11 offers: name 10 at most"),
    ("ids", "o99", "`o99` is no offer of this thread: name ids as they stand, as o3 o7"),
    ("ids", "o1 1", "`o1` is named twice"),
    ("ids", " ".join(MANY), "it names 12 offers: name 10 at most"),
    ("ids", "newest", "The list does not say how new anything is."),
    ("ids", "top 3 by weight", "The list has no column “weight”"),
]


@pytest.mark.parametrize(("kind", "wire", "value"), GOOD)
def test_what_the_model_writes_becomes_a_value(kind, wire, value):
    found = read(kind, wire)

    assert (found, isinstance(found, type(value))) == (value, True)


@pytest.mark.parametrize(("kind", "wire", "why"), BAD)
def test_what_cannot_be_read_is_told_so_that_it_can_be_mended(kind, wire, why):
    with pytest.raises(Unusable) as amiss:
        read(kind, wire)

    assert str(amiss.value).startswith("`it`: ")
    assert why in str(amiss.value)


@pytest.mark.parametrize(
    ("wire", "country", "currency", "value"),
    [
        ("$150", "ca", "", Money(Decimal(150), "CAD")),
        ("150", "at", "", Money(Decimal(150), "EUR")),
        ("$150", "at", "AUD", Money(Decimal(150), "AUD")),
        ("150", "us", "GBP", Money(Decimal(150), "GBP")),
        ("1.299", "at", "EUR", Money(Decimal(1299), "EUR")),
        ("¥500", "", "", None),
        ("150", "", "", None),
    ],
)
def test_what_a_sign_means_is_said_by_the_currency_that_prices_are_asked_in(wire, country, currency, value):
    facts = FACTS._replace(country=country, currency=currency)
    if value:
        assert read("money", wire, facts=facts) == value
    else:
        with pytest.raises(Unusable, match="is no amount of money"):
            read("money", wire, facts=facts)


SAID = [
    ("money", "150 USD", "a used Switch under $150"),
    ("money", "150 USD", "under 150.00"),
    ("money", "1299 EUR", "up to €1.299,00"),
    ("money", "1299 USD", "up to 1 299 dollars"),
    ("money", "2000 USD", "a desk, at most 2k"),
    ("money", "4000 JPY", "under 4000 yen"),
    ("money", "4000 JPY", "４０００円以下"),
    ("money", "150 USD", "under one hundred fifty dollars"),
    ("number", "1.5", "1,5 Liter"),
    ("number", "2", "two of them"),
    ("count", "12", "a dozen, so 12"),
    ("text", "GameStop", "only from gamestop, please"),
    ("choice", "used", "a USED Switch"),
    ("ids", "o2", "compare 2 and 3"),
    ("money", "150 EUR", "in euros, under 150"),
    ("money", "150 USD", "unter 150"),
    ("quantities", "o1 o2", "all of them"),
    ("quantities", "3 of o1", "three of the first"),
    ("change", "cheapest first", "das billigste nach oben"),
    ("change", "only used", "nur gebrauchte"),
    ("change", "under 150 USD", "was gibt es unter 150"),
    ("change", "nothing of a list", "x"),
]
UNSAID = [
    ("money", "150 USD", "a used Switch"),
    ("money", "150 USD", "under $1500"),
    ("money", "150 USD", "under 150 euros"),
    ("money", "150 EUR", "under $150"),
    ("money", "2 USD", "2 million dollars, or 2k"),
    ("number", "2", "12 of them"),
    ("number", "5", "-5"),
    ("count", "7", "two of them"),
    ("text", "GameStop", "from gamestopper"),
    ("choice", "new", "news of it"),
    ("ids", "o3", "compare 2 of them"),
    ("money", "150 EUR", "under 150"),
    ("money", "150 CAD", "in euros, under 150"),
    ("change", "under 150 USD", "was gibt es billigeres"),
    ("change", "over 1,000 dollars", "the ones under $100"),
]


@pytest.mark.parametrize("case", [*SAID, *UNSAID])
def test_what_stands_in_their_words_is_said_and_nothing_else(case):
    assert is_said(*case) == (case in SAID)


# The words, what the model looks for by them, and the limits that they name. Every other number of theirs,
# and the same one in another currency, is none.
LIMITS = [
    ("a Switch under 150", "switch", "150"),
    ("a Switch (150 or less)", "switch", "150"),
    ("a Switch under $150", "switch", "150"),
    ("a Switch under 150USD", "switch", "150"),
    ("a Switch for 150 bucks", "switch", "150"),
    ("between 50 and 150", "switch", "50 150"),
    ("50-150", "switch", "50 150"),
    ("a desk at most 2k", "desk", "2000"),
    ("a 24 inch monitor", "24 inch monitor", ""),
    ("a 24 inch monitor under 150", "24 inch monitor", "150"),
    ("a 24-inch monitor under 150", "monitor", "150"),
    ('a 24" monitor under 150', "monitor", "150"),
    ("a 1080p monitor under 150", "monitor", "150"),
    ("a 4K-TV under 600", "tv", "600"),
    ("iphone 15 128GB under 600", "iphone 15 128GB", "600"),
    ("RTX-4070 under 600", "rtx", "600"),
    ("a Sony WH-1000XM4 under 200", "headphones", "200"),
    ("2x wicks under 10", "wicks", "10"),
    ("size #9 shoes under 80", "shoes", "80"),
    ("a 2 TB disk, 60 at most", "2TB disk 2 TB", "60"),
    ("unter 150, ein 24-Zoll-Monitor", "monitor", "150"),
    ("ein Rad bis höchstens 1.200", "fahrrad", "1200 1.2"),
    ("moins de 150", "switch", "150"),
    ("до 150", "switch", "150"),
    ("монитор 24 дюйма до 150", "монитор 24 дюйма", "150"),
    ("150以下のモニター", "モニター", "150"),
    ("150元以下的显示器", "显示器", ""),  # yuan
    ("150 이하 모니터", "모니터", "150"),
    ("१५० से कम", "switch", "150"),
    ("a Switch under 150 euros", "switch", ""),
    ("a Switch", "switch 150", ""),
    ("", "switch", ""),
]


def limits_said(words, query, candidates, before=""):
    """The numbers among *candidates* that count as a limit in dollars."""
    finds = action(Field("queries", "what"), field("money", said=True, optional=True))
    return {
        number
        for number in candidates
        if not unsaid(finds, {"queries": query, "it": f"{number} USD"}, words, before, FACTS)
    }


@pytest.mark.parametrize(("words", "query", "limits"), LIMITS)
def test_a_number_in_their_words_is_a_limit_where_it_is_no_part_of_something_else(words, query, limits):
    numbers = {*"2 4 9 10 15 20 24 40 50 60 64 80 100 128 144 150 200 500 600 1000 1080 1200 1299".split()}

    assert limits_said(words, query, numbers | {"2000", "4000", "4070", "1.2"}) == {*limits.split()}


def test_it_may_be_said_in_the_turn_before_but_for_what_they_looked_for_then():
    assert is_said("money", "150 USD", "only used ones", "a Switch under $150")
    said = limits_said("under 150", "24 inch monitor", {"24", "150"}, before="a 24 inch monitor")
    assert said == {"150"}


@pytest.mark.parametrize(("optional", "effect"), [(False, "reads"), (True, "writes"), (True, "spends")])
def test_what_nobody_said_is_refused_where_it_is_needed_or_written(optional, effect):
    tried = action(field("money", said=True, optional=optional), effect=effect)

    with pytest.raises(Unusable, match="`it` is something that the person did not say"):
        unsaid(tried, {"it": "150 USD"}, "a Switch", "", FACTS)


@pytest.mark.parametrize(
    ("wire", "words"), [("3 of o1", "the first"), ("o1 o1", "those"), ("99 x o2", "9 of them")]
)
def test_how_many_of_each_nobody_said_is_never_left_out(wire, words):
    """Nor taken: without its offers an action would take others."""
    with pytest.raises(Unusable, match="`it` is something that the person did not say"):
        unsaid(action(field("quantities", optional=True)), {"it": wire}, words, "", FACTS)


def test_texts_and_offered_ids_stay_as_they_are():
    tried = action(Field("query", "words"), Field("address", "an id", offered=True))
    arguments = {"query": "150 USD", "address": "r1"}

    assert values(tried, arguments, "", FACTS) == arguments
    assert unsaid(tried, arguments, "", "", FACTS) == []


def test_what_was_left_out_is_no_value():
    assert values(action(field("money", optional=True)), {}, "", FACTS) == {}


HOSTILE = [
    *("", " ", "\x00", "\ud800", "²", "½", "٣٤", "𝟙𝟚", "ﷺ" * 50, "9" * 100_000, "1," * 50_000),
    *("1 000 " * 20_000, "thousand " * 20_000, "may " * 20_000, "1 adult child" + " 4" * 20_000),
    *(
        "top 999 by " + "x" * 10_000,
        "\u202e051 DSU",
        "1\u200b50 USD",
        "150 USD; rm -rf ~",
        "{'a': 1}",
        "null",
    ),
    *("2027-05-13T00:00", "２０２７-０５-１３"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_written_breaks_a_kind(kind):
    """As a value, and as the words that it is held against."""
    said = []
    for wire, words in zip(HOSTILE, HOSTILE[::-1], strict=True):
        try:
            is_said(kind, wire, words)
        except Unusable as amiss:
            said.append(str(amiss))

    assert kind in ("text", "change") or len(said) > len(HOSTILE) // 4
    assert max(map(len, said)) < 400
