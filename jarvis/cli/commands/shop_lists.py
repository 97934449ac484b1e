"""What is on the person's own lists, and what it costs now: no model is asked for that."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ...actions.base import reason
from ...agent.meter import Meter
from ...config.key_store import with_kept_keys
from ...config.market import market_of
from ...core.errors import JarvisError, UsageError
from ...core.tables import CHANGE, DATE, MONEY, PERCENT, Cell, Column, Row, Table
from ...core.text import counted, one_line
from ...core.types import Turn
from ...output.records import dumped
from ...output.screen import show_hint
from ...output.tables import tab_separated
from ...packs.shop.checking import CHEAPER, FAILED, GONE, UNKNOWN, Checked, change, checked
from ...packs.shop.things import store_of
from ...search.serpapi import SerpApi
from ...store.kept import Item, Kept, Seen
from ...store.log import log_for
from ...store.usage import Ledger
from ..work import on_store

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ...store.open import Store

_MOST = 3  # searches that one thing may take: an old token is refused, and fetched anew
_LONGEST = 80  # characters of a title
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


def table_of(entries: Sequence[Entry], *, whole: bool = False) -> Table:
    """Return *entries* as a table. whole: with all that is known of them."""
    lists = {each.item.list for each in entries}
    columns = (*_COLUMNS[:-1], _LIST, *_DAYS) if whole else (*_COLUMNS, *[_LIST] * (len(lists) > 1))
    rows = tuple(Row(each.item.id, _cells(each), each.item.url) for each in entries)
    return Table("kept", columns, rows, end=max(1, len(rows)))


def show(screen: Screen, table: Table) -> None:
    """Print *table*: laid out on a terminal, else its rows alone."""
    if screen.out_tty:
        from ...output.grid import laid_out  # a pipe does without

        screen.out(laid_out(table, screen.width, colour=screen.out_colour).text)
    else:
        for line in tab_separated(table):
            screen.out(line)


async def entries_in(store: Store, settings: Settings) -> list[Entry]:
    kept = Kept(store.database)
    items, first = await kept.items(), await kept.first_prices()
    return [Entry(item, first.get(item.id), item.price) for item in items]


async def removed_from(store: Store, named: str) -> Item:
    """Take the thing that is *named*, as `_meant` knows it, off its list, and return it."""
    kept = Kept(store.database)
    item = await _meant(kept, named)
    await kept.remove(item.id)
    return item


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


# What each costs now.


def check_prices(screen: Screen, settings: Settings, *, is_quiet: bool, as_json: bool) -> int:
    """Ask for each thing. Return 0 where that could be done; else the exit status of the first failure."""
    settings = with_kept_keys(settings)
    screen.secrets = settings.secrets()
    return on_store(settings, screen, lambda store: _checked(screen, settings, store, is_quiet, as_json))


async def _checked(screen: Screen, settings: Settings, store: Store, is_quiet: bool, as_json: bool) -> int:
    kept = Kept(store.database)
    items = await kept.items()
    if not items and not as_json:
        if not is_quiet:
            screen.err(NOTHING)
        return 0
    ledger, turn = Ledger(store.database, settings.daily), Turn("", settings.thread, 0, ())
    meter = Meter(ledger, log_for(settings), turn, settings.model, most=_MOST * len(items))
    found = await _asked(items, settings, meter, kept, screen)
    if as_json:
        lines = enumerate(found, 1)
        screen.out(dumped([_record(n, each) for n, each in lines if not is_quiet or each.state == CHEAPER]))
    else:
        _tell(screen, found, meter, is_quiet=is_quiet)
    return next((each.error.exit_status for each in found if each.error), 0)


async def _asked(
    items: Sequence[Item], settings: Settings, meter: Meter, kept: Kept, screen: Screen
) -> list[Checked]:
    search = SerpApi(settings.serpapi_key, settings.serpapi_url)
    screen.passing(f"asking for {counted(len(items), 'prices')} …")
    try:
        return await checked(items, market_of(settings).country, meter.engines(search), kept)
    finally:
        screen.clear()
        await search.close()


def _tell(screen: Screen, found: Sequence[Checked], meter: Meter, *, is_quiet: bool) -> None:
    if is_quiet:
        for each in found:
            if each.state == CHEAPER:
                screen.out(_told(each))
    else:
        show(screen, table_of([_entry(each) for each in found]))
    _tell_amiss(screen, found, is_quiet=is_quiet)
    if meter.near and not is_quiet:
        screen.err(meter.near)


def _tell_amiss(screen: Screen, found: Sequence[Checked], *, is_quiet: bool) -> None:
    """Tell which have no price now, and why: failures also to whoever wants to know no more."""
    hints: list[str] = []
    for n, each in enumerate(found, 1):
        title, where = one_line(each.item.title, _LONGEST), store_of(each.item)
        if each.error:
            screen.err(f"{n} {title} could not be looked up: {reason(each.error)}")
            hints.append(each.error.hint)
        elif not is_quiet and each.state == GONE:
            screen.err(f"{n} {title} is not to be had{f' at {where}' if where else ''} any more.")
        elif not is_quiet and each.state == UNKNOWN:
            screen.err(f"{n} {title} can't be looked up again: no service knows it.")
    for hint in dict.fromkeys(filter(None, hints)):
        show_hint(screen, hint)


def _told(each: Checked) -> str:
    """Return a line on what became cheaper."""
    entry, item = _entry(each), each.item
    now, before = entry.now, entry.then
    costs = f"{now.money.told}, {before.money.told} before ({entry.change} %)" if now and before else ""
    where = f" at {one_line(now.source)}" if now and now.source else ""
    return f"{one_line(item.title, _LONGEST)}: {costs}{where}{f'  {item.url}' if item.url else ''}"


def _entry(each: Checked) -> Entry:
    """Return what it cost when that was seen last, and what it costs now."""
    return Entry(each.item, each.item.price, each.now)


def _record(n: int, each: Checked) -> dict[str, Any]:
    error = _error(each.error) if each.state == FAILED and each.error else None
    return {"line": n, **_entry(each).record, "state": each.state, "error": error}


def _error(error: JarvisError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
