"""`jarvis shop …`: what is on the person's own lists, what it cost then and costs now; without a model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...actions.base import reason
from ...core.errors import UsageError
from ...core.tables import CHANGE, DATE, MONEY, PERCENT, Cell, Column, Row, Table
from ...core.text import counted, one_line
from ...output.records import dumped, show
from ...output.screen import show_hint
from ...output.tables import comma_separated, tab_separated
from ..console import Console, Json
from ..pack import market
from .saved import (
    CHEAPER,
    GONE,
    UNKNOWN,
    Entry,
    Item,
    Lists,
    item_named,
    lists_in,
    prices_now,
    store_of,
    told,
)

if TYPE_CHECKING:
    from ...output.screen import Screen
    from ...search.serpapi import Engines
    from ...store.open import Store

_LONGEST = 80  # characters of a title
_NOTHING = "Nothing is on your lists yet. To put something there: jarvis add 1 to my wishlist"
_COLUMNS = (
    Column("kept", "kept", rank=0),
    Column("store", "store", rank=3),
    Column("then", "then", MONEY, 0),
    Column("now", "now", MONEY, 0),
    Column("change", "change", PERCENT, 0, CHANGE),
    Column("seen", "seen", DATE, 2),  # of each price the day
)
_LIST = Column("list", "list", rank=1)
_DAYS = tuple(Column(key, key, DATE) for key in ("then_at", "now_at", "added"))

app = typer.Typer(
    name="shop",
    help="""What you had kept of what was found: prices then and now.

    What is for sale is put there in words: `jarvis add 1 to my wishlist`, once it was listed.
    `jarvis shop check -q` in a crontab tells what became cheaper. Any other words behind `shop` are a
    request: `jarvis shop for a desk`.
    """,
)


@app.command("list", help="List what is on your own lists, with its price then and now.")
def list_kept(ctx: typer.Context, as_json: Json = False) -> None:
    console: Console = ctx.obj
    entries = console.with_store(_entries)
    if as_json:
        console.screen.out(dumped([{"line": n, **_record(each)} for n, each in enumerate(entries, 1)]))
    elif not entries:
        console.screen.err(_NOTHING)
    else:
        _show(console.screen, _table(entries))


@app.command("check", help="Ask what each costs now: a search or two for each.")
def check_kept(
    ctx: typer.Context,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Print only what became cheaper; failures go to stderr."),
    ] = False,
    as_json: Json = False,
) -> int:
    """Return the exit status of the first failure."""
    console: Console = ctx.obj
    country = market(console.settings()).country

    async def work(store: Store, engines: Engines) -> list[Entry]:
        lists = lists_in(store.database)
        items = await lists.items()
        console.screen.passing(f"asking for {counted(len(items), 'prices')} …")
        return await prices_now(items, country, engines, lists)

    found = console.with_engines(work, is_quiet=quiet or as_json)
    if as_json:
        cheaper = [(n, each) for n, each in enumerate(found, 1) if not quiet or each.state == CHEAPER]
        console.screen.out(dumped([{"line": n, **_with_state(each)} for n, each in cheaper]))
    else:
        _tell(console.screen, found, is_quiet=quiet)
    return next((each.error.exit_status for each in found if each.error), 0)


@app.command("rm", help="Take something off its list, by its line or words of its title.")
def remove_kept(
    ctx: typer.Context,
    what: Annotated[list[str], typer.Argument(metavar="WHAT…")],
    as_json: Json = False,
) -> None:
    console: Console = ctx.obj

    async def work(store: Store) -> Item:
        lists = lists_in(store.database)
        item = await _meant(lists, " ".join(what))
        await lists.remove(item)
        return item

    item = console.with_store(work)
    removed = {"id": item.id, "list": item.list, "title": item.title}
    page = f"   {item.url}" if item.url else ""
    line = f"Removed from {item.list}: {told(item)}.{page}"
    show(console.screen, {"removed": removed}, line, as_json=as_json)


@app.command("export", help="Print all of it in lines for programs, separated by tabs.")
def export_kept(
    ctx: typer.Context,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV, with a header.")] = False,
    as_json: Json = False,
) -> None:
    """Whatever stdout is."""
    console: Console = ctx.obj
    entries = console.with_store(_entries)
    if as_json:
        console.screen.out(dumped([_record(each) for each in entries]))
        return
    table = _table(entries, whole=True)
    for line in comma_separated(table) if csv else tab_separated(table):
        console.screen.out(line)


async def _entries(store: Store) -> list[Entry]:
    return [Entry(item, item.first, item.price) for item in await lists_in(store.database).items()]


async def _meant(lists: Lists, named: str) -> Item:
    """Return the thing on that line of `shop list`, or the only one that is meant. Raises UsageError."""
    if not (named.isascii() and named.isdecimal()):
        return await item_named(lists, named)
    items = await lists.items()
    if not 0 < int(named[:6]) <= len(items):
        line = one_line(named, 20)
        raise UsageError(f"There is no line {line} on your lists.", hint="jarvis shop list")
    return items[int(named) - 1]


def _table(entries: Sequence[Entry], *, whole: bool = False) -> Table:
    """Return *entries* as a table. whole: with all that is known of them."""
    lists = {each.item.list for each in entries}
    columns = (*_COLUMNS[:-1], _LIST, *_DAYS) if whole else (*_COLUMNS, *[_LIST] * (len(lists) > 1))
    rows = tuple(Row(each.item.id, _cells(each), each.item.url) for each in entries)
    return Table("kept", columns, rows, end=max(1, len(rows)))


def _show(screen: Screen, table: Table) -> None:
    """Print *table*: laid out on a terminal, else its rows alone."""
    if screen.out_tty:
        from ...output.grid import laid_out  # a pipe does without

        screen.out(laid_out(table, screen.width, colour=screen.out_colour).text)
    else:
        for line in tab_separated(table):
            screen.out(line)


def _tell(screen: Screen, found: Sequence[Entry], *, is_quiet: bool) -> None:
    """Tell what each costs now; and which have no price, and why: failures also to the quiet."""
    if is_quiet:
        for each in found:
            if each.state == CHEAPER:
                screen.out(_cheaper(each))
    elif found:
        _show(screen, _table(found))
    else:
        screen.err(_NOTHING)
    for n, each in enumerate(found, 1):
        if (why := _unpriced(each)) and (each.error or not is_quiet):
            screen.err(f"{n} {one_line(each.item.title, _LONGEST)} {why}")
    for hint in dict.fromkeys(each.error.hint for each in found if each.error and each.error.hint):
        show_hint(screen, hint)


def _unpriced(entry: Entry) -> str:
    """Return why there is no price of *entry* now; empty where there is one."""
    if entry.error:
        return f"could not be looked up: {reason(entry.error)}"
    if entry.state == GONE:
        where = store_of(entry.item)
        return f"is not to be had{f' at {where}' if where else ''} any more."
    return "can't be looked up again: no service knows it." if entry.state == UNKNOWN else ""


def _cheaper(entry: Entry) -> str:
    """Return a line on what became cheaper."""
    item, now, before = entry.item, entry.now, entry.then
    costs = f"{now.money.told}, {before.money.told} before ({entry.change} %)" if now and before else ""
    where = f" at {one_line(now.source)}" if now and now.source else ""
    return f"{one_line(item.title, _LONGEST)}: {costs}{where}{f'  {item.url}' if item.url else ''}"


def _record(entry: Entry) -> dict[str, Any]:
    """Return what `--json` prints of it."""
    item, then, now = entry.item, entry.then, entry.now
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
        "change": entry.change or None,
    }


def _with_state(entry: Entry) -> dict[str, Any]:
    error = entry.error
    told = {"code": error.code, "message": error.message, "hint": error.hint} if error else None
    return {**_record(entry), "state": entry.state, "error": told}


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
