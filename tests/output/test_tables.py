"""Tables of what was found are readable at every width, whatever strangers call their goods."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pyte
import pytest
from wcwidth import wcswidth, wcwidth

from jarvis.core.tables import (
    DELIVERY,
    MONEY,
    NUMBER,
    RATING,
    TEXT,
    Check,
    Column,
    Price,
    Rating,
    Row,
    Table,
)
from jarvis.output.runs import printed
from jarvis.output.tables import laid_out, remarks
from tests.tabled import COLUMNS, HOSTILE, dollars, hostile, product, random_table

FOUND = Table(
    "product",
    COLUMNS[:6],
    (
        product(
            "o3",
            "Nintendo Switch 32GB neon, V2",
            "129.00",
            state="used",
            store="GameStop",
            rating=Rating(dollars("4.7").amount, 812),
            delivery=dollars("5.99"),
        ),
        product("o1", "Nintendo Switch V1, console only", "98.50", state="used", store="eBay"),
        product(
            "o9",
            "Nintendo Switch grey",
            state="refurbished",
            store="Back Market",
            rating=Rating(dollars("4.5").amount, 96),
            delivery=dollars("0"),
        ),
    ),
    left_out={"over 150.00 USD": 9, "new": 8},
    note="US prices before sales tax, seen 14:02",
)


def shown(table, width, **how):
    return "\n".join(printed(line, colour=False) for line in laid_out(table, width, **how))


def test_a_table_looks_like_this():
    assert (
        shown(FOUND, 80)
        == """\
 #  product                           price  state        store           rating
 1  Nintendo Switch 32GB neon, V2   $129.00  used         GameStop     4.7 (812)
 2  Nintendo Switch V1, console o…   $98.50  used         eBay                 -
 3  Nintendo Switch grey                  -  refurbished  Back Market   4.5 (96)
3 of 20. Left out: 9 over $150.00, 8 new."""
    )
    assert remarks(FOUND, 80) == [
        "US prices before sales tax, seen 14:02 · also: delivery; at 83 columns",
        "jarvis open 1",
    ]
    assert shown(FOUND, 83).splitlines()[0].endswith("delivery")


def test_below_56_columns_each_row_is_a_block():
    assert (
        shown(FOUND, 55, first=9)
        == """\
 9 Nintendo Switch 32GB neon, V2
   $129.00 · used · GameStop · 4.7 (812)
   delivery $5.99
10 Nintendo Switch V1, console only
   $98.50 · used · eBay · delivery unknown
11 Nintendo Switch grey
   refurbished · Back Market · 4.5 (96) · delivery free
3 of 20. Left out: 9 over $150.00, 8 new."""
    )
    assert shown(FOUND, 56).startswith(" #  product")
    assert remarks(FOUND, 55) == ["US prices before sales tax, seen 14:02 · jarvis open 1"]


WIDTHS = range(30, 221)


def wide(text):
    """The columns that *text* takes, by another reckoning than the program's; one by one and as a whole."""
    assert re.sub("[\u200c\u200d]", "", text).isprintable(), ascii(text)
    return {sum(map(wcwidth, text)), wcswidth(text)}


@pytest.mark.parametrize("count", [2, 12])
@pytest.mark.slow
def test_no_line_is_too_wide_and_none_steers_the_terminal(count):
    table = hostile(count)
    for width in WIDTHS:
        lines = [*shown(table, width).split("\n"), *remarks(table, width)]
        assert max(columns for line in lines for columns in wide(line)) <= width


def test_no_title_paints_over_other_lines():
    assert "e" + "\u0301" * 4 in shown(hostile(6), 80)
    assert "\u0301" * 5 not in shown(hostile(6), 80)


@pytest.mark.slow
def test_numbers_stand_under_their_heads():
    table = hostile(7)
    prices = [row.cells["price"] for row in table.page]
    for width in range(56, 221):
        head, *lines = shown(table, width).split("\n")
        end = wide(head[: head.index("price") + len("price")])
        for price, line in zip(prices, lines, strict=False):
            if "हि" in line:  # terminals disagree on its signs, and nothing can be done about that
                continue
            told = "-" if price is None else price.money.told if isinstance(price, Price) else price.told
            assert end in [wide(line[:at]) for at in ends_of(told, line)], line


def ends_of(told, line):
    return [at + len(told) for at in range(len(line)) if line.startswith(told, at)]


@pytest.mark.parametrize("width", [30, 55, 56, 80, 200])
def test_on_a_screen_nothing_wraps(width):
    table = hostile(12)
    lines = laid_out(table, width)
    screen = pyte.Screen(width, len(lines) + 1)
    pyte.Stream(screen).feed("\r\n".join(printed(line, colour=True) for line in lines))

    assert screen.cursor.y == len(lines) - 1
    assert [line.rstrip() for line in screen.display[1:]] != []
    assert screen.buffer[0][1].bold is True


def test_a_column_in_which_nothing_is_known_is_left_out():
    rows = (product("o1", "One", "1.00", rating=None, store=""), product("o2", "Two", "2.00"))

    assert shown(Table("product", COLUMNS, rows), 80).splitlines()[0] == " #  product  price"


@pytest.mark.slow
def test_the_highest_rank_goes_first_and_rank_0_never():
    for seed in range(5):
        table = random_table(seed)._replace(end=40)
        least = needed(table)
        for width in range(56, 221):
            head = shown(table, width).splitlines()[0].split()
            ranks = [column.rank for column in table.columns if column.label in head]
            assert ranks.count(0) == 2
            assert sorted(ranks) == [0, *range(len(ranks) - 1)]
            gone = [column.label for column in table.columns if column.label not in head]
            said = f"also: {', '.join(gone)}; at {least} columns" if gone else ""
            told = " ".join(remarks(table, width))
            assert said in told
            assert ("also" in told) is bool(gone)


