"""Keeps the tables of a turn with it, as JSON: their rows are the offers that a list has beside addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.stdlib import TYPE_CHECKING, Any, NamedTuple, dumps, loads
from ..core.text import one_line
from ..core.types import OFFER, Address
from .database import Transaction

if TYPE_CHECKING:
    from ..core.tables import Table

_TITLE = "title"  # the key of the column that says what a row is; without one the first of words does
_LONGEST = 300  # characters of a title


class Listed(NamedTuple):
    """A table of a turn."""

    table: Table
    first: int  # the number of its first line; 0: it was not listed


class Kept(NamedTuple):
    """Tables as they are kept."""

    text: str
    offers: int  # the highest number among the ids of their rows


def kept_tables(tables: Sequence[Listed]) -> Kept:
    """Return *tables* as they are written down."""
    from ..core.table_records import kept_record_of  # few turns have tables

    records = [{**kept_record_of(table), "first": first} for table, first in tables]
    return Kept(dumps(records, ensure_ascii=False), max(map(_number, _ids(records)), default=0))


def tables_in(text: str | None) -> tuple[Listed, ...]:
    """Return the tables that `kept_tables` wrote; one that makes no sense any more is left out."""
    if not text:
        return ()
    from ..core.table_records import table_in  # few lists have tables, and to open a line needs none

    def read(record: Any) -> Iterator[Listed]:
        try:
            yield Listed(table_in(record), record["first"])
        except ValueError:
            return

    return tuple(listed for record in loads(text) for listed in read(record))


def offers_in(text: str | None) -> dict[str, Address]:
    """Return what can be opened of the tables that `kept_tables` wrote, by id; without a page it has no URL.

    A follow-up changes neither: it is enough to read how the tables were found.
    """
    found: dict[str, Address] = {}
    for record in loads(text) if text else []:
        texts = [column["key"] for column in record["columns"] if column["kind"] == "text"]
        key = _TITLE if _TITLE in texts else next(iter(texts), "")
        for row in record["rows"]:
            if id_ := row["id"]:
                title = one_line(row.get(key) or "", _LONGEST)
                found.setdefault(id_, Address(id_, row["url"] or "", title, source="found"))
    return found


async def count_offers(transaction: Transaction, thread: str, offers: int) -> None:
    """Write down that *thread* has given ids of offers up to that number, or keep a higher one."""
    await transaction.run("UPDATE threads SET offers = ? WHERE id = ? AND offers < ?", offers, thread, offers)


def _ids(records: Sequence[Any]) -> Iterator[str]:
    return (row["id"] for record in records for row in record["rows"] if row["id"])


def _number(id_: str) -> int:
    """Return the number in the id of an offer; 0 for any other."""
    digits = id_.removeprefix(OFFER)
    return int(digits) if digits != id_ and digits.isdecimal() else 0
