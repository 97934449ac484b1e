"""A table of what was found: its columns and rows, and what it says, to people, to programs and as JSON.

A cell is one of `Cell`, by the kind of its column. Unknown is None, never 0 and never empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from .errors import UsageError
from .money import Money, exact, money_of
from .text import cells_in, one_line, pluralize
from .urls import host_of

# How a cell of a column is kept, shown and compared.
TEXT, STATE = "text", "state"  # words; a state is one of few, such as used
MONEY, NUMBER, PERCENT, RATING = "money", "number", "percent", "rating"
DATE, TIME = "date", "time"  # as ISO 8601 writes them, of any length: 2027-05, 21:25, 2027-05-13T21:25
LINK = "link"  # an address

# What a column means besides.
COST = "cost"  # of money: what a row costs in all. Where none is, the first of money is taken for it
EXTRA = "extra"  # of money: what is paid besides, which is worth telling where it is free or not known
CHANGE = "change"  # of numbers: how much something rose or fell, which has a sign
NAME = "name"  # of words: what a row is called, which the model sees of a private table too

# What the model sees of a private table.
NAMES, ALL = "names", "all"

BLOCKS = "▁▂▃▄▅▆▇█"  # heights in a line that stands for a chart, in a foot
PAGE = 10  # rows that are shown at a time
BEST_RATED = "best rated"  # the order in which it counts how many rated
COUNTING = "best rated, counting how many rated"  # what that order is, in words


class Column(NamedTuple):
    key: str  # of its cells, and for programs
    label: str  # for people
    kind: str = TEXT  # one of these
    rank: int = 1  # the higher, the sooner it makes room on a narrow terminal; 0: never
    means: str = ""  # COST | EXTRA | CHANGE | NAME; not part of the records for programs


class Rating(NamedTuple):
    value: Decimal
    raters: int | None = None  # how many they are

    @property
    def formatted(self) -> str:
        return f"{self.value:f}" if self.raters is None else f"{self.value:f} ({self.raters:,})"

    @property
    def serialized(self) -> str:
        return self.formatted.replace(",", "")

    @property
    def record(self) -> dict[str, Any]:
        return {"value": f"{self.value:f}", "count": self.raters}


Cell = str | Decimal | Money | Rating | None


class Row(NamedTuple):
    """One result, or a sum in a table's foot, which has neither id nor number."""

    id: str
    cells: Mapping[str, Cell]  # by the keys of the columns
    url: str = ""  # its page
    link: str = ""  # whose page that is: merchant | service
    private: Mapping[str, str] = {}  # by which a service finds it again; never shown, and never to the model


class Check(NamedTuple):
    """Something that was looked at in a table that was worked out."""

    name: str
    is_met: bool | None  # None: that can't be told
    finding: str  # what it came to, in words
    is_hard: bool = True  # whether it is a fault where it is not met; else it is a warning


class FollowUp(NamedTuple):
    """A follow-up: what the user wants done with the list before them."""

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
    order: str = "given"  # by a service; or BEST_RATED, or a column's key, with a minus where it falls
    left_out: Mapping[str, int] = {}  # how many, by the reason; amounts in it are coded: over 150.00 USD
    note: str = ""  # what is to be known of all of it
    failures: tuple[str, ...] = ()  # what could not be asked for it, in sentences
    seen_at: str = ""  # when, as ISO 8601 writes it
    foot: tuple[Row, ...] = ()  # sums below the rows
    checks: tuple[Check, ...] = ()  # of a table that was worked out
    start: int = 0  # the first of its rows that is shown now
    end: int = PAGE  # the one behind the last
    follow_ups: tuple[FollowUp, ...] = ()  # since it was found
    found: Table | None = None  # how it was then; None: so
    model_sees: str = ""  # of a private one: NAMES | ALL; empty: it is not private. Not part of the records

    @property
    def page(self) -> tuple[Row, ...]:
        """The rows that are shown now."""
        return self.rows[self.start : self.end]

    @property
    def lines(self) -> list[str]:
        """All rows as lines of their known cells, and its note."""
        pairs = [[(row.cells.get(each.key), each) for each in self.columns] for row in self.rows]
        rows = ("  ".join(format_cell(*cell) for cell in cells if cell[0] is not None) for cells in pairs)
        return [*rows, self.note]

    @property
    def is_hidden(self) -> bool:
        """Whether only the user may see its figures: they are in no prompt and in no outcome's text."""
        return self.model_sees not in ("", ALL)

    def as_record(self, first: int = 1) -> dict[str, Any]:
        """Return the table with all its rows for JSON. first: the number of its first line, or 0."""
        checks = [{"name": c.name, "ok": c.is_met, "said": c.finding, "hard": c.is_hard} for c in self.checks]
        columns = [{"key": c.key, "label": c.label, "kind": c.kind, "rank": c.rank} for c in self.columns]
        rows = [_of_row(self, row, first + at if first else None) for at, row in enumerate(self.rows)]
        return {
            "kind": self.kind,
            "columns": columns,
            "rows": rows,
            "order": self.order,
            "left_out": dict(self.left_out),
            "note": " ".join(filter(None, (self.note, *self.failures))),
            "seen_at": self.seen_at or None,
            "foot": [_of_row(self, row, None) for row in self.foot],
            **({"checks": checks} if checks else {}),
        }

    def kept_record(self) -> dict[str, Any]:
        """Return it as plain values for JSON, which `table_in` of follow_ups.py reads."""
        found = self.found or self
        return {
            **found.as_record(),
            "model_sees": found.model_sees,
            "columns": [column._asdict() for column in found.columns],
            "note": found.note,
            "failures": [*found.failures],
            "page": [found.start, found.end],
            "asked": [{key: cell_record(v) for key, v in each._asdict().items()} for each in self.follow_ups],
            "private": [dict(row.private) for row in found.rows],
        }


