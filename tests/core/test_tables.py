"""What a table says: in words, as JSON, and what is kept of it, by this version and by others."""

import contextlib
import json
from decimal import Decimal

import pytest

from jarvis.core.errors import UsageError
from jarvis.core.follow_ups import apply_follow_up, table_in
from jarvis.core.tables import LINK, Column, FollowUp, Rating, Row, Table, details, row_on
from jarvis.core.text import clean
from tests.tabled import COLUMNS, dollars, hostile, product, random_table

TABLES = [random_table(seed, currencies=("USD", "JPY", "KWD")) for seed in range(12)]
ASKED = (
    FollowUp("sort", "price", falling=False),
    FollowUp("only", "new"),
    FollowUp("over", amount=Decimal("1.50"), currency="USD"),
    FollowUp("best rated"),
    FollowUp("first", number=12),
    FollowUp("all"),
)


def through_json(record):
    return json.loads(json.dumps(record))


def cleaned(table):
    """The table as it can be read again: what strangers wrote is cleaned by then."""
    return table_in(through_json(table.kept_record()))


def test_a_record_is_what_the_contract_says():
    row = product(
        "o3",
        "Switch",
        "129.00",
        rating=Rating(Decimal("4.7"), 812),
        delivery=dollars("5")._replace(basis="from"),
    )
    table = Table(
        "product", (*COLUMNS[:2], *COLUMNS[4:6]), (row, Row("o4", {})), left_out={"over 150.00 USD": 9}
    )

    assert through_json(table.as_record(first=4)) == {
        "kind": "product",
        "columns": [
            {"key": "title", "label": "product", "kind": "text", "rank": 0},
            {"key": "price", "label": "price", "kind": "money", "rank": 0},
            {"key": "rating", "label": "rating", "kind": "rating", "rank": 3},
            {"key": "delivery", "label": "delivery", "kind": "money", "rank": 4},
        ],
        "rows": [
            {
                "line": 4,
                "id": "o3",
                "title": "Switch",
                "price": {"amount": "129.00", "currency": "USD"},
                "rating": {"value": "4.7", "count": 812},
                "delivery": {"amount": "5.00", "currency": "USD", "basis": "from"},
                "url": "https://shop.example/o3",
                "link": "merchant",
            },
            dict.fromkeys(("title", "price", "rating", "delivery", "url", "link")) | {"line": 5, "id": "o4"},
        ],
        "order": "given",
        "left_out": {"over 150.00 USD": 9},
        "note": "",
        "seen_at": None,
        "foot": [],
    }


def test_what_is_written_is_read_again_and_each_thing_that_was_asked_of_it_can_be_undone():
    count = 0
    for before in map(cleaned, TABLES):
        now = before._replace(foot=(before.rows[0]._replace(id=""),), left_out={"new": 3}, note="Seen now.")
        steps = []
        for asked in ASKED:
            assert cleaned(now) == now
            with contextlib.suppress(UsageError):  # nothing in it says so
                after = apply_follow_up(now, asked)
                steps.append(now)
                now = after
        count += len(steps)
        for step in reversed(steps):
            now = apply_follow_up(cleaned(now), FollowUp("undo"))
            assert now == step
    assert count > 40


def test_a_cell_that_makes_no_sense_is_unknown_and_never_0():
    record = Table("product", COLUMNS, (product("o1", "Switch", "1.00"),)).as_record()
    for wrong in ("", 0, "0", 1.5, {"amount": 0, "currency": "USD"}, {"amount": "1", "currency": "US$"}, []):
        record["rows"][0].update({"price": wrong, "rating": {"value": wrong}, "share": "x", "day": wrong})
        cells = table_in(record).rows[0].cells
        assert (cells["price"], cells["share"], cells["day"]) == (None, None, None)
        assert cells["rating"] == (Rating(Decimal(0)) if wrong == "0" else None)


SHOWN = ("r1", "o3", "o1", "r2")
TABLE = Table("product", COLUMNS[:2], (product("o3", "Switch", "129.00"), product("o1", "Wii")))


def test_all_of_a_line_is_told_clean_and_one_cell_a_line():
    table = hostile()
    for told in (details(row, table) for row in table.rows):
        assert clean(told) == told
        assert 2 <= len(told.split("\n")) <= len(COLUMNS) + 3


def test_what_is_unknown_is_left_out_but_for_delivery_and_the_page():
    table = Table("product", (*COLUMNS[:6], Column("seller", "seller", LINK)), ())
    row = product("o1", "Wii")._replace(url="")

    assert details(row, table) == "Wii\ndelivery  unknown\npage      none is known"


@pytest.mark.parametrize("line", [0, -1, 1, 4, 5, 999])
def test_no_other_line_is_one(line):
    with pytest.raises(UsageError, match="its lines are 2 to 3"):
        row_on(line, SHOWN, TABLE)
