"""What a table says in words: all that is known of one line, and which line that is."""

from __future__ import annotations

import pytest

from jarvis.core.errors import UsageError
from jarvis.core.tables import LINK, Column, Table, details, row_on
from jarvis.core.text import clean
from tests.tabled import COLUMNS, hostile, product

SHOWN = ("r1", "o3", "o1", "r2")
TABLE = Table("product", COLUMNS[:2], (product("o3", "Switch", "129.00"), product("o1", "Wii")))


def test_each_cell_has_a_line_however_it_is_written():
    table = hostile()
    for row in table.rows:
        told = details(row, table)
        known = [column for column in table.columns if row.cells.get(column.key) not in (None, "")]

        assert clean(told) == told
        assert 2 <= len(told.split("\n")) <= len(known) + 3
        assert told.split("\n")[-1].startswith("page ")


def test_what_is_unknown_is_left_out_but_for_delivery_and_the_page():
    table = Table("product", (*COLUMNS[:6], Column("seller", "seller", LINK)), ())
    row = product("o1", "Wii")._replace(url="")

    assert details(row, table) == "Wii\ndelivery  unknown\npage      none is known"


@pytest.mark.parametrize("line", [0, -1, 1, 4, 5, 999])
def test_no_other_line_is_one(line):
    with pytest.raises(UsageError, match="its lines are 2 to 3"):
        row_on(line, SHOWN, TABLE)