def column_of(table: Table, kind: str) -> Column | None:
    """Return the first column of a *kind*."""
    return next((column for column in table.columns if column.kind == kind), None)


def meaning(table: Table, means: str) -> Column | None:
    """Return the column with that *means*. If none costs, that is the first column of money."""
    exact_one = next((column for column in table.columns if column.means == means), None)
    plain = (column for column in table.columns if column.kind == MONEY and not column.means)
    return exact_one or (next(plain, None) if means == COST else None)


def money_in(cell: Cell) -> Money | None:
    """Return the amount in a cell of money, of any basis."""
    return cell if isinstance(cell, Money) else None


def currencies(cells: Iterable[Cell]) -> list[str]:
    """Return the currencies of *cells*: the one that most of them have first, else as they come."""
    all_of_them = [money.currency for cell in cells if (money := money_in(cell))]
    return sorted(dict.fromkeys(all_of_them), key=all_of_them.count, reverse=True)


# What a table says to people and to programs: its cells, all of one line; how much there is.

UNKNOWN = "-"
_LONGEST = 400  # characters: more than a line of a terminal has
_MOST = 2_000  # characters that are looked at for them
_TOWERING = "([\u0300-\u036f]{4})[\u0300-\u036f]+"  # marks that would paint over other lines
_CODED = r"(-?\d[\d.]*) ([A-Z]{3})\b"  # an amount in a reason
_SIGNS = {True: "✓", False: "✗", None: "!"}  # met, not met, can't be told


def format_cell(cell: Cell, column: Column) -> str:
    """Format *cell* for people: one clean line."""
    if cell is None or cell == "":
        return "unknown" if column.means == EXTRA else UNKNOWN
    return clean_line(_format_value(cell, column)) or UNKNOWN


def _format_value(cell: Cell, column: Column) -> str:
    if isinstance(cell, Money | Rating):
        money = money_in(cell)
        is_free = column.means == EXTRA and money and not money.amount
        is_gain = column.means == CHANGE and money and money.amount > 0
        return "free" if is_free else f"{'+' * bool(is_gain)}{cell.formatted}"
    if isinstance(cell, Decimal):
        sign = "+" if column.means == CHANGE and cell > 0 else ""
        return f"{sign}{cell:,f}{' %' * (column.kind == PERCENT)}"
    text = str(cell)
    if column.kind == LINK:
        return host_of(text) or text
    return text.replace("T", " ") if column.kind == TIME else text


def clean_line(text: str) -> str:
    """Return foreign words on one line, cleaned, no longer than a line of a terminal can be."""
    return re.sub(_TOWERING, r"\1", one_line(text[:_MOST], _LONGEST))


def serialize_cell(cell: Cell) -> str:
    """Format *cell* for programs: one clean line in full, or "" if unknown."""
    if isinstance(cell, Money | Rating):
        return one_line(cell.serialized)
    return "" if cell is None else one_line(f"{cell:f}" if isinstance(cell, Decimal) else str(cell))


def format_reasons(left_out: Mapping[str, int]) -> str:
    """Return how many rows were left out, by reason, with amounts as people read them."""
    return ", ".join(f"{count:,} {_reason(reason, count)}" for reason, count in left_out.items())


def _reason(reason: str, count: int) -> str:
    if count == 1 and reason.isalpha():  # of things, such as ads
        return reason.removesuffix("s")
    return re.sub(_CODED, _amount, one_line(reason, _LONGEST))


def _amount(coded: re.Match[str]) -> str:
    money = money_of({"amount": coded[1], "currency": coded[2]})
    return money.formatted if money else coded[0]


