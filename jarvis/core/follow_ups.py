"""What a person asks of the list before them, done without a model: sort it, narrow it, turn its pages.

Each makes a table of a table, which remembers how it was found and what was asked of it since: so the last
can be undone. A sort is stable, what is not known stands last, whichever way it is sorted; each row that goes
is counted by its reason. What the list has not is a UsageError.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from operator import gt, lt
from typing import Any

from .errors import UsageError
from .money import Money
from .tables import (
    BEST_RATED,
    DATE,
    DELIVERY,
    MONEY,
    PAGE,
    RATING,
    STATE,
    TEXT,
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
    told_reasons,
)
from .text import counted, one_line

UNDO = "undo"
SHOW = "show"  # (number: of a line) which changes nothing: see details() in table_text.py
_LONGEST = 40  # characters of what was asked, in a message
_DIGITS = 9  # behind the point of a rating that was drawn: rounding is to order nothing

_Change = Callable[[Table, FollowUp], Table]


def followed(table: Table, asked: FollowUp) -> Table:
    """Return *table* after what is *asked*; perhaps with no rows left, which its reasons tell."""
    found = table.found or table
    if asked.verb == UNDO:
        if not table.asked:
            raise UsageError("There is nothing to undo: the list is as it was found.")
        return replayed(found, table.asked[:-1])
    return _done(table, asked)._replace(found=found, asked=(*table.asked, asked))


def narrowed_to_some(table: Table, asked: FollowUp) -> Table:
    """Return *table* after what a person asked. Raises UsageError where no row of it would be left."""
    after = followed(table, asked)
    if after.rows or not table.rows:
        return after
    gone = Counter(after.left_out)
    gone.subtract(table.left_out)
    raise UsageError(f"Nothing would be left of the list: {told_reasons(+gone)}. It stays as it is.")


def replayed(found: Table, all_asked: Sequence[FollowUp]) -> Table:
    """Return *found* after all that was asked, in this order."""
    for asked in all_asked:
        found = followed(found, asked)
    return found


def leading(table: Table, asked: FollowUp, count: int = 1) -> tuple[Row, ...]:
    """Return the rows that a sort puts first, such as the three cheapest: none of which it isn't known.

    Raises UsageError where there is none, and where amounts in several currencies can't be compared.
    """
    ordered = _done(table, asked)
    key = ordered.order.removeprefix("-")
    of_key = next((each for each in table.columns if each.key == key), None)
    column = column_of(table, RATING) if key == BEST_RATED else of_key
    rows = [row for row in ordered.rows if column and row.cells.get(column.key) is not None]
    several = currencies(row.cells[column.key] for row in rows) if column else []
    if len(several) > 1:
        raise UsageError(f"They can't be compared: their amounts are in {' and '.join(several)}.")
    if not rows:
        raise UsageError("That is not known of anything in the list.")
    return tuple(rows[:count])


def _done(table: Table, asked: FollowUp) -> Table:
    if change := PAGING.get(asked.verb):
        return change(table, asked)
    if change := SORTS.get(asked.verb) or FILTERS.get(asked.verb):
        return change(table._replace(start=0, end=PAGE), asked)
    raise UsageError(f"Nothing can be done with a list by “{one_line(asked.verb, _LONGEST)}”.")


def _more(table: Table, _: FollowUp) -> Table:
    if table.end >= len(table.rows):
        raise UsageError(f"The list has no more: it is {counted(len(table.rows), 'lines')} long.")
    return table._replace(start=table.end, end=table.end + PAGE)


def _sort(table: Table, asked: FollowUp) -> Table:
    """Sort *table* by the column that is named; ratings fall, unless it is said, all else rises."""
    if column := column_named(table, asked.word):
        falling = column.kind == RATING if asked.falling is None else asked.falling
        return _sorted_by(table, column, falling=falling)
    columns = [c for c in table.columns if any(row.cells.get(c.key) is not None for row in table.rows)]
    labels = [one_line(column.label) for column in columns or table.columns]
    # What is pasted into a shell has to be a word, and a label may come from a file of another's.
    words = [label for label in labels if label.isalnum()]
    raise UsageError(
        f"The list has no column “{one_line(asked.word, _LONGEST)}”, but these: {', '.join(labels)}.",
        hint=f'jarvis "sort by {words[0]}"' if words else "",
    )


def _newest(table: Table, _: FollowUp) -> Table:
    """Sort *table* by its first column of days, or else of times."""
    if column := column_of(table, DATE) or column_of(table, TIME):
        return _sorted_by(table, column, falling=True)
    raise UsageError("The list does not say how new anything is.")


def _best_rated(table: Table, _: FollowUp) -> Table:
    """Sort *table* by its ratings, where a rating by few counts little."""
    if not (column := column_of(table, RATING)):
        raise UsageError("The list has no ratings.")
    cells = [row.cells.get(column.key) for row in table.rows]
    scores = drawn_ratings([cell if isinstance(cell, Rating) else None for cell in cells])
    return table._replace(rows=_ordered(table.rows, scores, falling=True), order=BEST_RATED)


def drawn_ratings(ratings: Sequence[Rating | None]) -> list[Decimal | None]:
    """Return the *ratings* of a list, each drawn towards their mean; None where there is none.

    It is as if as many had given that mean as usually rate in the list. Where it never says how many rated,
    the ratings count as they are.
    """
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


def _prices(table: Table) -> Column:
    """Return the column with what a row costs: the total, where there is one."""
    if column := price_column(table):
        return column
    raise UsageError("The list has no prices.")


def _sorted_by(table: Table, column: Column, *, falling: bool) -> Table:
    """Return *table* sorted by *column*. Each currency stands by itself, the commonest first."""
    cells = [row.cells.get(column.key) for row in table.rows]
    known = currencies(cells)
    places = {currency: -at if falling else at for at, currency in enumerate(known)}
    values = [_value(cell, places) for cell in cells]
    order = f"-{column.key}" if falling else column.key
    return table._replace(rows=_ordered(table.rows, values, falling=falling), order=order)


def _value(cell: Cell, places: Mapping[str, int]) -> object:
    """Return what *cell* is compared by with others of its kind; None: it is not known."""
    if isinstance(cell, str):
        return one_line(cell).casefold() or None
    if isinstance(cell, Rating):
        return cell.value, cell.raters or 0
    money = money_in(cell)
    return (places[money.currency], money.amount) if money else cell


def _ordered(rows: Sequence[Row], values: Sequence[Any], *, falling: bool) -> tuple[Row, ...]:
    """Return *rows* sorted by their *values*, those without one last; equals stay as they stood."""
    pairs = [*zip(values, rows, strict=True)]
    known = sorted((each for each in pairs if each[0] is not None), key=lambda each: each[0], reverse=falling)
    return tuple(row for _, row in [*known, *(each for each in pairs if each[0] is None)])


def _narrowed(table: Table, against: Iterable[str]) -> Table:
    """Return *table* without the rows that there is something *against*: a reason for each row, or none.

    The sums in its foot would not hold any more, nor what was checked of them.
    """
    reasons = [*against]
    if not any(reasons):
        return table
    rows = tuple(row for row, reason in zip(table.rows, reasons, strict=True) if not reason)
    left_out = Counter(table.left_out)
    left_out.update(filter(None, reasons))
    return table._replace(rows=rows, left_out=dict(left_out), foot=(), checks=())


def at_most(table: Table, limit: Money | None) -> Table:
    """Return *table* with what costs at most the *limit*; all of it without one."""
    return _limited(table, limit, "over", gt) if limit else table


def _limited(table: Table, limit: Money, beyond: str, is_beyond: Callable[[Decimal, Decimal], bool]) -> Table:
    """Return *table* without what is *beyond* the limit, and without what can't be held to it."""
    column = price_column(table)

    def against(row: Row) -> str:
        money = money_in(row.cells.get(column.key)) if column else None
        if money is None:
            return "without a price"
        if money.currency != limit.currency:
            return f"in {money.currency}"
        return f"{beyond} {limit.coded}" if is_beyond(money.amount, limit.amount) else ""

    return _narrowed(table, map(against, table.rows))


