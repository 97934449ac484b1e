"""Tables of what was found are readable at every width, whatever strangers call their goods."""

import csv
import io
import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from wcwidth import wcswidth, wcwidth

from jarvis.core.events import TableShown
from jarvis.core.tables import CHANGE, DATE, EXTRA, MONEY, PERCENT, TEXT, Check, Column, Rating, Row, Table
from jarvis.output.grid import laid_out
from jarvis.output.screen import Screen
from jarvis.output.tables import comma_separated, show_table, tab_separated
from jarvis.packs.portfolio.show_performance import draw_line
from tests.tabled import COLUMNS, HOSTILE, dollars, hostile, product

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
    return laid_out(table, width, **how)


def remarks(table, first=1):
    """What stands on stderr of a terminal of 80 columns."""
    err = io.StringIO()
    screen = Screen({"NO_COLOR": "1"}, io.StringIO(), io.StringIO(), err)
    screen.out_tty = screen.err_tty = True
    show_table(screen, TableShown(table, first))
    return err.getvalue().splitlines()


WIDTHS = [*range(30, 100, 7), 220]


def wide(text):
    """The columns that *text* takes, by another reckoning than the program's.

    Terminals disagree on the vowel signs of India: the least of what they take counts.
    """
    assert re.sub("[\u200c\u200d]", "", text).isprintable(), ascii(text)
    return min(sum(map(wcwidth, text)), wcswidth(text))


@pytest.mark.parametrize("count", [2, 12])
def test_no_line_is_too_wide_and_none_steers_the_terminal(count):
    checks = tuple(Check("x", None, title) for title in HOSTILE if title)
    table = hostile(count)._replace(checks=checks)
    for width in WIDTHS:
        text = shown(table, width)
        assert max(map(wide, text.split("\n"))) <= width
        assert "\u0301" * 4 in text  # no mark paints over other lines
        assert "\u0301" * 5 not in text


def test_a_name_has_two_lines_and_what_is_longer_is_cut():
    long = product("o1", "A lantern of brass with a wick, a globe of glass, a handle and a name", "9.00")
    lines = shown(Table("product", COLUMNS, (long, product("o2", "Short", "12.50"))), 40 + 20)

    assert lines.splitlines() == [
        " #  product                                            price",
        " 1  A lantern of brass with a wick, a globe of         $9.00",
        "    glass, a handle and a name",
        " 2  Short                                             $12.50",
    ]
    assert "globe of glass, a…" in " ".join(shown(Table("product", COLUMNS, (long,)), 30).split())


def test_it_stays_a_table_at_50_columns_with_what_matters():
    heads = [shown(FOUND, width).splitlines()[0].split() for width in (50, 49)]

    assert heads[0] == ["#", "product", "price", "store"]
    assert heads[1][0] == "1"


def test_no_unknown_amount_is_told_as_0_or_free():
    rows = (product("o1", "One", "1.00", delivery=dollars("0")), product("o2", "Two", delivery=None))
    columns = (
        Column("title", "title"),
        Column("price", "price", MONEY),
        Column("delivery", "delivery", MONEY, means=EXTRA),
    )

    assert [line.split()[2:] for line in shown(Table("product", columns, rows), 80).splitlines()[1:]] == [
        ["$1.00", "free"],
        ["-", "unknown"],
    ]


def test_when_it_was_seen_is_told_by_the_clock_here_unless_that_was_just_now():
    now = datetime.now().astimezone()
    long_ago = datetime(2026, 1, 2, 13, 2, 10, tzinfo=UTC)
    for at, told in ((now, ""), (long_ago, f" · seen {long_ago.astimezone():%Y-%m-%d %H:%M}")):
        table = Table("product", COLUMNS, (), note="Abroad.", seen_at=at.astimezone(UTC).isoformat())
        assert remarks(table) == [f"Abroad{told}"]


