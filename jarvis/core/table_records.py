"""Tables as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        **({"checks": [_of_check(check) for check in table.checks]} if table.checks else {}),
    }


def kept_record_of(table: Table) -> dict[str, Any]:
    """Return *table* as it was found, with what was asked of it since and can be undone: what to keep."""
    found = table.found or table
    record, asked = record_of(found), [_of_follow_up(each) for each in table.asked]
    private = [dict(row.private) for row in found.rows]
    note = {"note": found.note, "failures": [*found.failures]}
    return {**record, **note, "page": [found.start, found.end], "asked": asked, "private": private}


def table_in(record: object) -> Table:
    """Return the table that either of the two wrote down, as it stands.

    What it doesn't know is passed over, and a cell that makes no sense is unknown. Raises ValueError where
    the lines would get other numbers by that.
    """
    if not isinstance(record, Mapping):
        raise ValueError("a table is no object")
    columns = tuple(_column(each) for each in _list(record, "columns"))
    start, end = _page(record.get("page"))
    rows, private = _list(record, "rows"), _list(record, "private")
    found = Table(
        kind=_text(record.get("kind")),
        columns=columns,
        rows=tuple(_row(each, columns, *private[at : at + 1]) for at, each in enumerate(rows)),
        order=_text(record.get("order")) or GIVEN,
        left_out=_counts(record.get("left_out")),
        note=_text(record.get("note")),
        failures=tuple(map(_text, _list(record, "failures"))),
        seen_at=_text(record.get("seen_at")),
        foot=tuple(_row(each, columns) for each in _list(record, "foot")),
        checks=tuple(map(_check, _list(record, "checks"))),
        start=start,
        end=end,
    )
    try:
        return replayed(found, [_follow_up(each) for each in _list(record, "asked")])
    except UsageError as error:
        raise ValueError(error.message) from None


def cell_in(kind: str, value: object) -> Cell:
    """Return the cell that *value* is, in a column of that *kind*; unknown, if it is none."""
    if kind == MONEY:
        money, basis = money_of(value), _text(_field(value, "basis"))
        return Price(money, basis) if money and basis else money
    if kind == RATING:
        rated = _number(_field(value, "value"))
        return None if rated is None else Rating(rated, _whole(_field(value, "count")))
    if kind in (NUMBER, PERCENT):
        return _number(value)
    if kind == DURATION:
        return _whole(value)
    if kind in (DATE, TIME):
        return value if isinstance(value, str) and _is_moment(value) else None
    return _text(value) or None


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


def _of_follow_up(asked: FollowUp) -> dict[str, Any]:
    """Return what *asked* says, without what it leaves open."""
    nothing = FollowUp("")._asdict()
    said = {name: value for name, value in asked._asdict().items() if value != nothing[name]}
    return said if asked.amount is None else {**said, "amount": f"{asked.amount:f}"}


def _column(record: object) -> Column:
    key = _text(_field(record, "key"))
    if not key or key in _OF_A_ROW:
        raise ValueError("a column of the table has no key")
    label, kind, rank = (_field(record, name) for name in ("label", "kind", "rank"))
    known = _whole(rank)
    return Column(key, _text(label) or key, _text(kind) or TEXT, 1 if known is None else known)


def _row(record: object, columns: Sequence[Column], private: object = None) -> Row:
    if not isinstance(record, Mapping):
        raise ValueError("a row of the table is no object")
    cells = {column.key: cell_in(column.kind, record.get(column.key)) for column in columns}
    return Row(
        _text(record.get("id")),
        cells,
        _text(record.get("url")),
        _text(record.get("link")),
        _texts(private),
    )


def _texts(value: object) -> dict[str, str]:
    items = value.items() if isinstance(value, Mapping) else ()
    return {str(key): _text(each) for key, each in items if isinstance(each, str)}


def _check(record: object) -> Check:
    name, met, said, hard = (_field(record, key) for key in ("name", "ok", "said", "hard"))
    return Check(_text(name), met if isinstance(met, bool) else None, _text(said), hard is not False)


def _follow_up(record: object) -> FollowUp:
    verb, word, falling, amount, currency, number = (_field(record, name) for name in FollowUp._fields)
    return FollowUp(
        _text(verb),
        _text(word),
        falling if isinstance(falling, bool) else None,
        _number(amount),
        _text(currency),
        _whole(number) or 0,
    )


def _field(record: object, name: str) -> object:
    return record.get(name) if isinstance(record, Mapping) else None


def _list(record: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list of *record*, which may be missing. Raises ValueError for anything else."""
    if not isinstance(value := record.get(name) or [], list):
        raise ValueError(f"the {name} of the table are no list")
    return value


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""


def _number(value: object) -> Decimal | None:
    return exact(value) if isinstance(value, str) else None


def _is_moment(text: str) -> bool:
    return 1 < len(text) <= _LONGEST_MOMENT and text[0].isdigit() and _MOMENT.issuperset(text)


def _whole(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < _MOST else None


def _counts(value: object) -> dict[str, int]:
    counts = value.items() if isinstance(value, Mapping) else ()
    return {_text(reason): known for reason, count in counts if (known := _whole(count))}


def _page(value: object) -> tuple[int, int]:
    """Return the first row of the page and the one behind its last."""
    match value:
        case [int(start), int(end)] if 0 <= start < end < _MOST:
            return start, end
    return 0, PAGE
