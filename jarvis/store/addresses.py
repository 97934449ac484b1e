"""Reads addresses from history, offers some of them to the model, and packs a turn's tables.

The rows of those tables are offers. A list has them with its addresses.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import starmap
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError
from ..core.events import TableShown
from ..core.text import one_line
from ..core.types import APP, FILE, OFFER, TERMINALS, Address, Turn
from ..core.urls import page_url
from .database import Row, Statement

if TYPE_CHECKING:
    from ..core.tables import Table

MOST_TURNS = 2**31 - 1  # of a thread: the biggest number that a column takes
FOUND_MOST = 10  # by one search
OFFERED_SEARCHES = 3
OFFERED_OPENED = 10
OFFERED_MOST = 30  # larger enums are refused by the API
SELECT_ADDRESS = "SELECT id, url, title, '', source, official, official_name FROM addresses"
# The turn of the oldest search that is offered.
OLDEST_SEARCH = (
    "SELECT MIN(turn) FROM (SELECT DISTINCT turn, step FROM addresses WHERE thread = ? AND step > 0"
    f" ORDER BY turn DESC, step DESC LIMIT {OFFERED_SEARCHES}) AS searches"
)
_LONGEST = 60  # characters of a title in a message


def page_in(row: Address) -> Address:
    """Return the page in a database *row*. If its address can't be used, it has none."""
    return row._replace(url="" if row.source in (APP, FILE) else page_url(row.url))


def pages_in(rows: Iterable[Address]) -> list[Address]:
    """Return the pages among *rows*: nothing else comes out of a database."""
    return [page for page in map(page_in, rows) if page.url]


def nth(shown: Sequence[Address], number: int) -> Address | None:
    """Return line *number* of *shown*, counted from 1, or None if there is no such line. -1 is the last
    one.
    """
    number = len(shown) if number == -1 else number
    return shown[number - 1] if 1 <= number <= len(shown) else None


def offer(addresses: Sequence[Address]) -> list[Address]:
    """Return at most 30 of *addresses*, the first ones counting most, each URL once, in the order of ids.

    An address that was typed keeps its id, and takes on what a search knows of it.
    """
    once: dict[str, Address] = {}
    for address in addresses:
        if not address.url:  # an offer without a page
            continue
        kept = once.setdefault(address.url, address)
        verified = max(kept, address, key=lambda each: (bool(each.official_name), bool(each.official)))
        once[address.url] = kept._replace(
            title=kept.title or address.title,
            snippet=kept.snippet or address.snippet,
            official=verified.official,
            official_name=verified.official_name,
        )
    return sorted(list(once.values())[:OFFERED_MOST], key=lambda each: (each.id[:1], int(each.id[1:])))


def finding_list(thread: str, before: int = MOST_TURNS) -> Statement:
    """Return the SQL that finds the list last shown in *thread*, *before* the turn of that number."""
    return (
        "SELECT shown, tables FROM turns WHERE thread = ? AND n < ? AND shown IS NOT NULL"
        " ORDER BY n DESC LIMIT 1",
        thread,
        before,
    )


def finding_offered(turn: Turn) -> tuple[Statement, Statement, Statement]:
    """Return the SQL that finds addresses to offer: of the last searches, opened last, of the turn before.

    The newest come first, and of each search only its first results.
    """
    thread, newest = turn.thread, "ORDER BY turn DESC, step DESC, place"
    # By ranges: for these SQLite takes the index, and reads no more of a long thread.
    searches = f"{SELECT_ADDRESS} WHERE thread = ? AND turn >= ({OLDEST_SEARCH}) AND step > 0 {newest}"
    opened = f"{SELECT_ADDRESS} WHERE thread = ? AND opened IS NOT NULL ORDER BY opened DESC LIMIT ?"
    # For “try again”.
    before = f"{SELECT_ADDRESS} WHERE thread = ? AND turn >= ? AND turn < ? AND step = 0 ORDER BY turn, id"
    return (
        (searches, thread, thread),
        (opened, thread, OFFERED_OPENED),
        (before, thread, turn.n - 1, turn.n),
    )


