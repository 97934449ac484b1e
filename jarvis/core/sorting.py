"""Sorts the rows of a table: stable, and with what is not known last, whichever way it is sorted."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from .errors import UsageError
from .tables import (
    BEST_RATED,
    DATE,
    RATING,
    TIME,
    Cell,
    Column,
    FollowUp,
    Rating,
    Row,
    Table,
    column_named,
    column_of,
    currencies,
    money_in,
    price_column,
)
from .text import one_line

_DIGITS = 9  # behind the point of a rating that was drawn: rounding is to order nothing


def by_name(table: Table, asked: FollowUp) -> Table:
    """Return *table* sorted by the column that is named; ratings fall, unless it is said, all else rises."""
    if not (column := column_named(table, asked.word)):
        raise _without_column(table, asked.word)
    return _by(table, column, falling=column.kind == RATING if asked.falling is None else asked.falling)


def cheapest_first(table: Table, _: FollowUp) -> Table:
    return _by_price(table, falling=False)


def dearest_first(table: Table, _: FollowUp) -> Table:
    return _by_price(table, falling=True)


def newest_first(table: Table, _: FollowUp) -> Table:
    """Return *table* sorted by its first column of days, or else of times."""
    if not (column := column_of(table, DATE) or column_of(table, TIME)):
        raise UsageError("The list does not say how new anything is.")
    return _by(table, column, falling=True)


def best_rated_first(table: Table, _: FollowUp) -> Table:
    """Return *table* sorted by its ratings, where a rating by few counts little.

    Each is drawn towards the mean of the list, as if as many had given that mean as usually rate in it.
    Where the list never says how many rated, the ratings count as they are.
    """
    if not (column := column_of(table, RATING)):
        raise UsageError("The list has no ratings.")
    cells = [row.cells.get(column.key) for row in table.rows]
    scores = drawn_ratings([cell if isinstance(cell, Rating) else None for cell in cells])
    return table._replace(rows=_ordered(table.rows, scores, falling=True), order=BEST_RATED)


def comparable(table: Table) -> tuple[Row, ...]:
    """Return the rows of *table*, which is sorted, where it is known what it is sorted by.

    Raises UsageError where there is none, and where amounts in several currencies can't be compared.
    """
    key = table.order.removeprefix("-")
    by_key = {column.key: column for column in table.columns}
    column = column_of(table, RATING) if key == BEST_RATED else by_key.get(key)
    rows = [row for row in table.rows if column and row.cells.get(column.key) is not None]
    several = currencies(row.cells[column.key] for row in rows) if column else []
    if len(several) > 1:
        raise UsageError(f"They can't be compared: their amounts are in {' and '.join(several)}.")
    if not rows:
        raise UsageError("That is not known of anything in the list.")
    return tuple(rows)


def _by_price(table: Table, *, falling: bool) -> Table:
    """Return *table* sorted by what a row costs: by the total, where there is one."""
    if not (column := price_column(table)):
        raise UsageError("The list has no prices.")
    return _by(table, column, falling=falling)


def _by(table: Table, column: Column, *, falling: bool) -> Table:
    """Return *table* sorted by *column*. Each currency stands by itself, the commonest first."""
    cells = [row.cells.get(column.key) for row in table.rows]
    places = {currency: place for place, currency in enumerate(currencies(cells))}
    if falling:
        places = {currency: -place for currency, place in places.items()}
    values = [_value(cell, places) for cell in cells]
    order = f"-{column.key}" if falling else column.key
    return table._replace(rows=_ordered(table.rows, values, falling=falling), order=order)


def _value(cell: Cell, places: dict[str, int]) -> object:
    """Return what *cell* is compared by with others of its kind; None: it is not known."""
    if isinstance(cell, str):
        return one_line(cell).casefold() or None
    if isinstance(cell, Rating):
        return cell.value, cell.raters or 0
    money = money_in(cell)
    return (places[money.currency], money.amount) if money else cell


def _ordered(rows: Sequence[Row], values: Sequence[Any], *, falling: bool) -> tuple[Row, ...]:
    """Return *rows* sorted by their *values*, those without one last; equals stay as they stood."""
    known = [place for place, value in enumerate(values) if value is not None]
    unknown = [place for place, value in enumerate(values) if value is None]
    places = [*sorted(known, key=lambda place: values[place], reverse=falling), *unknown]
    return tuple(rows[place] for place in places)


def drawn_ratings(ratings: Sequence[Rating | None]) -> list[Decimal | None]:
    """Return the *ratings* of a list, each drawn towards their mean; None where there is none."""
    known = [rating for rating in ratings if rating]
    counts = sorted(rating.raters for rating in known if rating.raters is not None)
    if not counts:
        return [rating and rating.value for rating in ratings]
    mean = sum((rating.value for rating in known), Decimal(0)) / len(known)
    usual = max(1, counts[len(counts) // 2])

    def drawn(rating: Rating) -> Decimal:
        count = rating.raters or 0
        return round((mean * usual + rating.value * count) / (usual + count), _DIGITS)

    return [rating and drawn(rating) for rating in ratings]


def _without_column(table: Table, name: str) -> UsageError:
    columns = [c for c in table.columns if any(row.cells.get(c.key) is not None for row in table.rows)]
    labels = [one_line(column.label) for column in columns or table.columns]
    # What is pasted into a shell has to be a word, and a label may come from a file of another's.
    words = [label for label in labels if label.isalnum()]
    return UsageError(
        f"The list has no column “{one_line(name, 40)}”, but these: {', '.join(labels)}.",
        hint=f'jarvis "sort by {words[0]}"' if words else "",
    )
