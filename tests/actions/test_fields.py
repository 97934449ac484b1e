"""What a model may write into a field, what becomes of it, and what it is told where it can't be read."""

from contextlib import nullcontext
from decimal import Decimal

import pytest

from jarvis.actions.base import Action, Field
from jarvis.actions.fields import KINDS, unstated_fields, values
from jarvis.core.errors import Unusable
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


def read(kind, wire, facts=FACTS):
    return values(action(field(kind)), {"it": wire}, facts)["it"]


def is_said(kind, wire, words, before="", facts=FACTS):
    own = action(field(kind, stated=True, optional=True))
    return unstated_fields(own, {"it": wire}, words, before, facts) == []


def usd(amount):
    return Money(Decimal(amount), "USD")


GOOD = [
    ("choice", "used", "used"),
    ("choice", " REFURBISHED ", "Refurbished"),
    ("money", "150 USD", usd(150)),
    ("money", "$150", usd(150)),
    ("money", "€1.299,00", Money(Decimal("1299.00"), "EUR")),
    ("money", "4000 yen", Money(Decimal(4000), "JPY")),
    ("quantities", "3, 1", ("o3", "o1")),
    ("quantities", "[o12] and O2", ("o12", "o2")),
    ("quantities", "cheapest", ("o2",)),
    ("quantities", "top 2 by price", ("o2", "o1")),
    ("quantities", "top 2 by rating", ("o1", "o2")),
    ("quantities", "best rated", ("o1",)),
    ("quantities", "o3 o3 2", ("o3", "o3", "o2")),
    ("quantities", "2 of 3, o1", ("o3", "o3", "o1")),
    ("quantities", "2x o3 and O1 × 3", ("o3", "o3", "o1", "o1", "o1")),
    ("quantities", "3 of o12", ("o12",) * 3),
]
BAD = [
    ("choice", "broken", "`broken` is not one of: new, used, Refurbished"),
    ("money", "cheap", "`cheap` is no amount of money: write it with its currency, as 150 USD"),
    ("money", "0 USD", "is no amount"),
    ("money", "150 XYZ", "is no amount"),
    ("money", "2 million USD", "is no amount"),
    ("quantities", "2 of o77", "`o77` is no offer of this thread"),
    ("quantities", "60 of o3, 60 of o3", "`o3` is wanted more than 99 times"),
    ("quantities", " ".join(MANY[:11]), "it names 11 offers: name 10 at most"),
    ("quantities", "o99", "`o99` is no offer of this thread: name ids as they stand, as o3 o7"),
    ("quantities", "newest", "The list does not say how new anything is."),
    ("quantities", "top 3 by weight", "The list has no column “weight”"),
]


@pytest.mark.parametrize(("kind", "wire", "value"), GOOD)
def test_what_the_model_writes_becomes_a_value(kind, wire, value):
    found = read(kind, wire)

    assert (found, isinstance(found, type(value))) == (value, True)


@pytest.mark.parametrize(("kind", "wire", "why"), BAD)
def test_what_cannot_be_read_is_told_so_that_it_can_be_mended(kind, wire, why):
    with pytest.raises(Unusable) as problem:
        read(kind, wire)

    assert str(problem.value).startswith("`it`: ")
    assert why in str(problem.value)


@pytest.mark.parametrize(
    ("wire", "country", "currency", "value"),
    [
        ("$150", "ca", "", "150.00 CAD"),
        ("150", "at", "", "150.00 EUR"),
        ("$150", "at", "AUD", "150.00 AUD"),
        ("1.299", "at", "EUR", "1299.00 EUR"),
        ("¥500", "", "", None),
        ("150", "", "", None),
    ],
)
def test_what_a_sign_means_is_said_by_the_currency_that_prices_are_asked_in(wire, country, currency, value):
    with nullcontext() if value else pytest.raises(Unusable, match="is no amount of money"):
        assert read("money", wire, FACTS._replace(country=country, currency=currency)).serialized == value