def offered_in(
    turn: Turn,
    shown: Sequence[Address],
    searches: Sequence[Row],
    opened: Sequence[Row],
    before: Sequence[Row],
) -> list[Address]:
    """Return the addresses that the model may choose from, in the order of their ids.

    shown: the list last shown in its thread. The others are what `finding_offered` found.
    """
    found = [*searches[:FOUND_MOST], *opened, *searches[FOUND_MOST:]]  # those of the newest search first
    earlier, later = (pages_in(starmap(Address, rows)) for rows in (before, found))
    return offer([*turn.typed, *earlier, *shown, *later])


# The lines of a list.


def no_line(thread: str, number: int, lines: int) -> UsageError:
    """Return the error for a line that the list last shown in *thread* does not have.

    number: of the line, -1 for the last one. lines: how many the list has.
    """
    where = "this conversation" if thread.startswith(TERMINALS) else f"the conversation {thread}"
    if lines:
        message = f"There is no line {number} in the list last shown in {where}."
        return UsageError(message, hint=f"Its last line is {lines}.")
    line = number if number > 0 else "the last one"
    hint = f"Ask something first. Or use the list of your last conversation: jarvis -c open {line}"
    return UsageError(f"Nothing was listed in {where}.", hint=hint)


def no_page(address: Address, number: int, *, by: str) -> UsageError:
    """Return the error for a line whose offer has no page to open. by: the command that shows the line."""
    return UsageError(
        f"Line {number} has no page: {one_line(address.title, _LONGEST) or 'only what the list tells'}.",
        hint=f'{by} "show {number}"' if number > 0 else "",
    )


# Tables.

_TITLE = "title"  # the key of the column that says what a row is; without one the first of text does
_LONGEST_KEPT = 300  # characters of a title


def kept_tables(tables: Sequence[TableShown]) -> bytes:
    """Return *tables* as they are written down: packed, for 40 offers take 30 kB otherwise."""
    records = [{**table.kept_record(), "first": first} for table, first in tables]
    return zlib.compress(dumps(records, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def unpacked(kept: bytes) -> str:
    """Return as JSON what `kept_tables` wrote."""
    return zlib.decompress(kept).decode("utf-8", "surrogatepass")


def tables_in(kept: bytes | None) -> tuple[TableShown, ...]:
    """Return the tables that `kept_tables` wrote. Skips any that it can no longer read."""
    found: list[TableShown] = []
    for record in loads(unpacked(kept)) if kept else ():
        with suppress(UsageError):
            found.append(listed_in(record))
    return tuple(found)


def listed_in(record: Any) -> TableShown:
    """Return one table out of those that `kept_tables` wrote. Raises UsageError as `table_in` does."""
    from ..core.follow_ups import table_in  # few turns have tables

    return TableShown(table_in(record), abs(record["first"]))


def last_listed(tables: Sequence[TableShown]) -> Table | None:
    """Return the last of a turn's *tables* that was listed, or None."""
    return next((table for table, first in reversed(tables) if first), None)


def offers_in_rows(tables: Iterable[TableShown]) -> dict[str, Address]:
    """Return the offers in *tables* by id. One without a page has no URL."""
    found: dict[str, Address] = {}
    for table, _ in tables:
        own = table.found or table
        texts = [column.key for column in own.columns if column.kind == "text"]
        key = _TITLE if _TITLE in texts else next(iter(texts), "")
        for row in own.rows:
            title = one_line(str(row.cells.get(key) or ""), _LONGEST_KEPT)
            found.setdefault(row.id, page_in(Address(row.id, row.url, title, source="found")))
    return found


def most_offers(tables: Iterable[TableShown]) -> int:
    """Return the highest number among the ids of the offers in *tables*."""
    return max((int(id_[1:]) for id_ in offers_in_rows(tables) if id_.startswith(OFFER)), default=0)


def counting_offers(thread: str, tables: Iterable[TableShown]) -> Statement:
    """Return the SQL that marks the ids of the offers in *tables* as used in *thread*, so none is reused."""
    most = most_offers(tables)
    return "UPDATE threads SET offers = ? WHERE id = ? AND offers < ?", most, thread, most
