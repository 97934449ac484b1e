"""`jarvis shop …`: the user's saved items, with prices then and now, without a model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...actions.base import reason
from ...core.tables import CHANGE, DATE, MONEY, PERCENT, Cell, Column, Row, Table
from ...core.text import one_line, pluralize
from ...core.types import Effect
from ...output.records import dumped, show
from ...output.screen import Screen, show_hint
from ...output.tables import comma_separated, tab_separated, table_lines
from ..pack import market
from .keep import CHEAPER, FAILED, Item, lists_in, prices_now

if TYPE_CHECKING:
    from ...search.serpapi import Engines
    from ...store.open import Store
    from ..context import Console

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_LONGEST = 80  # characters of a title
_NOTHING = "No saved items yet. Save one: jarvis add 1 to my wishlist"
_COLUMNS = (
    Column("kept", "kept", rank=0),
    Column("store", "store", rank=3),
    Column("then", "then", MONEY, 0),
    Column("now", "now", MONEY, 0),
    Column("change", "change", PERCENT, 0, CHANGE),
)
_SEEN = Column("seen", "seen", DATE, 2)  # of each price the day
_LIST = Column("list", "list", rank=1)
_DAYS = tuple(Column(key, key, DATE) for key in ("then_at", "now_at", "added"))

app = typer.Typer(
    name="shop",
    help="""Your saved items, with their price then and now.

    Save something from a table: `jarvis add 1 to my wishlist`. `jarvis shop check -q` in cron reports price
    drops. Anything else after `shop` is a request: `jarvis shop for a desk`.
    """,
)


@app.command("list", help="List saved items with their price then and now.")
def list_kept(ctx: typer.Context, as_json: Json = False) -> None:
    console: Console = ctx.obj
    items = console.with_store(lambda store: lists_in(store.database).items())
    if as_json:
        console.screen.out(dumped([{"line": n, **_record(each)} for n, each in enumerate(items, 1)]))
    else:
        _show(console.screen, items)


@app.command("check", help="Check current prices (one or two searches per item).")
def check_kept(
    ctx: typer.Context,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Print only price drops. Failures go to stderr."),
    ] = False,
    as_json: Json = False,
) -> int:
    """Return the exit status of the first failure."""
    console: Console = ctx.obj
    country = market(console.settings()).country

    async def work(store: Store, engines: Engines) -> list[Item]:
        lists = lists_in(store.database)
        items = await lists.items()
        console.screen.passing(f"checking {pluralize(len(items), 'prices')} …")
        return await prices_now(items, country, engines, lists)

    console.confirm(Effect("searches", "SerpAPI"))
    console.screen.is_quiet = quiet
    items = console.with_engines(work)
    shown = [(n, each) for n, each in enumerate(items, 1) if not quiet or each.state == CHEAPER]
    if as_json:
        console.screen.out(dumped([{"line": n, **_record(each), **_became(each)} for n, each in shown]))
    elif quiet:
        for _, each in shown:
            console.screen.out(_cheaper(each))
    else:
        _show(console.screen, items)
    if not as_json:
        _tell_unpriced(console.screen, items, is_quiet=quiet)
    return next((each.error.exit_status for each in items if each.error and each.state == FAILED), 0)


@app.command("rm", help="Remove a saved item, by row number or words of its title.")
def remove_kept(
    ctx: typer.Context,
    what: Annotated[list[str], typer.Argument(metavar="WHAT…")],
    as_json: Json = False,
) -> None:
    console: Console = ctx.obj

    async def work(store: Store) -> Item:
        lists = lists_in(store.database)
        item = await lists.find_item(" ".join(what))
        await lists.remove(item)
        return item

    item = console.with_store(work)
    removed = {"id": item.id, "list": item.list, "title": item.title}
    page = f"   {item.url}" if item.url else ""
    line = f"Removed from {item.list}: {item.formatted}.{page}"
    show(console.screen, {"removed": removed}, line, as_json=as_json)


@app.command("export", help="Print saved items, tab-separated.")
def export_kept(
    ctx: typer.Context,
    csv: Annotated[bool, typer.Option("--csv", help="CSV with a header.")] = False,
    as_json: Json = False,
) -> None:
    """Print the items, the same on a terminal and in a pipe."""
    console: Console = ctx.obj
    items = console.with_store(lambda store: lists_in(store.database).items())
    if as_json:
        console.screen.out(dumped([_record(each) for each in items]))
        return
    table = _table(items, (*_COLUMNS, _LIST, *_DAYS))
    for line in comma_separated(table) if csv else tab_separated(table):
        console.screen.out(line)


def _table(items: Sequence[Item], columns: Sequence[Column]) -> Table:
    rows = tuple(Row(each.id, _cells(each), each.url) for each in items)
    return Table("kept", tuple(columns), rows, end=max(1, len(rows)))


def _cells(item: Item) -> dict[str, Cell]:
    times = [time.localtime(each.at) for each in (item.then, item.now) if each]
    days = dict.fromkeys(time.strftime("%d %b", each) for each in times)
    return {
        "kept": one_line(item.title),
        "store": item.store or None,
        "then": item.then and item.then.money,
        "now": item.now and item.now.money,
        "change": Decimal(item.change) if item.change else None,
        "seen": " → ".join(days) or None,
        "list": item.list,
        "then_at": item.then and _iso(item.then.at),
        "now_at": item.now and _iso(item.now.at),
        "added": _iso(item.added_at),
    }


def _iso(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))


def _show(screen: Screen, items: Sequence[Item]) -> None:
    """Print *items* as a table: laid out on a terminal, only its rows elsewhere."""
    several = len({each.list for each in items}) > 1
    table = _table(items, (*_COLUMNS, _SEEN, *[_LIST] * several))
    if items:
        screen.out("\n".join(table_lines(screen, table, 1, screen.width)))
    else:
        screen.err(_NOTHING)


def _tell_unpriced(screen: Screen, items: Sequence[Item], *, is_quiet: bool) -> None:
    """Report the items without a price, and why. With --quiet, report only failures."""
    for n, each in enumerate(items, 1):
        if each.error and (each.state == FAILED or not is_quiet):
            screen.err(f"{n} {one_line(each.title, _LONGEST)} has no price now: {reason(each.error)}")
    for hint in dict.fromkeys(each.error.hint for each in items if each.error and each.error.hint):
        show_hint(screen, hint)


def _cheaper(item: Item) -> str:
    """Return a line about an item that became cheaper."""
    now, before = item.now, item.then
    then = f"{before.money.formatted} before ({item.change} %)" if before else ""
    costs = f"{now.money.formatted}, {then}" if now and then else ""
    where = f" at {item.store}" if item.store else ""
    return f"{one_line(item.title, _LONGEST)}: {costs}{where}{f'  {item.url}' if item.url else ''}"


def _record(item: Item) -> dict[str, Any]:
    """Return the JSON record of an item."""
    return {
        "id": item.id,
        "list": item.list,
        "title": item.title,
        "store": item.store or None,
        "url": item.url or None,
        "added_at": item.added_at,
        "then": item.then and item.then.money.record,
        "then_at": item.then and item.then.at,
        "now": item.now and item.now.money.record,
        "now_at": item.now and item.now.at,
        "change": item.change or None,
    }


def _became(item: Item) -> dict[str, Any]:
    """Return the JSON record of a price check."""
    error = item.error if item.state == FAILED else None
    record = {"code": error.code, "message": error.message, "hint": error.hint} if error else None
    return {"state": item.state, "error": record}
