"""A table of what was found: its columns, its rows, what was asked of it since, and what it says in words.

A cell is one of `Cell`, by the kind of its column. Unknown is None, never 0 and never empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from .errors import UsageError
from .money import CURRENCIES, Money, exact
from .text import cells_in, counted, one_line
from .urls import host_of

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


# What a table says: its cells, to people and to programs; all of one line; how much there is.

UNKNOWN = "-"
_LONGEST = 400  # characters: more than a line of a terminal has
_MOST = 2_000  # characters that are looked at for them
_LONGEST_BASIS = 20
_BEHIND = ("each", "a night")  # a basis that stands behind its amount
_TOWERING = "([\u0300-\u036f]{4})[\u0300-\u036f]+"  # marks that would paint over other lines
_CODED = r"(-?\d[\d.]*) ([A-Z]{3})\b"  # an amount in a reason
_SIGNS = {True: "✓", False: "✗", None: "!"}  # met, not met, can't be told


def told_cell(cell: Cell, column: Column) -> str:
    """Return what *cell* says to people, on one line, cleaned."""
    if cell is None or cell == "":
        return "unknown" if column.key == DELIVERY else UNKNOWN
    return told_text(_told(cell, column)) or UNKNOWN


def _told(cell: Cell, column: Column) -> str:
    if money := money_in(cell):
        if column.key == DELIVERY and not money.amount:
            return "free"
        return _based(one_line(cell.basis, _LONGEST_BASIS), money) if isinstance(cell, Price) else money.told
    if isinstance(cell, Rating):
        return f"{cell.value:f}" if cell.raters is None else f"{cell.value:f} ({cell.raters:,})"
    if isinstance(cell, Decimal):
        sign = "+" if column.key == CHANGE and cell > 0 else ""
        return f"{sign}{cell:,f} %" if column.kind == PERCENT else f"{cell:,f}"
    if isinstance(cell, int):
        return _lasting(cell) if column.kind == DURATION else f"{cell:,}"
    text = str(cell)
    if column.kind == LINK:
        return host_of(text) or text
    return text.replace("T", " ") if column.kind == TIME else text


def _based(basis: str, money: Money) -> str:
    return f"{money.told} {basis}" if basis in _BEHIND else f"{basis} {money.told}"


def _lasting(minutes: int) -> str:
    """Return how long so many *minutes* are: 40 min, 2 h, 14 h 20 min."""
    hours, left = divmod(minutes, 60)
    return " ".join([f"{hours:,} h"] * bool(hours) + [f"{left} min"] * bool(left or not hours))


def told_text(text: str) -> str:
    """Return foreign words on one line, cleaned, no longer than a line of a terminal can be."""
    return re.sub(_TOWERING, r"\1", one_line(text[:_MOST], _LONGEST))


def coded_cell(cell: Cell) -> str:
    """Return what *cell* says to programs, whole, on one line, cleaned; empty: it is not known."""
    if money := money_in(cell):
        return one_line(f"{cell.basis} {money.coded}") if isinstance(cell, Price) else money.coded
    if isinstance(cell, Rating):
        return f"{cell.value:f}" if cell.raters is None else f"{cell.value:f} ({cell.raters})"
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return "" if cell is None else one_line(str(cell))


def told_reasons(left_out: Mapping[str, int]) -> str:
    """Return how many were left out for which reason, with amounts as people read them."""
    return ", ".join(f"{count:,} {_reason(reason, count)}" for reason, count in left_out.items())


def _reason(reason: str, count: int) -> str:
    if count == 1 and reason.isalpha():  # of things, such as ads
        return reason.removesuffix("s")
    return re.sub(_CODED, _amount, one_line(reason, _LONGEST))


def _amount(coded: re.Match[str]) -> str:
    amount = exact(coded[1])
    return coded[0] if amount is None or coded[2] not in CURRENCIES else Money(amount, coded[2]).told


def tally(table: Table, first: int, *, left_out: bool = True) -> str:
    """Return how much of the list is shown, and what was left out of it, by its reasons."""
    count, gone = len(table.rows), sum(table.left_out.values())
    reasons = told_reasons(table.left_out)
    if not count:
        return f"Nothing is left of {counted(gone, 'lines')}: {reasons}." if gone else "Nothing was found."
    gone = gone if left_out else 0
    if len(table.page) < count:
        start, end = first + table.start, first + table.start + len(table.page) - 1
        lines = f"Lines {start} to {end}, of {count:,} in all."
        return f"{lines} Left out of {count + gone:,}: {reasons}." if gone else lines
    return f"{count:,} of {count + gone:,}. Left out: {reasons}." if gone else ""


def told_check(check: Check) -> str:
    """Return a check in words, behind a sign that says whether it is met; ! warns of one that is soft."""
    sign = _SIGNS[check.is_met if check.is_hard or check.is_met else None]
    return f"{sign} {told_text(check.said) or told_text(check.name)}"


def summary_line(table: Table) -> str:
    """Return a line on a table of which something else was made."""
    prices = price_column(table)
    known = [cell for row in table.rows if prices and (cell := row.cells.get(prices.key)) is not None]
    from_to = f", the first at {told_cell(known[0], prices)}" if prices and known else ""
    return f"{counted(len(table.rows), f'{table.kind}s')} found{from_to}"


def row_on(line: int, shown: Sequence[str], table: Table) -> Row:
    """Return the row of *table* on a *line*. shown: the ids on the lines of the list last shown.

    A table that was made since then is not among them: its lines are counted by themselves. Raises UsageError
    for a line that it has not.
    """
    rows = {row.id: row for row in table.rows}
    lines = list(rows) if rows.keys().isdisjoint(shown) else list(shown)
    known = [n for n, id_ in enumerate(lines, 1) if id_ in rows]
    if line not in known:
        has = f"its lines are {known[0]} to {known[-1]}" if known else "it has none"
        raise UsageError(f"The table has no line {line}: {has}.")
    return rows[lines[line - 1]]


def details(row: Row, table: Table) -> str:
    """Return what is known of *row*, one cell a line, and its page last."""
    title = column_of(table, TEXT)
    told = [(column, told_cell(row.cells.get(column.key), column)) for column in table.columns]
    known = [(one_line(column.label), text) for column, text in told if column != title and text != UNKNOWN]
    known.append(("page", one_line(row.url) or "none is known"))
    widest = max(cells_in(label) for label, _ in known)
    lines = [f"{label}{' ' * (widest - cells_in(label))}  {text}" for label, text in known]
    return "\n".join([*(text for column, text in told if column == title), *lines])
