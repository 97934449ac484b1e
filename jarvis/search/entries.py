"""Makes a table of a service's entries: flat records, in which each cell stands under its column's key.

What can't be read is unknown, and what is left out is counted. For shops there is more: see offers/.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ..core import urls
from ..core.money import number_of, price_in, price_of
from ..core.table_records import cell_in
from ..core.tables import LINK, MONEY, NUMBER, PERCENT, RATING, STATE, TEXT, Cell, Column, Row, Table
from .extract import PAID
from .offers.offer import AD, MERCHANT, NO_TITLE, UNREADABLE
from .offers.pages import merchant_page
from .offers.values import rating_at, words_at

MOST = 40  # rows of a table
BEYOND = f"behind the first {MOST}"


def entry_table(
    kind: str, columns: Sequence[Column], entries: object, *, country: str = "", currency: str = ""
) -> Table:
    """Return a table of that *kind*, with what *entries*, a list, say under the keys of the *columns*.

    The first column is the name of a thing: an entry without one is left out, as is an ad. Its page is its
    `link`; beside `rating` the number of those who rated stands under `reviews`.
    country: where was asked, of two letters; it says what $ means. currency: of prices that are bare numbers.
    """
    rows: list[Row] = []
    left_out = Counter[str]()
    for entry in entries if isinstance(entries, list) else []:
        if reason := _reason_against(entry, columns[0]):
            left_out[reason] += 1
        elif len(rows) == MOST:
            left_out[BEYOND] += 1
        else:
            rows.append(_row(entry, columns, country, currency))
    seen_at = datetime.now(UTC).isoformat(timespec="seconds")
    return Table(kind, tuple(columns), tuple(rows), left_out=dict(left_out), seen_at=seen_at)


def _reason_against(entry: object, title: Column) -> str:
    """Return why *entry* is left out; empty where it is not."""
    if not isinstance(entry, dict):
        return UNREADABLE
    if any(entry.get(mark) for mark in PAID):
        return AD
    return "" if words_at(entry, title.key) else NO_TITLE


def _row(entry: Mapping[str, object], columns: Sequence[Column], country: str, currency: str) -> Row:
    page = merchant_page(entry.get("link"))
    cells = {column.key: _cell(entry, column, country, currency) for column in columns}
    return Row("", cells, page, MERCHANT if page else "")


def _cell(entry: Mapping[str, object], column: Column, country: str, currency: str) -> Cell:
    value = entry.get(column.key)
    if column.kind in (TEXT, STATE):
        return words_at(entry, column.key) or None
    if column.kind == MONEY:
        extracted = entry.get(f"extracted_{column.key}")
        return price_in(value, country, extracted, asked=currency) or price_of(value, currency)
    if column.kind in (NUMBER, PERCENT):
        return number_of(value)
    if column.kind == RATING:
        return rating_at({"rating": value, "reviews": entry.get("reviews")})
    if column.kind == LINK:
        return address.url if (address := urls.found(value)) else None
    return cell_in(column.kind, value)
