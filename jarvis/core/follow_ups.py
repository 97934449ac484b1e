"""Follow-ups on a table, without a model: sort it, narrow it, page through it.

Each makes a new table, which remembers how it was found and what was requested of it since. So the last one
can be undone. Sorting is stable and puts unknown values last in both directions. Each dropped row is counted
by its reason. A request that the table can't serve is a UsageError.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from .errors import UsageError
from .money import Money, beyond
from .tables import (
    BEST_RATED,
    CHANGE,
    COST,
    DATE,
    EXTRA,
    NUMBER,
    PAGE,
    RATING,
    STATE,
    TEXT,
    TIME,
    Cell,
    Check,
    Column,
    FollowUp,
    Rating,
    Row,
    Table,
    cell_in,
    column_of,
    currencies,
    details,
    format_reasons,
    meaning,
    money_in,
    row_on,
)
from .text import has_word, one_line, pluralize
from .types import Outcome

SHOW = "show"  # (number: of a line) which changes nothing
_RULE = "nothing is looked up"  # by which it may be done
_LONGEST = 40  # characters of what was asked, in a message
_LONGEST_NAME = 80  # of a column's name
_DIGITS = 9  # behind the point of a rating that was drawn: rounding is to order nothing
_T = TypeVar("_T")


def apply_follow_up(table: Table, follow_up: FollowUp) -> Table:
    """Apply a follow-up to *table*. The result may be empty. `left_out` says why."""
    found = table.found or table
    if follow_up.verb == "undo":
        if not table.follow_ups:
            raise UsageError("There is nothing to undo: the list is as it was found.")
        return _replayed(found, table.follow_ups[:-1])
    return _apply_verb(table, follow_up)._replace(found=found, follow_ups=(*table.follow_ups, follow_up))


def _replayed(found: Table, all_asked: Iterable[FollowUp]) -> Table:
    for follow_up in all_asked:
        found = apply_follow_up(found, follow_up)
    return found


def run_follow_up(table: Table, follow_up: FollowUp, words: str, shown: Sequence[str]) -> Outcome:
    """Run a follow-up. Returns the changed table, or the details of one row.

    shown: the ids on the lines of the list last shown. Raises UsageError, also if no row would be left.
    """
    if follow_up.verb == SHOW:
        row = row_on(follow_up.number, shown, table)
        if not table.is_hidden:
            return Outcome("done", details(row, table), rule=_RULE)
        follow_up = follow_up._replace(number=table.rows.index(row) + 1)  # what it says stands in no outcome
    changed = apply_follow_up(table, follow_up)
    if table.rows and not changed.rows:
        gone = Counter(changed.left_out)
        gone.subtract(table.left_out)
        raise UsageError(f"Nothing would be left of the list: {format_reasons(+gone)}. It stays as it is.")
    message = f"The list was changed: {words}. It has {pluralize(len(changed.rows), 'lines')}."
    return Outcome("done", message, table=changed, rule=_RULE)


def _apply_verb(table: Table, follow_up: FollowUp) -> Table:
    """Apply one verb of a follow-up to *table*. Brackets list the other fields that it uses."""
    match follow_up.verb:
        case "more" if table.end >= len(table.rows):
            raise UsageError(f"The list has no more: it is {pluralize(len(table.rows), 'lines')} long.")
        case "more":
            return table._replace(start=table.end, end=table.end + PAGE)
        case "show":  # (number: of a row)
            return table._replace(start=follow_up.number - 1, end=follow_up.number)
        case "all":
            return table._replace(start=0, end=max(PAGE, len(table.rows)))
        case "sort":  # (word: a column's name, falling)
            changed = _sorted_by(table, follow_up)
        case verb if verb in SORTS:
            changed = _sorted_by(table, follow_up)
        case verb if against := FILTERS.get(verb):
            changed = _narrowed(table, against(table, follow_up))
        case _:
            raise UsageError(f"Nothing can be done with a list by “{one_line(follow_up.verb, _LONGEST)}”.")
    end = max(table.end, follow_up.number) if follow_up.verb == "first" else PAGE
    return changed._replace(start=0, end=end)


# Sorting.

# By their verbs: the column, which way it goes, and what is said of a list without one.
SORTS: Mapping[str, tuple[Callable[[Table], Column | None], bool, str]] = {
    "cheapest": (lambda table: meaning(table, COST), False, "The list has no prices."),
    "dearest": (lambda table: meaning(table, COST), True, "The list has no prices."),
    BEST_RATED: (lambda table: column_of(table, RATING), True, "The list has no ratings."),
    "worst": (
        lambda table: meaning(table, CHANGE) or column_of(table, RATING),
        False,
        "The list does not say what rose or fell.",
    ),
    "newest": (
        lambda table: column_of(table, DATE) or column_of(table, TIME),
        True,
        "The list does not say how new anything is.",
    ),
}


def leading(table: Table, follow_up: FollowUp, count: int = 1) -> tuple[Row, ...]:
    """Return the rows that a sort puts first, such as the three cheapest, without unknown ones.

    Raises UsageError if there is none, or if amounts are in several currencies.
    """
    key = _sort_column(table, follow_up)[0].key
    rows = [row for row in _sorted_by(table, follow_up).rows if row.cells.get(key) is not None]
    if len(found := currencies(row.cells[key] for row in rows)) > 1:
        raise UsageError(f"Can't compare amounts in {' and '.join(found)}.")
    if not rows:
        raise UsageError("That is not known of anything in the list.")
    return tuple(rows[:count])


def _sort_column(table: Table, follow_up: FollowUp) -> tuple[Column, bool]:
    """Return the column to sort by and the direction. By default ratings fall and everything else rises."""
    if follow_up.verb == "sort":
        column = _column_named(table, follow_up.word)
        return column, column.kind == RATING if follow_up.falling is None else follow_up.falling
    find, falling, without = SORTS[follow_up.verb]
    if found := find(table):
        return found, falling
    raise UsageError(without)


def _column_named(table: Table, name: str) -> Column:
    """Return the column that a person or the model calls *name*, by its label or key. Raises UsageError."""
    folded = _folded(name)
    for column in table.columns:
        if folded in (_folded(column.label), _folded(column.key)):
            return column
    labels = ", ".join(one_line(column.label) for column in table.columns)
    raise UsageError(f"The list has no column “{one_line(name, _LONGEST)}”, but these: {labels}.")


def _folded(name: str) -> str:
    return one_line(name, _LONGEST_NAME).casefold().replace("_", " ")


def _sorted_by(table: Table, follow_up: FollowUp) -> Table:
    """Return *table* sorted as requested. Each currency is a block, the most common one first."""
    column, falling = _sort_column(table, follow_up)
    cells = [row.cells.get(column.key) for row in table.rows]
    places = {currency: -at if falling else at for at, currency in enumerate(currencies(cells))}
    values: Sequence[Any] = [_value(cell, places) for cell in cells]
    order = f"-{column.key}" if falling else column.key
    if follow_up.verb == BEST_RATED:
        values = drawn_ratings([cell if isinstance(cell, Rating) else None for cell in cells])
        order = BEST_RATED
    with_value = [at for at, value in enumerate(values) if value is not None]
    unknown = [at for at, value in enumerate(values) if value is None]
    ordered = [*sorted(with_value, key=values.__getitem__, reverse=falling), *unknown]
    return table._replace(rows=tuple(table.rows[at] for at in ordered), order=order)


def _value(cell: Cell, places: Mapping[str, int]) -> object:
    """Return the value by which *cell* is compared, or None if it is unknown."""
    if isinstance(cell, str):
        return one_line(cell).casefold() or None
    if isinstance(cell, Rating):
        return cell.value, cell.raters or 0
    money = money_in(cell)
    return (places[money.currency], money.amount) if money else cell


def drawn_ratings(ratings: Sequence[Rating | None]) -> list[Decimal | None]:
    """Return *ratings* shrunk toward their mean by number of votes. None stays None.

    It adds as many votes for the mean as rows in this list usually have. If no row has a number of votes,
    ratings count as they are.
    """
    rated = [rating for rating in ratings if rating]
    counts = sorted(rating.raters for rating in rated if rating.raters is not None)
    if not counts:
        return [rating and rating.value for rating in ratings]
    mean = sum((rating.value for rating in rated), Decimal(0)) / len(rated)
    usual = max(1, counts[len(counts) // 2])

    def shrink_to_mean(rating: Rating) -> Decimal:
        count = rating.raters or 0
        return round((mean * usual + rating.value * count) / (usual + count), _DIGITS)

    return [rating and shrink_to_mean(rating) for rating in ratings]


# Narrowing. A filter says what there is against each row: a reason, or nothing.


def _narrowed(table: Table, reasons: Sequence[str]) -> Table:
    """Return *table* without the rows that there is a reason against.

    The sums in its foot would not hold any more, nor what was checked of them.
    """
    if not any(reasons):
        return table
    rows = tuple(row for row, reason in zip(table.rows, reasons, strict=True) if not reason)
    left_out = Counter(table.left_out)
    left_out.update(filter(None, reasons))
    return table._replace(rows=rows, left_out=dict(left_out), foot=(), checks=())


def at_most(table: Table, most: Money | None) -> Table:
    """Return the rows of *table* that cost at most the limit, or all without a limit."""
    return _narrowed(table, _beyond(table, most)) if most else table


def _beyond(table: Table, most: Money | None = None, least: Money | None = None) -> list[str]:
    """Return for each row why it is beyond the limits, or can't be compared with them."""
    column = meaning(table, COST)
    prices = [money_in(row.cells.get(column.key)) if column else None for row in table.rows]
    return [beyond(price, most, least) if price else "without a price" for price in prices]


