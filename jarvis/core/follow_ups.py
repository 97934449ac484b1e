"""What a person asks of the list before them, done without a model: sort it, narrow it, turn its pages.

Each makes a table of a table, which remembers how it was found and what was asked of it since: so the last
can be undone. What the list has not is a UsageError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from . import filters, sorting
from .errors import UsageError
from .tables import PAGE, FollowUp, Row, Table
from .text import counted, one_line

UNDO = "undo"
SHOW = "show"  # (number: of a line) which changes nothing: see details.py
_MOST = 30  # that can be undone


def followed(table: Table, asked: FollowUp) -> Table:
    """Return *table* after what is *asked*; perhaps with no rows left, which its reasons tell."""
    found, all_asked = table.found or table, (*table.asked, asked)
    if asked.verb == UNDO:
        return _undone(found, table.asked)
    if len(all_asked) > _MOST:
        found, all_asked = _done(found, all_asked[0]), all_asked[1:]
    return _done(table, asked)._replace(found=found, asked=all_asked)


def narrowed_to_some(table: Table, asked: FollowUp) -> Table:
    """Return *table* after what a person asked. Raises UsageError where no row of it would be left."""
    after = followed(table, asked)
    if after.rows or not table.rows:
        return after
    from .table_text import told_reasons  # few ask for what is not there

    gone = {reason: count - table.left_out.get(reason, 0) for reason, count in after.left_out.items()}
    told = told_reasons({reason: count for reason, count in gone.items() if count})
    raise UsageError(f"Nothing would be left of the list: {told}. It stays as it is.")


def replayed(found: Table, all_asked: Sequence[FollowUp]) -> Table:
    """Return *found* after all that was asked, in this order."""
    for asked in all_asked:
        found = followed(found, asked)
    return found


def leading(table: Table, asked: FollowUp, count: int = 1) -> tuple[Row, ...]:
    """Return the rows that a sort puts first, such as the three cheapest: none of which it isn't known.

    Raises UsageError where there is none, and where amounts in several currencies can't be compared.
    """
    return sorting.comparable(_done(table, asked))[:count]


def _undone(found: Table, all_asked: Sequence[FollowUp]) -> Table:
    if not all_asked:
        raise UsageError("There is nothing to undo: the list is as it was found.")
    return replayed(found, all_asked[:-1])


def _done(table: Table, asked: FollowUp) -> Table:
    if asked.verb in PAGING:
        return PAGING[asked.verb](table)
    if change := {**SORTS, **FILTERS}.get(asked.verb):
        return change(table._replace(start=0, end=PAGE), asked)
    raise UsageError(f"Nothing can be done with a list by “{one_line(asked.verb, 40)}”.")


def _more(table: Table) -> Table:
    if table.end >= len(table.rows):
        raise UsageError(f"The list has no more: it is {counted(len(table.rows), 'lines')} long.")
    return table._replace(start=table.end, end=table.end + PAGE)


def _all(table: Table) -> Table:
    return table._replace(start=0, end=max(PAGE, len(table.rows)))


# By their verbs; in brackets what a FollowUp says besides.
SORTS: Mapping[str, Callable[[Table, FollowUp], Table]] = {
    "sort": sorting.by_name,  # (word: a column's name, falling)
    "cheapest": sorting.cheapest_first,
    "dearest": sorting.dearest_first,
    "best rated": sorting.best_rated_first,
    "newest": sorting.newest_first,
}
FILTERS: Mapping[str, Callable[[Table, FollowUp], Table]] = {
    "only": filters.saying,  # (word)
    "under": filters.under,  # (amount, currency)
    "over": filters.over,  # (amount, currency)
    "free delivery": filters.with_free_delivery,
    "first": filters.first_rows,  # (number)
}
PAGING: Mapping[str, Callable[[Table], Table]] = {"more": _more, "all": _all}
