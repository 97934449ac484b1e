"""Tables for programs that read lines."""

from __future__ import annotations

import csv
import re

import pytest

from jarvis.core.tables import MONEY, TEXT, Column, Price, Row, Table
from jarvis.output.separated import comma_separated, tab_separated
from tests.tabled import COLUMNS, dollars, hostile, product


def test_what_an_amount_is_stands_beside_it():
    row = Row("o1", {"title": "-", "price": Price(dollars("5.00"), "from")})
    table = Table("product", (Column("title", "title", TEXT), Column("price", "price", MONEY)), (row,))

    assert list(tab_separated(table)) == ["1\t-\tfrom 5.00 USD\t"]
    assert [*csv.reader(comma_separated(table))][1] == ["1", "'-", "5.00", "USD", "from", ""]


@pytest.mark.parametrize("write", [tab_separated, comma_separated])
def test_each_row_is_one_line_with_as_many_fields_as_any(write):
    lines = list(write(hostile()))
    assert all(re.sub("[\t\u200c\u200d]", "", line).isprintable() for line in lines)
    rows = [line.split("\t") for line in lines] if write is tab_separated else [*csv.reader(lines)]

    assert len(rows) == len(hostile().rows) + (write is comma_separated)
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize("before", ["", " ", "\t", "\r\n", "\x1b[0m", "\u200b", "\x00"])
def test_no_text_is_run_as_a_formula(sign, before):
    row = Row("o1", {"title": f"{before}{sign}cmd()"}, url=f"{before}{sign}x")
    *_, fields = csv.reader(comma_separated(Table("product", (Column("title", "title"),), (row,))))

    assert fields == ["1", f"'{sign}cmd()", f"'{sign}x"]


def test_a_pipe_has_the_rest_of_the_list_not_a_page_of_it():
    rows = tuple(product(f"o{n}", f"Thing {n}") for n in range(1, 26))
    table = Table("product", COLUMNS, rows)

    assert len(list(tab_separated(table))) == 25
    assert [line.split("\t")[0] for line in tab_separated(table._replace(start=20, end=30), first=4)] == [
        "24",
        "25",
        "26",
        "27",
        "28",
    ]
