"""Narrows a table: each row that goes is counted by its reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from .errors import UsageError
from .money import Money
from .tables import (
    DELIVERY,
    MONEY,
    STATE,
    TEXT,
    Column,
    FollowUp,
    Row,
    Table,
    column_named,
    currencies,
    money_in,
    price_column,
)
from .text import one_line

_LONGEST = 40  # characters of a reason's words


def narrowed(table: Table, reasons: Mapping[int, str]) -> Table:
    """Return *table* without the rows that there are *reasons* against, by their places.

    The sums in its foot would not hold any more, nor what was checked of them.
    """
    if not reasons:
        return table
    rows = tuple(row for place, row in enumerate(table.rows) if place not in reasons)
    left_out = dict(table.left_out)
    for reason in reasons.values():
        left_out[reason] = left_out.get(reason, 0) + 1
    return table._replace(rows=rows, left_out=left_out, foot=(), checks=())


def under(table: Table, asked: FollowUp) -> Table:
    """Return *table* with what costs at most so much."""
    return at_most(table, _limit(table, asked))


def over(table: Table, asked: FollowUp) -> Table:
    """Return *table* with what costs at least so much."""
    return _limited(table, _limit(table, asked), "under", lambda amount, limit: amount < limit)


def at_most(table: Table, limit: Money | None) -> Table:
    """Return *table* with what costs at most the *limit*; all of it without one."""
    return _limited(table, limit, "over", lambda amount, most: amount > most) if limit else table


def with_free_delivery(table: Table, _: FollowUp) -> Table:
    """Return *table* with what is known to be delivered for nothing."""
    column = column_named(table, DELIVERY)
    if column is None or column.kind != MONEY:
        raise UsageError("The list does not say what delivery costs.")
    costs = [money_in(row.cells.get(column.key)) for row in table.rows]
    paid = {place: "with paid delivery" for place, cost in enumerate(costs) if cost and cost.amount}
    unknown = {place: "of unknown delivery" for place, cost in enumerate(costs) if cost is None}
    return narrowed(table, {**paid, **unknown})


def saying(table: Table, asked: FollowUp) -> Table:
    """Return *table* with the rows that say a word: as a whole cell, else within one, else in the title."""
    word = one_line(asked.word).casefold()
    words = [column for column in table.columns if column.kind in (TEXT, STATE)]  # the first is the title
    for columns, says in ((words, _is), (words[1:], _holds), (words[:1], _holds)) if word else ():
        kept = [any(says(_said(row, column), word) for column in columns) for row in table.rows]
        if any(kept):
            return narrowed(table, _others(table, columns, kept, word))
    raise UsageError(f"Nothing in the list says “{one_line(asked.word, _LONGEST)}”.")


def first_rows(table: Table, asked: FollowUp) -> Table:
    """Return *table* with its first rows alone, all of them shown."""
    if asked.number < 1:
        raise UsageError("At least one line has to be left.", hint='jarvis "first 3"')
    behind = range(asked.number, len(table.rows))
    change = narrowed(table, dict.fromkeys(behind, f"behind the first {asked.number}"))
    return change._replace(end=max(table.end, asked.number))


def _limited(table: Table, limit: Money, beyond: str, is_beyond: Callable[[Decimal, Decimal], bool]) -> Table:
    """Return *table* without what is *beyond* the limit, and without what can't be held to it."""
    column, reasons = price_column(table), {}
    for place, row in enumerate(table.rows):
        money = money_in(row.cells.get(column.key)) if column else None
        if money is None:
            reasons[place] = "without a price"
        elif money.currency != limit.currency:
            reasons[place] = f"in {money.currency}"
        elif is_beyond(money.amount, limit.amount):
            reasons[place] = f"{beyond} {limit.coded}"
    return narrowed(table, reasons)


def _limit(table: Table, asked: FollowUp) -> Money:
    """Return the limit that is *asked* for, in a currency of the list. Raises UsageError."""
    column = price_column(table)
    known = currencies(row.cells.get(column.key) for row in table.rows) if column else []
    if not known:
        raise UsageError("The list has no prices.")
    if asked.amount is None or (not asked.currency and len(known) > 1) or asked.currency not in ("", *known):
        amount = "100" if asked.amount is None else f"{asked.amount:f}"
        raise UsageError(
            f"The list has its prices in {' and '.join(known)}: which limit is meant?",
            hint=f'jarvis "under {amount} {known[0]}"',
        )
    return Money(asked.amount, asked.currency or known[0])


def _said(row: Row, column: Column) -> str:
    cell = row.cells.get(column.key)
    return one_line(cell).casefold() if isinstance(cell, str) else ""


def _is(said: str, word: str) -> bool:
    return said == word


def _holds(said: str, word: str) -> bool:
    """Return whether *word* stands in what is *said*: whole, but in scripts that may have no spaces."""
    if word not in said or not word.isascii():
        return word in said
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) is not None


def _others(table: Table, columns: list[Column], kept: list[bool], word: str) -> dict[int, str]:
    """Return why those go that were not *kept*: by the state they are in, where a state was meant."""
    meant = [c for c in columns if any(_is(_said(row, c), word) for row in table.rows)]
    state = meant[0] if meant and meant[0].kind == STATE else None
    reasons = {}
    for place, row in enumerate(table.rows):
        said = one_line(_said(row, state), _LONGEST) if state else ""
        if not kept[place]:
            reasons[place] = said or f"not {one_line(word, _LONGEST)}"
    return reasons
