"""What a service's flat entries become in a table."""

from decimal import Decimal

import pytest

from jarvis.core.follow_ups import apply_follow_up
from jarvis.core.money import Money
from jarvis.core.tables import DATE, LINK, MONEY, NUMBER, PERCENT, RATING, STATE, Column, FollowUp, Rating
from jarvis.packs.entries import BEYOND, MOST, entry_table, outcome_of

COLUMNS = (
    Column("title", "film", rank=0),
    Column("price", "price", MONEY),
    Column("rating", "rating", RATING),
    Column("views", "views", NUMBER),
    Column("liked", "liked", PERCENT),
    Column("since", "since", DATE),
    Column("state", "state", STATE),
    Column("trailer", "trailer", LINK),
)
FILM = {
    "title": "The  long\x1b[31m night",
    "price": 4.99,
    "rating": 4.5,
    "reviews": 812,
    "views": 12_345,
    "liked": 92.5,
    "since": "2026-11",
    "state": "dubbed",
    "trailer": "https://films.example.org/1/trailer",
    "link": "https://films.example.org/1",
}
WRONG = (None, [], [1], {"a": 1}, "", "x", "\x1b]0;x\x07", 10**40, -1, True, float("nan"), float("inf"))


def under(amount):
    return FollowUp("under", amount=Decimal(amount), currency="USD")


def films(*entries, **how):
    return entry_table("film", COLUMNS, [*entries], **{"currency": "USD", **how})


def test_each_cell_stands_under_the_key_of_its_column():
    (row,) = films(FILM).rows

    assert row.cells == {
        "title": "The long night",
        "price": Money(Decimal("4.99"), "USD"),
        "rating": Rating(Decimal("4.5"), 812),
        "views": Decimal(12345),
        "liked": Decimal("92.5"),
        "since": "2026-11",
        "state": "dubbed",
        "trailer": "https://films.example.org/1/trailer",
    }
    assert (row.id, row.url, row.link) == ("", "https://films.example.org/1", "merchant")


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_can_not_be_read_is_unknown_and_nothing_raises(wrong):
    for key in FILM:
        table = films({**FILM, key: wrong}, FILM)

        cells = table.rows[0].cells
        assert table.rows[-1] == films(FILM).rows[0]
        assert cells.keys() == {column.key for column in COLUMNS}
        assert all("\x1b" not in cell for cell in cells.values() if isinstance(cell, str))
        assert not any(isinstance(cell, float | bool) for cell in cells.values())


def test_what_is_left_out_is_counted_with_its_reason():
    ad, nameless = {**FILM, "sponsored": True}, {**FILM, "title": " "}

    table = films(ad, nameless, "a film", *[FILM] * (MOST + 2))

    assert len(table.rows) == MOST
    assert table.left_out == {"ads": 1, "without a title": 1, "unreadable": 1, BEYOND: 2}


def test_no_page_leads_elsewhere():
    links = ("http://127.0.0.1/", "javascript:alert(1)", "https://a.example/?to=https://b.example", 1)
    for link in (*links, "https://www.google.com/x"):
        (row,) = films({**FILM, "link": link}).rows
        assert (row.url, row.link) == ("", "")


def test_a_limit_is_held_by_python():
    dear, unpriced, other = {**FILM, "price": 5.01}, {**FILM, "price": None}, {**FILM, "price": "£1"}

    table = apply_follow_up(films(FILM, dear, unpriced, other), under(5))

    assert len(table.rows) == 1
    assert table.left_out == {"over 5.00 USD": 1, "without a price": 1, "in GBP": 1}


def test_it_is_told_whether_nothing_was_found_or_all_of_it_left_out():
    assert outcome_of(films(FILM), "night", "films").text == "Found 1 film for night."
    assert outcome_of(films(), "night", "films").text == "No films were found for night."
    nothing = outcome_of(apply_follow_up(films(FILM, FILM), under(1)), "night", "films")
    assert nothing.text == "None of the films that were found fits night: 2 over $1.00."
    assert nothing.table is None
