"""Tables as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from .errors import UsageError
from .follow_ups import replayed
from .money import Money, exact, money_of
from .tables import (
    DATE,
    DURATION,
    GIVEN,
    MONEY,
    NUMBER,
    PAGE,
    PERCENT,
    RATING,
    TEXT,
    TIME,
    Cell,
    Check,
    Column,
    FollowUp,
    Price,
    Rating,
    Row,
    Table,
)
from .text import one_line

_LONGEST = 2048  # characters of a text
_MOST = 10**9  # of what is counted
_OF_A_ROW = ("line", "id", "url", "link")  # a cell has none of these keys
_MOMENT = frozenset("0123456789T:.,+-Z")
_LONGEST_MOMENT = 40


def record_of(table: Table, first: int = 1) -> dict[str, Any]:
    """Return *table* as it stands, with all its rows. first: the number of its first line; 0: it has none."""
    return {
        "kind": table.kind,
        "columns": [column._asdict() for column in table.columns],
        "rows": [_of_row(table, row, first + at if first else None) for at, row in enumerate(table.rows)],
        "order": table.order,
        "left_out": dict(table.left_out),
        "note": " ".join(filter(None, (table.note, *table.failures))),
        "seen_at": table.seen_at or None,
        "foot": [_of_row(table, row, None) for row in table.foot],
        **({"checks": [*map(_of_check, table.checks)]} if table.checks else {}),
    }


def kept_record_of(table: Table) -> dict[str, Any]:
    """Return *table* as it was found, with what was asked of it since and can be undone: what to keep."""
    found = table.found or table
    return {
        **record_of(found),
        "note": found.note,
        "failures": [*found.failures],
        "page": [found.start, found.end],
        "asked": [{name: _of_cell(each) for name, each in asked._asdict().items()} for asked in table.asked],
        "private": [dict(row.private) for row in found.rows],
    }


def _of_row(table: Table, row: Row, line: int | None) -> dict[str, Any]:
    cells = {column.key: _of_cell(row.cells.get(column.key)) for column in table.columns}
    own = {"line": line, "id": row.id or None, "url": row.url or None, "link": row.link or None}
    return {**cells, **own}


def _of_check(check: Check) -> dict[str, Any]:
    return {"name": check.name, "ok": check.is_met, "said": check.said, "hard": check.is_hard}


def _of_cell(cell: Cell) -> Any:
    if isinstance(cell, Price):
        return {**cell.money.record, "basis": cell.basis}
    if isinstance(cell, Money):
        return cell.record
    if isinstance(cell, Rating):
        return {"value": f"{cell.value:f}", "count": cell.raters}
    return f"{cell:f}" if isinstance(cell, Decimal) else cell


def table_in(record: object) -> Table:
    """Return the table that either of the two wrote down, in whichever version, as it stands.

    What it doesn't know is passed over, and a cell that makes no sense is unknown. Raises ValueError where
    all of it makes none, as its lines would get other numbers.
    """
    try:
        return _table(record)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"the table makes no sense: {error}") from None
    except UsageError as error:
        raise ValueError(error.message) from None


def _table(record: Any) -> Table:
    columns = tuple(map(_column, _list(record, "columns")))
    private = [*_list(record, "private"), *[None] * len(_list(record, "rows"))]
    start, end = _page(record.get("page"))
    kind, order, note, seen_at = _fields(record, kind=_text, order=_text, note=_text, seen_at=_text)
    found = Table(
        kind=kind,
        columns=columns,
        rows=tuple(_row(row, columns, own) for row, own in zip(_list(record, "rows"), private, strict=False)),
        order=order or GIVEN,
        left_out={_text(reason): _whole(n) or 1 for reason, n in (record.get("left_out") or {}).items()},
        note=note,
        failures=tuple(map(_text, _list(record, "failures"))),
        seen_at=seen_at,
        foot=tuple(_row(each, columns) for each in _list(record, "foot")),
        checks=tuple(map(_check, _list(record, "checks"))),
        start=start,
        end=end,
    )
    return replayed(found, [*map(_follow_up, _list(record, "asked"))])


def _list(record: Any, name: str) -> list[Any]:
    """Return a list of *record*, which may be missing. Raises TypeError for anything else."""
    if not isinstance(value := record.get(name) or [], list):
        raise TypeError(f"the {name} are no list")
    return value


def _column(record: Any) -> Column:
    key, label, kind, rank = _fields(record, key=_text, label=_text, kind=_text, rank=_whole)
    if not key or key in _OF_A_ROW:
        raise KeyError("a column's key")
    return Column(key, label or key, kind or TEXT, 1 if rank is None else rank)


def _row(record: Any, columns: Sequence[Column], private: object = None) -> Row:
    id_, url, link = _fields(record, id=_text, url=_text, link=_text)
    cells = {column.key: cell_in(column.kind, record.get(column.key)) for column in columns}
    own = private.items() if isinstance(private, Mapping) else ()
    return Row(id_, cells, url, link, {key: _text(each) for key, each in own})


def _check(record: Any) -> Check:
    name, is_met, said, is_hard = _fields(record, name=_text, ok=_flag, said=_text, hard=_flag)
    return Check(name, is_met, said, is_hard is not False)


def _follow_up(record: Any) -> FollowUp:
    verb, word, falling, amount = _fields(record, verb=_text, word=_text, falling=_flag, amount=_number)
    currency, number = _fields(record, currency=_text, number=_whole)
    return FollowUp(verb, word, falling, amount, currency, number or 0)


def _fields(record: Any, **read: Callable[[object], Any]) -> list[Any]:
    """Return the values of *record* by their names, each as it is read."""
    return [read_one(record.get(name)) for name, read_one in read.items()]


def _page(value: object) -> tuple[int, int]:
    """Return the first row of the page and the one behind its last."""
    match value:
        case [int(start), int(end)] if 0 <= start < end < _MOST:
            return start, end
    return 0, PAGE


def cell_in(kind: str, value: object) -> Cell:
    """Return the cell that *value* is, in a column of that *kind*; unknown, if it is none."""
    return _CELLS.get(kind, _words)(value)


def _words(value: object) -> Cell:
    return _text(value) or None


def _money(value: object) -> Cell:
    money = money_of(value)
    basis = _text(value.get("basis")) if isinstance(value, Mapping) else ""
    return Price(money, basis) if money and basis else money


def _rating(value: object) -> Cell:
    known = value if isinstance(value, Mapping) else {}
    rated = _number(known.get("value"))
    return None if rated is None else Rating(rated, _whole(known.get("count")))


def _moment(value: object) -> Cell:
    text = value if isinstance(value, str) else ""
    is_moment = text[:1].isdigit() and 1 < len(text) <= _LONGEST_MOMENT and _MOMENT.issuperset(text)
    return text if is_moment else None


def _number(value: object) -> Decimal | None:
    return exact(value) if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < _MOST else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""


_CELLS: Mapping[str, Callable[[object], Cell]] = {
    MONEY: _money,
    RATING: _rating,
    NUMBER: _number,
    PERCENT: _number,
    DURATION: _whole,
    DATE: _moment,
    TIME: _moment,
}