CHECKS = (
    Check("offers", True, "prices as found, seen now"),
    Check("sums", True, ""),
    Check("delivery", None, "delivery of 3 unknown", is_hard=False),
    Check("return", False, "return: $1,840.00, 3.0 times the price of the way out"),
)


def test_what_an_amount_is_stands_beside_it():
    row = Row("o1", {"title": "-", "price": dollars("5.00")._replace(basis="from")})
    table = Table("product", (Column("title", "title", TEXT), Column("price", "price", MONEY)), (row,))

    assert list(tab_separated(table)) == ["1\t'-\tfrom 5.00 USD\t"]
    assert [*csv.reader(comma_separated(table))][1] == ["1", "'-", "5.00", "USD", "from", ""]


@pytest.mark.parametrize("write", [tab_separated, comma_separated])
def test_each_row_is_one_line_with_as_many_fields_as_any(write):
    lines = list(write(hostile()))
    assert all(re.sub("[\t\u200c\u200d]", "", line).isprintable() for line in lines)
    rows = [line.split("\t") for line in lines] if write is tab_separated else [*csv.reader(lines)]

    assert len(rows) == len(hostile().rows) + (write is comma_separated)
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("before", ["", " ", "\t", "\r\n", "\x1b[0m", "\u200b", "\x00"])
def test_no_text_is_run_as_a_formula(before):
    for sign in "=+-@＝＋－＠":
        row = Row("o1", {"title": f"{before}{sign}cmd()"}, url=f"{before}{sign}x")
        table = Table("product", (Column("title", "title"),), (row,))
        *_, fields = csv.reader(comma_separated(table))
        assert fields == ["1", f"'{sign}cmd()", f"'{sign}x"] == next(tab_separated(table)).split("\t")


def test_a_pipe_has_the_rest_of_the_list_not_a_page_of_it():
    rows = tuple(product(f"o{n}", f"Thing {n}") for n in range(1, 26))
    table = Table("product", COLUMNS, rows)

    assert len(list(tab_separated(table))) == 25
    last = [line.split("\t")[0] for line in tab_separated(table._replace(start=20, end=30), first=4)]
    assert last == ["24", "25", "26", "27", "28"]


def performance(figures):
    columns = (
        Column("point", "gain", TEXT, 0),
        Column("day", "day", DATE),
        Column("percent", "in percent", PERCENT, 0, CHANGE),
    )
    lowest, highest = (figures.index(end(figures)) for end in (min, max))
    ends = {"first": 0, "last": -1, "lowest": lowest, "highest": highest}
    rows = [
        Row("", {"point": name, "day": f"2026-01-{at % len(figures) + 1:02}", "percent": figures[at]})
        for name, at in ends.items()
    ]
    return Table("performance", columns, tuple(rows), foot=(Row("", {"point": draw_line(figures)}),))


def test_a_performance_is_a_chart_across_the_width_and_one_line_on_a_narrow_terminal():
    table = performance([Decimal(n) for n in (0, 2, 6, 7, 3, 1)])

    wide = shown(table, 60).splitlines()[5:]
    assert wide[0].startswith("+7 % ┤")
    assert [line[5] for line in wide] == [*"┤││││││┤└ "]
    assert wide[7].startswith(" 0 % ┤─")
    assert wide[9].split() == ["2026-01-01", "0", "%", "2026-01-06", "+1", "%"]
    assert {len(line) for line in wide[8:]} == {60}
    narrow = shown(table, 59).splitlines()[5:]
    assert [set(line) for line in narrow] == [set("▁▃▇█▄▂")]


def test_gains_are_green_and_losses_red_beside_their_signs():
    text = shown(performance([Decimal(n) for n in (-1, 2)]), 80, color=True)

    assert re.search(r"\x1b\[38;5;29m *\+2 %\x1b\[0m", text)
    assert re.search(r"\x1b\[38;5;131m *-1 %\x1b\[0m", text)
