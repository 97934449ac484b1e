"""What a person asks of a list: held against another reckoning, on random lists."""

from decimal import Decimal
from itertools import pairwise

import pytest

from jarvis.core.errors import UsageError
from jarvis.core.follow_ups import apply_follow_up, leading
from jarvis.core.money import Money
from jarvis.core.tables import COST, MONEY, Check, Column, FollowUp, Rating, Row, Table
from tests.tabled import COLUMNS, dollars, product, random_table

SEEDS = range(15)


def ids(table):
    return [row.id for row in table.rows]


def cells(table, key):
    return [row.cells[key] for row in table.rows]


def check_sorted(before, after, value, *, falling=False):
    """Hold *after* against what is asked of a stable sort with what is unknown last."""
    assert sorted(ids(before)) == sorted(ids(after))
    places = {name: place for place, name in enumerate(ids(before))}
    for one, two in pairwise(after.rows):
        first, second = value(one), value(two)
        if first is None or second is None:
            assert second is None
        if first == second:
            assert places[one.id] < places[two.id]
        elif first is not None and second is not None:
            assert (first > second) if falling else (first < second)


SORTS = [
    (FollowUp("cheapest"), "price", False),
    (FollowUp("dearest"), "price", True),
    (FollowUp("newest"), "day", True),
    *((FollowUp("sort", f" {each.label.upper()} "), each.key, each.key == "rating") for each in COLUMNS),
    *((FollowUp("sort", each.key, falling=way), each.key, way) for each in COLUMNS for way in (False, True)),
]


@pytest.mark.parametrize(("asked", "key", "falling"), SORTS)
def test_a_list_is_sorted_by_any_of_its_columns(asked, key, falling):
    def value(row):
        cell = row.cells[key]
        if isinstance(cell, Rating):
            return cell.value, cell.raters or 0
        if isinstance(cell, Money):
            return cell.amount
        return cell.replace("\x1b[1m", "").casefold() if isinstance(cell, str) else cell

    for table in map(random_table, SEEDS):
        check_sorted(table, apply_follow_up(table, asked), value, falling=falling)


def test_a_rating_is_drawn_to_the_mean_by_how_few_rated():
    rows = [
        product("o1", "by one", rating=Rating(Decimal(5), 1)),
        product("o2", "by many", rating=Rating(Decimal("4.7"), 812)),
        product("o3", "by some", rating=Rating(Decimal("4.1"), 700)),
        product("o4", "by nobody"),
    ]

    after = apply_follow_up(Table("product", COLUMNS, tuple(rows)), FollowUp("best rated"))
    assert ids(after) == ["o2", "o1", "o3", "o4"]


def test_a_limit_holds_and_each_row_that_goes_has_its_reason():
    rows = [product(f"o{n}", "Near", cost) for n, cost in enumerate(("5.00", "5.01", None), 1)]
    rows.append(product("o4", "Far", price=Money(Decimal(3), "JPY")))
    table = Table("product", COLUMNS, tuple(rows), left_out={"over 5.00 USD": 4, "new": 2})
    limit = {"amount": Decimal("5.00"), "currency": "USD"}

    under = apply_follow_up(table, FollowUp("under", **limit))
    assert ids(under) == ["o1"]
    assert under.left_out == {"over 5.00 USD": 5, "new": 2, "without a price": 1, "in JPY": 1}
    assert ids(apply_follow_up(table, FollowUp("over", **limit))) == ["o1", "o2"]


ODD = Table(
    "product",
    COLUMNS,
    (
        product("o1", "New case for a Switch", "10.00", state="used", store="eBay", delivery=dollars("0")),
        product("o2", "Switch", "20.00", state="new", store="eBay UK"),
        product("o3", "スイッチ本体", "30.00", state="New", store="メルカリ店", delivery=dollars("4.00")),
        product("o4", "Renewed Switch", None, state=None, store="Back Market"),
    ),
)


