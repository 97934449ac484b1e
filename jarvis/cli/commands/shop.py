"""`jarvis shop …`: what is on the person's own lists, with what it cost then and costs now."""

from __future__ import annotations

from typing import Annotated

import typer

from ...output.records import dumped
from ...output.screen import fitted
from ..parameters import Json
from ..work import current, with_store

# Imported when first used: a page of help takes none of shop_lists.py, which searches.

app = typer.Typer(
    name="shop",
    help="""What you had kept of what was found: prices then and now.

    What is for sale is put there in words: `jarvis add 1 to my wishlist`, once it was listed.
    `jarvis shop check -q` in a crontab tells what became cheaper. Any other words behind `shop` are a
    request: `jarvis shop for a desk`.
    """,
)


@app.command("list", help="List what is on your own lists, with its price then and now.")
def list_kept(as_json: Json = False) -> None:
    from .shop_lists import NOTHING, entries_in, show, table_of

    screen, entries = current().screen, with_store(entries_in)
    if as_json:
        screen.out(dumped([{"line": n, **each.record} for n, each in enumerate(entries, 1)]))
    elif not entries:
        screen.err(NOTHING)
    else:
        show(screen, table_of(entries))


@app.command("check", help="Ask what each costs now: a search or two for each.")
def check_kept(
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Print only what became cheaper; failures go to stderr."),
    ] = False,
    as_json: Json = False,
) -> int:
    from .shop_lists import check_prices

    screen, settings = current().screen, current().settings()
    return check_prices(screen, settings, is_quiet=quiet, as_json=as_json)


@app.command("rm", help="Take something off its list, by its line or words of its title.")
def remove_kept(what: Annotated[list[str], typer.Argument(metavar="WHAT…")], as_json: Json = False) -> None:
    from ...packs.shop.things import told
    from .shop_lists import removed_from

    screen = current().screen
    item = with_store(lambda store, settings: removed_from(store, " ".join(what)))
    if as_json:
        screen.out(dumped({"removed": {"id": item.id, "list": item.list, "title": item.title}}))
        return
    page = f"   {item.url}" if item.url else ""
    screen.out(fitted(f"Removed from {item.list}: {told(item)}.{page}", screen))


@app.command("export", help="Print all of it in lines for programs, separated by tabs.")
def export_kept(
    csv: Annotated[bool, typer.Option("--csv", help="As CSV, with a header.")] = False, as_json: Json = False
) -> None:
    """Whatever stdout is."""
    from ...output.tables import comma_separated, tab_separated
    from .shop_lists import entries_in, table_of

    screen, entries = current().screen, with_store(entries_in)
    if as_json:
        screen.out(dumped([each.record for each in entries]))
        return
    table = table_of(entries, whole=True)
    for line in comma_separated(table) if csv else tab_separated(table):
        screen.out(line)