def needed(table):
    """The least width at which all columns stand there."""
    return next(w for w in range(56, 400) if not any("also" in line for line in remarks(table, w)))


def test_where_rank_0_alone_has_no_room_each_row_is_a_block():
    columns = [Column(f"n{n}", f"number {n}", NUMBER, 0) for n in range(8)]
    row = Row("o1", {column.key: dollars("12345678").amount for column in columns})
    lines = shown(Table("odd", (Column("title", "title", TEXT, 0), *columns), (row,)), 60).splitlines()

    assert " 1 number 0 12,345,678" in lines[0]
    assert "number 7 12,345,678" in lines[-1]


def test_ten_rows_stand_there_then_the_next():
    rows = tuple(product(f"o{n}", f"Thing {n}", "1.00") for n in range(1, 26))
    table = Table("product", COLUMNS, rows)

    first = shown(table, 80).splitlines()
    assert (first[1].split()[:3], first[10].split()[:3]) == (["1", "Thing", "1"], ["10", "Thing", "10"])
    assert first[11:] == ["Lines 1 to 10, of 25 in all."]
    assert remarks(table, 80) == ["jarvis more · jarvis open 1"]

    last = table._replace(start=20, end=30)
    assert shown(last, 80, first=4).splitlines()[1:2] == ["24  Thing 21  $1.00"]
    assert shown(last, 80, first=4).splitlines()[-1] == "Lines 24 to 28, of 25 in all."
    assert remarks(last, 80, first=4) == ["jarvis open 24"]


def test_a_list_with_nothing_left_says_why():
    assert shown(FOUND._replace(rows=()), 80) == "Nothing is left of 17 lines: 9 over $150.00, 8 new."
    assert shown(FOUND._replace(rows=(), left_out={}), 80) == "Nothing was found."


def test_a_foot_stands_below_the_rows_without_a_number():
    foot = Row("", {"title": "total, without tax", "price": Price(dollars("253.98"), "from")})
    lines = shown(FOUND._replace(foot=(foot,), left_out={}), 80).splitlines()

    assert lines[-1].split() == ["total,", "without", "tax", "from", "$253.98"]
    assert lines[-1].index("$253.98") + 7 == lines[0].index("price") + 5


def test_below_56_columns_sums_stand_below_each_other_beside_their_names():
    feet = ("total, without tax", Price(dollars("253.98"), "from")), ("budget", dollars("300"))
    foot = tuple(Row("", {"title": name, "price": cell}) for name, cell in feet)
    table = FOUND._replace(foot=foot, left_out={})

    assert shown(table, 40).splitlines()[-2:] == [
        "   total, without tax  from $253.98",
        "   budget                   $300.00",
    ]
    assert shown(table, 30).splitlines()[-3:] == [
        "   total, without tax",
        "                  from $253.98",
        "   budget              $300.00",
    ]


def test_no_unknown_amount_is_told_as_0_or_free():
    rows = (product("o1", "One", "1.00", delivery=dollars("0")), product("o2", "Two", delivery=None))
    columns = (Column("title", "title"), Column("price", "price", MONEY), Column(DELIVERY, "delivery", MONEY))

    assert [line.split()[2:] for line in shown(Table("product", columns, rows), 80).splitlines()[1:]] == [
        ["$1.00", "free"],
        ["-", "unknown"],
    ]


def test_best_rated_says_how_it_is_meant():
    told = " ".join(remarks(FOUND._replace(order="best rated"), 80))
    assert "best rated, counting how many rated" in told
    assert RATING in {column.kind for column in FOUND.columns}


def test_when_it_was_seen_is_told_by_the_clock_here():
    now = datetime.now().astimezone()
    long_ago = datetime(2026, 1, 2, 13, 2, 10, tzinfo=UTC)
    for at, told in ((now, f"{now:%H:%M}"), (long_ago, f"{long_ago.astimezone():%Y-%m-%d %H:%M}")):
        table = Table("product", COLUMNS, (), note="Abroad.", seen_at=at.astimezone(UTC).isoformat())
        assert remarks(table, 80) == [f"Abroad · seen {told}"]


def test_how_to_open_is_told_of_a_line_that_has_a_page():
    rows = (product("o1", "One", "1.00")._replace(url=""), product("o2", "Two", "2.00"))

    assert remarks(Table("product", COLUMNS, rows), 80, first=3) == ["jarvis open 4"]
    assert remarks(Table("product", COLUMNS, rows[:1]), 80) == []


CHECKS = (
    Check("offers", True, "prices as found, seen now"),
    Check("sums", True, ""),
    Check("delivery", None, "delivery of 3 unknown", is_hard=False),
    Check("return", False, "return: $1,840.00, 3.0 times the price of the way out"),
)


def test_checks_stand_below_it_beside_each_other():
    lines = shown(FOUND._replace(checks=CHECKS, left_out={}), 80).splitlines()[4:]

    assert lines == [
        "✓ prices as found, seen now   ✓ sums   ! delivery of 3 unknown",
        "✗ return: $1,840.00, 3.0 times the price of the way out",
    ]


@pytest.mark.parametrize("width", [30, 40, 55, 80, 220])
def test_no_line_of_checks_is_too_wide_and_none_steers(width):
    checks = [Check(f"c{n}", met, title) for n, title in enumerate(HOSTILE) for met in (True, False, None)]
    lines = shown(FOUND._replace(checks=(*CHECKS, *checks)), width).splitlines()

    assert max(columns for line in lines for columns in wide(line)) <= width