def _limit(table: Table, follow_up: FollowUp) -> Money:
    """Return the limit that is *follow_up* for, in a currency of the list. Raises UsageError."""
    column = meaning(table, COST)
    found = currencies(row.cells.get(column.key) for row in table.rows) if column else []
    if not found:
        raise UsageError("The list has no prices.")
    if (
        follow_up.amount is None
        or (not follow_up.currency and len(found) > 1)
        or follow_up.currency not in ("", *found)
    ):
        amount = "100" if follow_up.amount is None else f"{follow_up.amount:f}"
        raise UsageError(
            f"The list has prices in {' and '.join(found)}. Which limit do you mean?",
            hint=f'jarvis "under {amount} {found[0]}"',
        )
    return Money(follow_up.amount, follow_up.currency or found[0])


def _not_free(table: Table, _: FollowUp) -> list[str]:
    column = meaning(table, EXTRA)
    if column is None:
        raise UsageError("The list does not say what delivery costs.")
    costs = [money_in(row.cells.get(column.key)) for row in table.rows]
    return [
        "of unknown delivery" if cost is None else "with paid delivery" if cost.amount else ""
        for cost in costs
    ]


def _without_word(table: Table, follow_up: FollowUp) -> list[str]:
    """Return for each row why it goes: no cell, else no part of a cell, else no title has the word."""
    word = one_line(follow_up.word).casefold()
    words = [column for column in table.columns if column.kind in (TEXT, STATE)]  # the first is the title
    reason = f"not {one_line(word, _LONGEST)}"
    for columns, says in ((words, str.__eq__), (words[1:], has_word), (words[:1], has_word)) if word else ():
        have = [any(says(_cell_text(row, column), word) for column in columns) for row in table.rows]
        if any(have):
            return ["" if has else reason for has in have]
    raise UsageError(f"Nothing in the list says “{one_line(follow_up.word, _LONGEST)}”.")


