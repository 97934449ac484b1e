"""What a table says in words: its cells, to people and to programs; all of one line; how much there is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from .errors import UsageError
from .money import CURRENCIES, Money, exact
from .tables import (
    CHANGE,
    DELIVERY,
    DURATION,
    LINK,
    PERCENT,
    TEXT,
    TIME,
    Cell,
    Check,
    Column,
    Price,
    Rating,
    Row,
    Table,
    column_of,
    money_in,
    price_column,
)
from .text import cells, cells_in, counted, one_line
from .urls import host_of

UNKNOWN = "-"
_LONGEST = 400  # characters: more than a line of a terminal has
_MOST = 2_000  # characters that are looked at for them
_LONGEST_BASIS = 20
_MOST_MARKS = 4  # over or under one letter
_BEHIND = ("each", "a night")  # a basis that stands behind its amount
# Terminals disagree on how wide pictures are that were put together of several signs, and what stands behind
# them would stand elsewhere: so each stands by itself, without its colour of skin, and flags are letters.
_PIECES = [0xFE0F, *range(0x1F3FB, 0x1F400)]
_APART = {**dict.fromkeys(_PIECES), **{0x1F1E6 + at: 0x41 + at for at in range(26)}}
_JOINED_PICTURES = "\u200d(?=[\u2190-\u2bff\U0001f000-\U0001faff])"
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
    text = one_line(text[:_MOST], _LONGEST)
    return text if text.isascii() else _apart(text)


def _apart(text: str) -> str:
    """Return *text* with its pictures beside each other, and without marks that would tower over its line."""
    text = re.sub(_JOINED_PICTURES, "", text.translate(_APART))
    kept, marks = [], 0
    for character in text:
        marks = 0 if cells(character) else marks + 1
        kept += [character] if marks <= _MOST_MARKS else []
    return "".join(kept)


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