SAID = [
    ("money", "150 USD", "under $150.00"),
    ("money", "1299 EUR", "up to €1.299,00"),
    ("money", "1299 USD", "up to 1 299 dollars"),
    ("money", "4000 JPY", "under 4000 yen"),
    ("money", "4000 JPY", "４０００円以下"),
    ("money", "50 USD", "under fifty dollars"),
    ("text", "GameStop", "only from gamestop, please"),
    ("choice", "used", "a USED Switch"),
    ("money", "150 EUR", "in euros, under 150"),
    ("money", "150 USD", "only used ones", "a Switch under $150"),  # in the turn before
    ("quantities", "o1 o2", "all of them"),
    ("quantities", "3 of o1", "three of the first"),
    ("change", "cheapest first", "das billigste nach oben"),
    ("change", "only used", "nur gebrauchte"),
    ("change", "under 150 USD", "was gibt es unter 150"),
    ("change", "nothing of a list", "x"),
]
UNSAID = [
    ("money", "150 USD", "a used Switch"),
    ("money", "150 EUR", "under $150"),
    ("money", "2 USD", "2 million dollars, or 2k"),
    ("text", "GameStop", "from gamestopper"),
    ("choice", "new", "news of it"),
    ("money", "150 EUR", "under 150"),
    ("money", "150 CAD", "in euros, under 150"),
    ("change", "under 150 USD", "was gibt es billigeres"),
    ("change", "over 1,000 dollars", "the ones under $100"),
]


@pytest.mark.parametrize("case", [*SAID, *UNSAID])
def test_what_stands_in_their_words_is_said_and_nothing_else(case):
    assert is_said(*case) == (case in SAID)


# The words, and the limits that they name. Every other number of theirs is a part of something else, or in
# another currency.
LIMITS = [
    ("a Switch under 150", "150"),
    ("a Switch (150 or less)", "150"),
    ("a Switch under 150USD", "150"),
    ("50-150", "50 150"),
    ("a desk at most 2k", "2000"),
    ("a 24-inch monitor under 150", "150"),
    ("a 1080p monitor under 150", "150"),
    ("a 4K-TV under 600", "600"),
    ("RTX-4070 under 600", "600"),
    ("a Sony WH-1000XM4 under 200", "200"),
    ("2x wicks under 10", "10"),
    ("size #9 shoes under 80", "80"),
    ("100% wool for 80", "80"),
    ("unter 150, ein 24-Zoll-Monitor", "150"),
    ("ein Rad bis höchstens 1.200", "1200 1.2"),
    ("pour le 150 et moins", "150"),
    ("150以下のモニター", "150"),
    ("150元以下的显示器", ""),  # yuan
    ("150 이하 모니터", "150"),
    ("१५० से कम", "150"),
    ("a Switch under 150 euros", ""),
    ("", ""),
]
NUMBERS = "1.2 2 4 9 10 24 50 80 100 128 150 200 600 1000 1080 1200 2000 4000 4070".split()


@pytest.mark.parametrize(("words", "limits"), LIMITS)
def test_a_number_in_their_words_is_a_limit_where_it_is_no_part_of_something_else(words, limits):
    assert [each for each in NUMBERS if is_said("money", f"{each} USD", words)] == sorted(
        limits.split(), key=NUMBERS.index
    )


@pytest.mark.parametrize(
    ("words", "before", "query", "limits"),
    [
        ("a 24 inch monitor under 150", "", "24 inch monitor", ["150"]),
        ("under 150", "a 24 inch monitor", "24 inch monitor", ["150"]),
        ("монитор 24 дюйма до 150", "", "монитор 24 дюйма", ["150"]),
        ("the 24 inch one for 24", "", "24 inch monitor", ["24"]),
    ],
)
def test_a_number_that_is_looked_for_is_no_limit(words, before, query, limits):
    finds = action(Field("queries", "what"), field("money", stated=True, optional=True))
    plans = {each: {"queries": query, "it": f"{each} USD"} for each in ("24", "150")}

    unstated = {each: unstated_fields(finds, plan, words, before, FACTS) for each, plan in plans.items()}
    assert [each for each in plans if not unstated[each]] == limits