def tally(table: Table, first: int, *, left_out: bool = True) -> str:
    """Return how much of the list is shown, and what was left out of it, by its reasons."""
    count, gone = len(table.rows), sum(table.left_out.values())
    reasons = format_reasons(table.left_out)
    if not count:
        return f"Nothing is left of {pluralize(gone, 'lines')}: {reasons}." if gone else "Nothing was found."
    gone = gone if left_out else 0
    if len(table.page) < count:
        start, end = first + table.start, first + table.start + len(table.page) - 1
        lines = f"Lines {start} to {end}, of {count:,} in all."
        return f"{lines} Left out of {count + gone:,}: {reasons}." if gone else lines
    return f"{count:,} of {count + gone:,}. Left out: {reasons}." if gone else ""


def format_check(check: Check) -> str:
    """Format a check: a sign for its result, then its text. ! warns of a soft one."""
    sign = _SIGNS[check.is_met if check.is_hard or check.is_met else None]
    return f"{sign} {clean_line(check.finding) or clean_line(check.name)}"


def summary_line(table: Table) -> str:
    """Return a line that summarizes the source of another table."""
    prices = meaning(table, COST)
    amounts = [cell for row in table.rows if prices and (cell := row.cells.get(prices.key)) is not None]
    from_to = f", the first at {format_cell(amounts[0], prices)}" if prices and amounts else ""
    return f"{pluralize(len(table.rows), f'{table.kind}s')} found{from_to}"


def row_on(line: int, shown: Sequence[str], table: Table) -> Row:
    """Return the row of *table* on a *line*. shown: the ids on the lines of the list last shown.

    A table that was made since then is not among them: its lines are counted by themselves. Raises UsageError
    for a line that it has not.
    """
    rows = {row.id: row for row in table.rows}
    lines = list(rows) if rows.keys().isdisjoint(shown) else list(shown)
    numbers = [n for n, id_ in enumerate(lines, 1) if id_ in rows]
    if line not in numbers:
        has = f"its lines are {numbers[0]} to {numbers[-1]}" if numbers else "it has none"
        raise UsageError(f"The table has no line {line}: {has}.")
    return rows[lines[line - 1]]


def details(row: Row, table: Table) -> str:
    """Return the cells of *row*, one per line, and its page last."""
    title = column_of(table, TEXT)
    cells = [(column, format_cell(row.cells.get(column.key), column)) for column in table.columns]
    fields = [(one_line(column.label), text) for column, text in cells if column != title and text != UNKNOWN]
    fields.append(("page", one_line(row.url) or "none is known"))
    widest = max(cells_in(label) for label, _ in fields)
    lines = [f"{label}{' ' * (widest - cells_in(label))}  {text}" for label, text in fields]
    return "\n".join([*(text for column, text in cells if column == title), *lines])


# As plain values for JSON.

_LONGEST_KEPT = 2048  # characters of a text
_LARGEST = 10**9  # of what is counted
_MOMENT = "[0-9][0-9T:.,+Z-]{1,39}"


def _of_row(table: Table, row: Row, line: int | None) -> dict[str, Any]:
    cells = {column.key: cell_record(row.cells.get(column.key)) for column in table.columns}
    return {**cells, "line": line, "id": row.id or None, "url": row.url or None, "link": row.link or None}


def cell_record(cell: Cell) -> Any:
    """Return *cell* as JSON has it, which `cell_in` reads."""
    if isinstance(cell, Money | Rating):
        return cell.record
    return f"{cell:f}" if isinstance(cell, Decimal) else cell


def cell_in(kind: str, value: object) -> Cell:
    """Return *value* as a cell of that *kind*, or an unknown cell."""
    return _CELLS.get(kind, _words)(value)


def _words(value: object) -> Cell:
    return one_line(value, _LONGEST_KEPT) or None if isinstance(value, str) else None


def _money(value: object) -> Cell:
    money = money_of(value)
    basis = _words(value.get("basis")) if isinstance(value, Mapping) else None
    return money and money._replace(basis=str(basis or ""))


def _rating(value: object) -> Cell:
    fields = value if isinstance(value, Mapping) else {}
    rated, raters = _number(fields.get("value")), fields.get("count")
    is_count = type(raters) is int and 0 <= raters < _LARGEST  # a bool is none
    return None if rated is None else Rating(rated, raters if is_count else None)


def _moment(value: object) -> Cell:
    return value if isinstance(value, str) and re.fullmatch(_MOMENT, value) else None


def _number(value: object) -> Decimal | None:
    return exact(value) if isinstance(value, str) else None


_CELLS: Mapping[str, Callable[[object], Cell]] = {
    MONEY: _money,
    RATING: _rating,
    NUMBER: _number,
    PERCENT: _number,
    DATE: _moment,
    TIME: _moment,
}