def _limit(table: Table, asked: FollowUp) -> Money:
    """Return the limit that is *asked* for, in a currency of the list. Raises UsageError."""
    known = currencies(row.cells.get(_prices(table).key) for row in table.rows)
    if not known:
        raise UsageError("The list has no prices.")
    if asked.amount is None or (not asked.currency and len(known) > 1) or asked.currency not in ("", *known):
        amount = "100" if asked.amount is None else f"{asked.amount:f}"
        raise UsageError(
            f"The list has its prices in {' and '.join(known)}: which limit is meant?",
            hint=f'jarvis "under {amount} {known[0]}"',
        )
    return Money(asked.amount, asked.currency or known[0])


def _with_free_delivery(table: Table, _: FollowUp) -> Table:
    """Return *table* with what is known to be delivered for nothing."""
    column = column_named(table, DELIVERY)
    if column is None or column.kind != MONEY:
        raise UsageError("The list does not say what delivery costs.")

    def against(row: Row) -> str:
        cost = money_in(row.cells.get(column.key))
        return "of unknown delivery" if cost is None else "with paid delivery" if cost.amount else ""

    return _narrowed(table, map(against, table.rows))


def _only(table: Table, asked: FollowUp) -> Table:
    """Return *table* with the rows that say a word: as a whole cell, else within one, else in the title.

    The others go by the state they are in, where a state was meant.
    """
    word = one_line(asked.word).casefold()
    words = [column for column in table.columns if column.kind in (TEXT, STATE)]  # the first is the title
    for columns, says in ((words, str.__eq__), (words[1:], _holds), (words[:1], _holds)) if word else ():
        meant = [c for c in columns if any(says(_said(row, c), word) for row in table.rows)]
        if meant:
            is_state = says is str.__eq__ and meant[0].kind == STATE
            break
    else:
        raise UsageError(f"Nothing in the list says “{one_line(asked.word, _LONGEST)}”.")

    def against(row: Row) -> str:
        if any(says(_said(row, column), word) for column in meant):
            return ""
        state = one_line(_said(row, meant[0]), _LONGEST) if is_state else ""
        return state or f"not {one_line(word, _LONGEST)}"

    return _narrowed(table, map(against, table.rows))