@pytest.mark.parametrize(
    ("word", "left"), [("new", ["o2", "o3"]), ("used", ["o1"]), ("EBAY", ["o1"]), ("本体", ["o3"])]
)
def test_only_a_word(word, left):
    after = apply_follow_up(ODD, FollowUp("only", word))

    assert (ids(after), after.left_out) == (left, {f"not {word.lower()}": 4 - len(left)})


def test_unknown_delivery_is_not_free():
    after = apply_follow_up(ODD, FollowUp("free delivery"))

    assert (ids(after), after.left_out) == (["o1"], {"with paid delivery": 1, "of unknown delivery": 2})


def test_the_first_few_and_the_pages():
    table = Table("product", COLUMNS, tuple(product(f"o{n}", "Thing") for n in range(1, 26)))

    more = apply_follow_up(table, FollowUp("more"))
    assert [row.id for row in more.page] == [f"o{n}" for n in range(11, 21)]
    last = apply_follow_up(more, FollowUp("more"))
    assert [row.id for row in last.page] == [f"o{n}" for n in range(21, 26)]
    assert apply_follow_up(more, FollowUp("sort", "product")).start == 0

    twelve = apply_follow_up(table, FollowUp("first", number=12))
    assert (len(twelve.page), twelve.left_out) == (12, {"beyond the first 12": 13})
    assert ids(apply_follow_up(table, FollowUp("first", number=99))) == ids(table)


def test_sums_below_the_rows_go_once_rows_do():
    foot = (Row("", {"title": "total"}),)

    added_up = ODD._replace(foot=foot, checks=(Check("sums", is_met=True, finding="sums"),))
    for verb, still in (("cheapest", (added_up.foot, added_up.checks)), ("only", ((), ()))):
        after = apply_follow_up(added_up, FollowUp(verb, "new"))
        assert (after.foot, after.checks) == still


def test_the_leaders_are_those_of_which_it_is_known():
    assert [row.id for row in leading(ODD, FollowUp("dearest"), 9)] == ["o3", "o2", "o1"]
    rated = ODD._replace(rows=(*ODD.rows, product("o5", "x", rating=Rating(Decimal("4.0")))))
    assert [row.id for row in leading(rated, FollowUp("best rated"), 3)] == ["o5"]
    with pytest.raises(UsageError, match="amounts in USD and JPY"):
        leading(TWO, FollowUp("cheapest"))
    with pytest.raises(UsageError, match="not known of anything"):
        leading(ODD, FollowUp("best rated"))


def test_the_cheapest_is_by_the_total_where_there_is_one():
    columns = (*COLUMNS, Column("total", "total", MONEY, means=COST))
    one = product("o1", "One", "1.00", total=dollars("9.00"), delivery=dollars("8.00"))
    two = product("o2", "Two", "2.00", total=dollars("2.00")._replace(basis="from"), delivery=None)

    assert leading(Table("offer", columns, (one, two)), FollowUp("cheapest")) == (two,)


TWO = Table(
    "product",
    COLUMNS,
    (product("o1", "One", "1.00"), product("o2", "Two", None, price=Money(Decimal(90), "JPY"))),
)


@pytest.mark.parametrize(
    ("table", "asked", "message"),
    [
        (ODD, FollowUp("sort", "colour\x1b[1m"), "no column “colour”, but these: product, price, state"),
        (ODD, FollowUp("dance\x1b[1m"), "by “dance”"),
        *(
            (ODD, FollowUp("only", word), "Nothing in the list says")
            for word in ("renew", "", " \x1b[1m", ".*")
        ),
        (TWO, FollowUp("under", amount=Decimal(5)), "prices in USD and JPY. Which limit"),
        (ODD._replace(columns=COLUMNS[:1]), FollowUp("cheapest"), "no prices"),
        (ODD._replace(columns=COLUMNS[:1]), FollowUp("best rated"), "no ratings"),
    ],
)
def test_what_a_list_has_not_is_said(table, asked, message):
    with pytest.raises(UsageError, match=message) as caught:
        apply_follow_up(table, asked)
    assert caught.value.message.isprintable()
