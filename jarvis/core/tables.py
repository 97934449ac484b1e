"""A table of what was found: its columns, its rows, and what was asked of it since.

A cell is one of `Cell`, by the kind of its column. Unknown is None, never 0 and never empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from .money import Money
from .text import one_line

# How a cell of a column is kept, shown and compared.
TEXT, STATE = "text", "state"  # words; a state is one of few, such as used
MONEY, NUMBER, PERCENT, RATING = "money", "number", "percent", "rating"
DATE, TIME = "date", "time"  # as ISO 8601 writes them, of any length: 2027-05, 21:25, 2027-05-13T21:25
DURATION = "duration"  # whole minutes
LINK = "link"  # an address
KINDS = (TEXT, STATE, MONEY, NUMBER, PERCENT, RATING, DATE, TIME, DURATION, LINK)

DELIVERY = "delivery"  # the key of the column with what delivery costs, where 0 is free
CHANGE = "change"  # the key of a column with how much something rose or fell, which has a sign
_TO_PAY = ("total", "price")  # the keys of the column that is meant by what a row costs, the first best
_MEANT = 80  # characters of a column's name

PAGE = 10  # rows that are shown at a time
GIVEN = "given"  # the order in which a service gave the rows
BEST_RATED = "best rated"  # the order in which it counts how many rated
COUNTING = "best rated, counting how many rated"  # what that order is, in words


class Column(NamedTuple):
    key: str  # of its cells, and for programs
    label: str  # for people
    kind: str = TEXT  # one of KINDS
    rank: int = 1  # the higher, the sooner it makes room on a narrow terminal; 0: never


class Price(NamedTuple):
    """An amount that is not simply what is paid."""

    money: Money
    basis: str  # what the amount is: from, up to, each, a night


class Rating(NamedTuple):
    value: Decimal
    raters: int | None = None  # how many they are


Cell = str | int | Decimal | Money | Price | Rating | None


class Row(NamedTuple):
    """One thing that was found; in the foot of a table a sum, which has neither id nor number."""

    id: str
    cells: Mapping[str, Cell]  # by the keys of the columns
    url: str = ""  # its page
    link: str = ""  # whose page that is: merchant | service
    private: Mapping[str, str] = {}  # by which a service finds it again; never shown, and never to the model


class Check(NamedTuple):
    """Something that was looked at in a table that was worked out."""

    name: str
    is_met: bool | None  # None: that can't be told
    said: str  # what it came to, in words
    is_hard: bool = True  # whether it is a fault where it is not met; else it is a warning


class FollowUp(NamedTuple):
    """What a person asks of the list before them."""

    verb: str  # one of those in follow_ups.py, where it stands which of the others it needs
    word: str = ""  # a column's name to sort by, or what a row has to say
    falling: bool | None = None  # sorted from the highest; None: as such a column usually is
    amount: Decimal | None = None  # a limit
    currency: str = ""  # of that limit; empty: the one that the list has
    number: int = 0  # how many rows


class Table(NamedTuple):
    kind: str  # of what is in it: product, flight, …
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    order: str = GIVEN  # or BEST_RATED, or the key of the column it is sorted by, with a minus if it falls
    left_out: Mapping[str, int] = {}  # how many, by the reason; amounts in it are coded: over 150.00 USD
    note: str = ""  # what is to be known of all of it
    failures: tuple[str, ...] = ()  # what could not be asked for it, in sentences
    seen_at: str = ""  # when, as ISO 8601 writes it
    foot: tuple[Row, ...] = ()  # sums below the rows
    checks: tuple[Check, ...] = ()  # of a table that was worked out
    start: int = 0  # the first of its rows that is shown now
    end: int = PAGE  # the one behind the last
    asked: tuple[FollowUp, ...] = ()  # since it was found
    found: Table | None = None  # how it was then; None: so

    @property
    def page(self) -> tuple[Row, ...]:
        """The rows that are shown now."""
        return self.rows[self.start : self.end]


def column_named(table: Table, name: str) -> Column | None:
    """Return the column that a person or the model calls *name*, by its label or key."""
    meant = _folded(name)
    return next((each for each in table.columns if meant in (_folded(each.label), _folded(each.key))), None)


def column_of(table: Table, kind: str) -> Column | None:
    """Return the first column of a *kind*."""
    return next((column for column in table.columns if column.kind == kind), None)


def price_column(table: Table) -> Column | None:
    """Return the column with what a row costs."""
    of_money = [column for column in table.columns if column.kind == MONEY and column.key != DELIVERY]
    of_money.sort(key=lambda column: (*_TO_PAY, column.key).index(column.key))
    return of_money[0] if of_money else None


def money_in(cell: Cell) -> Money | None:
    """Return the amount in a cell of money, whatever its basis."""
    return cell.money if isinstance(cell, Price) else cell if isinstance(cell, Money) else None


def currencies(cells: Iterable[Cell]) -> list[str]:
    """Return the currencies of *cells*: the one that most of them have first, else as they come."""
    all_of_them = [money.currency for cell in cells if (money := money_in(cell))]
    return sorted(dict.fromkeys(all_of_them), key=all_of_them.count, reverse=True)


def _folded(name: str) -> str:
    return one_line(name, _MEANT).casefold().replace("_", " ")