DATES = """
12 May|12th May|12th of May|the 12th|May 12|May 12th|May the 12th|may 12, 2027|12 May 2027|12. Mai 2027
Sept. 12|12-May-2027|12 MAY 2027|2027-05-12|2027-12-05|2027-05-12T12:12|12/5|5/12/2027|12.5.2027|12.05.27
12:30|12 May '12|el 12 de mayo de 2027|le 12 février|2027/12
"""


@pytest.mark.parametrize("written", DATES.strip().replace("\n", "|").split("|"))
def test_digits_of_a_date_are_no_number_and_those_beside_it_are(written):
    for words in (f"bought AAPL on {written} at 7", f"{written}: 7 of them", f"7 for me, {written}"):
        numbers = ("7", "12", "5", "27", "2027")
        assert [each for each in numbers if is_said("number", each, words)] == ["7"]
        assert [each for each in numbers if is_said("money", f"{each} USD", words)] == ["7"]


@pytest.mark.parametrize(
    "words", ["12 MAR at 240", "may $12 do", "in May 12 shares", "at $12.", "12 o'clock"]
)
def test_a_number_beside_a_word_that_may_be_a_month_stays_one(words):
    assert is_said("money", "12 USD", words)


UNSAID_AND_NEEDED = [
    ("money", {"optional": False}, "reads", "150 USD", "a Switch"),
    ("money", {}, "writes", "150 USD", "a Switch"),
    ("money", {}, "spends", "150 USD", "a Switch"),
    # Without its offers an action would take others.
    ("quantities", {"stated": False}, "reads", "3 of o1", "the first"),
    ("quantities", {"stated": False}, "reads", "o1 o1", "those"),
    ("quantities", {"stated": False}, "reads", "99 x o2", "9 of them"),
    ("quantities", {"stated": False}, "reads", "12 of o1", "the first, by 12 May"),
]


@pytest.mark.parametrize(("kind", "more", "effect", "wire", "words"), UNSAID_AND_NEEDED)
def test_what_nobody_said_is_refused_where_it_can_not_be_left_out(kind, more, effect, wire, words):
    tried = action(field(kind, **{"stated": True, "optional": True, **more}), effect=effect)

    with pytest.raises(Unusable, match="`it` is something that the person did not say"):
        unstated_fields(tried, {"it": wire}, words, "", FACTS)


def test_texts_and_offered_ids_stay_as_they_are_and_what_was_left_out_is_no_value():
    fields = Field("query", "words"), Field("address", "an id", offered=True), field("money", optional=True)
    arguments = {"query": "150 USD", "address": "r1"}

    assert values(action(*fields), arguments, FACTS) == arguments
    assert unstated_fields(action(*fields), arguments, "", "", FACTS) == []


HOSTILE = [
    *("", " ", "\x00", "\ud800", "²", "½", "٣٤", "𝟙𝟚", "ﷺ" * 50, "9" * 100_000, "1," * 50_000),
    *(
        "1 000 " * 20_000,
        "thousand " * 20_000,
        "top 999 by " + "x" * 10_000,
        "\u202e051 DSU",
        "1\u200b50 USD",
    ),
    *("150 USD; rm -rf ~", "{'a': 1}", "null", "２０２７-０５-１３"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_written_breaks_a_kind(kind):
    """As a value, and as the words that it is held against."""
    refused = []
    for wire, words in zip(HOSTILE, HOSTILE[::-1], strict=True):
        try:
            is_said(kind, wire, words)
        except Unusable as error:
            refused.append(str(error))

    assert (kind in ("text", "change", "place")) is not (len(refused) > len(HOSTILE) // 2)
    assert max(map(len, refused), default=0) < 400