def _cell_text(row: Row, column: Column) -> str:
    cell = row.cells.get(column.key)
    return one_line(cell).casefold() if isinstance(cell, str) else ""


FILTERS: Mapping[str, Callable[[Table, FollowUp], Sequence[str]]] = {
    "only": _without_word,  # (word)
    "under": lambda table, of: _beyond(table, most=_limit(table, of)),  # (amount, currency)
    "over": lambda table, of: _beyond(table, least=_limit(table, of)),  # (amount, currency)
    "free delivery": _not_free,
    "first": lambda table, of: [  # (number)
        "" if at < of.number else f"beyond the first {of.number}" for at in range(len(table.rows))
    ],
}


# Keeping a list: as it was found, with what was asked of it since and can be undone.


def table_in(record: Mapping[str, Any]) -> Table:
    """Return the table that `kept_record` recorded, in any version, unchanged.

    A malformed cell becomes unknown. Raises UsageError if its follow-ups don't apply any more.
    """
    follow_ups = record.get("asked") or ()
    since = (_made(FollowUp, each, amount=cell_in(NUMBER, each.get("amount"))) for each in follow_ups)
    return _replayed(_found_in(record), since)


def _found_in(record: Mapping[str, Any]) -> Table:
    columns = tuple(_made(Column, each) for each in record["columns"])
    start, end = record.get("page") or (0, PAGE)
    return _made(
        Table,
        record,
        columns=columns,
        rows=_rows_in(record["rows"], columns, record.get("private")),
        failures=tuple(record.get("failures") or ()),
        foot=_rows_in(record.get("foot") or (), columns),
        checks=tuple(
            _made(
                Check,
                each,
                is_met=each.get("ok"),
                finding=each.get("said") or "",
                is_hard=each.get("hard") is not False,
            )
            for each in record.get("checks") or ()
        ),
        start=start,
        end=end,
        follow_ups=(),
    )


def _rows_in(records: Sequence[Any], columns: Sequence[Column], private: Any = None) -> tuple[Row, ...]:
    def row_in(record: Mapping[str, Any], own: Mapping[str, str]) -> Row:
        cells = {column.key: cell_in(column.kind, record.get(column.key)) for column in columns}
        return _made(Row, record, cells=cells, private=own)

    return tuple(map(row_in, records, private or [{}] * len(records)))


def _made(kind: Callable[..., _T], record: Mapping[str, Any], **own: object) -> _T:
    """Return a *kind* of its *own* values and, for the rest, of what *record* has by their names."""
    of: Any = kind  # a NamedTuple
    usual = {**dict.fromkeys(of._fields, ""), **of._field_defaults}
    fields = {name: record[name] for name in of._fields if record.get(name) is not None}
    return kind(**{**usual, **fields, **own})
