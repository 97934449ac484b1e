"""`jarvis shop list|rm|export`: what is on the person's own lists, with what it cost then and costs now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.errors import UsageError
from ...core.tables import CHANGE, DATE, MONEY, PERCENT, Cell, Column, Row, Table
from ...core.text import one_line
from ...output.results import dumped, fitted
from ...output.separated import comma_separated, tab_separated
from ...packs.shop.checking import change
from ...packs.shop.things import store_of, told
from ...store.kept import Item, Kept, Seen
from ..storage import with_store

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ...store.open import Store
    from ..grammar import Call

NOTHING = "Nothing is on your lists yet. To put something there: jarvis add 1 to my wishlist"
_COLUMNS = (
    Column("kept", "kept", rank=0),
    Column("store", "store", rank=3),
    Column("then", "then", MONEY, 0),
    Column("now", "now", MONEY, 0),
    Column(CHANGE, "change", PERCENT, 0),
    Column("seen", "seen", DATE, 2),  # of each price the day
)
_LIST = Column("list", "list", rank=1)
_DAYS = tuple(Column(key, key, DATE) for key in ("then_at", "now_at", "added"))


class Entry(NamedTuple):
    """A thing on a list, and what it cost at two times."""

    item: Item
    then: Seen | None
    now: Seen | None

    @property
    def change(self) -> str:
        return change(self.then and self.then.money, self.now and self.now.money)

    @property
    def record(self) -> dict[str, Any]:
        """What `--json` prints of it."""
        item, then, now = self.item, self.then, self.now
        return {
            "id": item.id,
            "list": item.list,
            "title": item.title,
            "store": store_of(item) or None,
            "url": item.url or None,
            "added_at": item.added_at,
            "then": then.money.record if then else None,
            "then_at": then.at if then else None,
            "now": now.money.record if now else None,
            "now_at": now.at if now else None,
            "change": self.change or None,
        }


def list_kept(call: Call, screen: Screen) -> int:
    async def work(store: Store, settings: Settings) -> None:
        entries = await _entries(Kept(store.database))
        if call.options.json:
            screen.out(dumped([{"line": n, **each.record} for n, each in enumerate(entries, 1)]))
        elif not entries:
            screen.err(NOTHING)
        else:
            show(screen, table_of(entries))

    return with_store(call, screen, work)


def remove_kept(call: Call, screen: Screen) -> int:
    """Take the thing on a line of `shop list` off its list, or the only one with these words in its title."""

    async def work(store: Store, settings: Settings) -> None:
        kept = Kept(store.database)
        item = await _meant(kept, " ".join(call.words))
        await kept.remove(item.id)
        if call.options.json:
            screen.out(dumped({"removed": {"id": item.id, "list": item.list, "title": item.title}}))
            return
        page = f"   {item.url}" if item.url else ""
        screen.out(fitted(f"Removed from {item.list}: {told(item)}.{page}", screen))

    return with_store(call, screen, work)


def export_kept(call: Call, screen: Screen) -> int:
    """Print all of it in lines for programs, whatever stdout is."""

    async def work(store: Store, settings: Settings) -> None:
        entries = await _entries(Kept(store.database))
        table = table_of(entries, whole=True)
        if call.options.json:
            screen.out(dumped([each.record for each in entries]))
            return
        for line in comma_separated(table) if call.options.csv else tab_separated(table):
            screen.out(line)

    return with_store(call, screen, work)


def table_of(entries: Sequence[Entry], *, whole: bool = False) -> Table:
    """Return *entries* as a table. whole: with all that is known of them."""
    lists = {each.item.list for each in entries}
    columns = (*_COLUMNS[:-1], _LIST, *_DAYS) if whole else (*_COLUMNS, *[_LIST] * (len(lists) > 1))
    rows = tuple(Row(each.item.id, _cells(each), each.item.url) for each in entries)
    return Table("kept", columns, rows, end=max(1, len(rows)))


def show(screen: Screen, table: Table) -> None:
    """Print *table*: laid out on a terminal, else its rows alone."""
    if screen.out_tty:
        from ...output.tables import laid_out  # a pipe does without

        screen.out(laid_out(table, screen.width, colour=screen.out_colour).text)
    else:
        for line in tab_separated(table):
            screen.out(line)


async def _entries(kept: Kept) -> list[Entry]:
    items, first = await kept.items(), await kept.first_prices()
    return [Entry(item, first.get(item.id), item.price) for item in items]


async def _meant(kept: Kept, named: str) -> Item:
    """Return the thing on that line of `shop list`, or the only one that is meant. Raises UsageError."""
    if not (named.isascii() and named.isdecimal()):
        return await kept.meant(named)
    items = await kept.items()
    if not 0 < int(named[:6]) <= len(items):
        told = one_line(named, 20)
        raise UsageError(f"There is no line {told} on your lists.", hint="jarvis shop list")
    return items[int(named) - 1]


def _cells(entry: Entry) -> dict[str, Cell]:
    item, then, now = entry.item, entry.then, entry.now
    days = list(dict.fromkeys(_day(each.at) for each in (then, now) if each))
    return {
        "kept": one_line(item.title),
        "store": store_of(item) or None,
        "then": then.money if then else None,
        "now": now.money if now else None,
        "change": Decimal(entry.change) if entry.change else None,
        "seen": " → ".join(days) or None,
        "list": item.list,
        "then_at": _iso(then.at) if then else None,
        "now_at": _iso(now.at) if now else None,
        "added": _iso(item.added_at),
    }


def _iso(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))


def _day(at: float) -> str:
    """Return the day of the person's own calendar: 22 Nov, with its year where that is another one."""
    day = time.localtime(at)
    return time.strftime("%d %b" if day.tm_year == time.localtime().tm_year else "%d %b %Y", day)