def _said(row: Row, column: Column) -> str:
    cell = row.cells.get(column.key)
    return one_line(cell).casefold() if isinstance(cell, str) else ""


def _holds(said: str, word: str) -> bool:
    """Return whether *word* stands in what is *said*: whole, but in scripts that may have no spaces."""
    if word not in said or not word.isascii():
        return word in said
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) is not None


def _first(table: Table, asked: FollowUp) -> Table:
    """Return *table* with its first rows alone, all of them shown."""
    if asked.number < 1:
        raise UsageError("At least one line has to be left.", hint='jarvis "first 3"')
    reason = f"behind the first {asked.number}"
    against = ("" if at < asked.number else reason for at in range(len(table.rows)))
    return _narrowed(table, against)._replace(end=max(table.end, asked.number))


# By their verbs; in brackets what a FollowUp says besides.
SORTS: Mapping[str, _Change] = {
    "sort": _sort,  # (word: a column's name, falling)
    "cheapest": lambda table, _: _sorted_by(table, _prices(table), falling=False),
    "dearest": lambda table, _: _sorted_by(table, _prices(table), falling=True),
    "best rated": _best_rated,
    "newest": _newest,
}
FILTERS: Mapping[str, _Change] = {
    "only": _only,  # (word)
    "under": lambda table, asked: at_most(table, _limit(table, asked)),  # (amount, currency)
    "over": lambda table, asked: _limited(table, _limit(table, asked), "under", lt),  # (amount, currency)
    "free delivery": _with_free_delivery,
    "first": _first,  # (number)
}
PAGING: Mapping[str, _Change] = {
    "more": _more,
    "all": lambda table, _: table._replace(start=0, end=max(PAGE, len(table.rows))),
}
