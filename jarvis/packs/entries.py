"""Makes a table of a service's findings: flat records, with each cell under its column's key.

Unreadable values are unknown, and rows left out are counted. Each value may be missing, null, or something
else: nothing raises.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ..core import urls
from ..core.money import number_of, price_in, price_of
from ..core.tables import (
    LINK,
    MONEY,
    NUMBER,
    PERCENT,
    RATING,
    STATE,
    TEXT,
    Cell,
    Column,
    Rating,
    Row,
    Table,
    cell_in,
    format_reasons,
)
from ..core.text import one_line, pluralize
from ..core.types import Outcome
from ..search.extract import PAID, leads_on, public_address
from ..search.extract import at as at  # for packs, with the others here

MOST = 40  # rows of a table
BEYOND = f"beyond the first {MOST}"
MERCHANT = "merchant"  # the address of a row is that of who sells it
# Why something was left out.
AD = "ads"
UNREADABLE = "unreadable"
NO_TITLE = "without a title"
_TITLE = 200  # characters
_NOTE = 120
_NOTES = 8
_TOKEN = 4096
_RATERS = 10**9
_STARS = 5


def entry_table(
    kind: str, columns: Sequence[Column], entries: object, *, country: str = "", currency: str = ""
) -> Table:
    """Return a table of that *kind* from *entries*, a list, with the values under the keys of *columns*.

    The first column is the name of a thing. An entry without a name is left out, and so is an ad. Its page is
    its `link`. The number of ratings is under `reviews`, next to `rating`. country: of the search, two
    letters. It decides the meaning of $. currency: of prices that are bare numbers.
    """
    given: list[tuple[Any, str]] = [(e, reason_against(e, columns[0].key)) for e in entries_at(entries)]
    rows = []
    for entry in (entry for entry, reason in given if not reason):
        cells = {column.key: _cell(entry, column, country, currency) for column in columns}
        page = page_at(entry)
        rows.append(Row("", cells, page, MERCHANT if page else ""))
    return table_of(kind, columns, rows, Counter(reason for _, reason in given if reason))


def table_of(
    kind: str, columns: Sequence[Column], rows: Sequence[Row], left_out: Mapping[str, int], note: str = ""
) -> Table:
    """Return a table of *rows*, seen now. Rows after the first MOST are counted with *left_out*."""
    gone = Counter(left_out) + Counter({BEYOND: len(rows[MOST:])})
    seen_at = datetime.now(UTC).isoformat(timespec="seconds")
    shown, reasons = tuple(rows[:MOST]), dict(gone.most_common())
    return Table(kind, tuple(columns), shown, left_out=reasons, note=note, seen_at=seen_at)


def outcome_of(table: Table, target: str, things: str) -> Outcome:
    """Return the outcome of an action that answers with *table*. things: what is in it, several of them.

    Where no row is left it says whether nothing was found, or why all of it was left out.
    """
    if table.rows:
        text = f"Found {pluralize(len(table.rows), things)} for {target}."
    elif table.left_out:
        why = format_reasons(table.left_out)
        text = f"None of the {things} that were found fits {target}: {why}."
    else:
        text = f"No {things} were found for {target}."
    return Outcome("done", text, value=target, table=table if table.rows else None)


def entries_at(answer: object, *keys: str) -> list[object]:
    """Return the list in *answer* under these keys, or [] for anything else."""
    value = at(answer, *keys)
    return value if isinstance(value, list) else []


def words_at(entry: object, *keys: str, limit: int = _TITLE) -> str:
    """Return the words in *entry* under these keys, on one line, or ""."""
    value = at(entry, *keys)
    return one_line(value, limit) if isinstance(value, str) else ""


def token_at(entry: object, *keys: str) -> str:
    """Return the service's own token, unchanged, or "" if the value is something else."""
    value = at(entry, *keys)
    is_token = isinstance(value, str) and value.isascii() and value.isprintable() and len(value) <= _TOKEN
    return value if is_token and isinstance(value, str) else ""


def rating_at(entry: object) -> Rating | None:
    """Return the rating in *entry*, of at most five stars."""
    value, raters = at(entry, "rating"), at(entry, "reviews")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _STARS:
        return None
    is_count = isinstance(raters, int) and not isinstance(raters, bool) and 0 < raters < _RATERS
    return Rating(Decimal(str(value)), raters if is_count and isinstance(raters, int) else None)


def notes_of(*values: object) -> tuple[str, ...]:
    """Return the texts in *values*, also those in lists, each once."""
    all_of_it = (text for each in values for text in (each if isinstance(each, list) else [each]))
    lines = (one_line(text, _NOTE) for text in all_of_it if isinstance(text, str))
    return tuple(dict.fromkeys(filter(None, lines)))[:_NOTES]


def page_at(entry: object, key: str = "link") -> str:
    """Return the address of a page under *key*, or "" for a redirect or a page of the search service."""
    address = public_address(at(entry, key))
    return address.url if address and not leads_on(address.url) else ""


def reason_against(entry: object, title: str = "title") -> str:
    """Return the reason to leave *entry* out, or "" to keep it. title: the key of its name."""
    if not isinstance(entry, dict):
        return UNREADABLE
    if any(entry.get(mark) for mark in PAID):
        return AD
    return "" if words_at(entry, title) else NO_TITLE


def _cell(entry: Mapping[str, object], column: Column, country: str, currency: str) -> Cell:
    value = entry.get(column.key)
    if column.kind in (TEXT, STATE):
        return words_at(entry, column.key) or None
    if column.kind == MONEY:
        extracted = entry.get(f"extracted_{column.key}")
        return price_in(value, country, extracted, default=currency) or price_of(value, currency)
    if column.kind in (NUMBER, PERCENT):
        return number_of(value)
    if column.kind == RATING:
        return rating_at({"rating": value, "reviews": entry.get("reviews")})
    if column.kind == LINK:
        return address.url if (address := urls.found(value)) else None
    return cell_in(column.kind, value)
