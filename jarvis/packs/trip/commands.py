"""`jarvis trip …`: the trips that you approved of, without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import JarvisError, UsageError
from ...core.follow_ups import table_in
from ...core.money import money_of
from ...core.text import fold_case, one_line
from ...output.records import show
from ...output.tables import table_lines
from ...store.items import SavedItem
from ..entries import at, words_at
from . import PACK, PLACES, TRIPS

if TYPE_CHECKING:
    from ..context import Console

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(
    name="trip",
    help="Trips you approved of, and places you named. Any other words behind `trip` are a request.",
)


@app.command("list", help="List the trips that were kept.")
def list_trips(ctx: typer.Context, as_json: Json = False) -> None:
    records = [_record(n, trip) for n, trip in enumerate(_saved(ctx.obj), 1)]
    totals = [f"  {total.formatted}" if (total := money_of(each["total"])) else "" for each in records]
    lines = [
        f"{each['number']:2} {each['title']}{total}" for each, total in zip(records, totals, strict=True)
    ]
    none = "No trip is kept yet. Work one out in words, then: jarvis approve"
    show(ctx.obj.screen, records, *lines, as_json=as_json, none=none)


@app.command("show", help="Show a trip: the last one, unless you say which.")
def show_trip(
    ctx: typer.Context, number: Annotated[int, typer.Argument(metavar="[N]")] = 0, as_json: Json = False
) -> None:
    screen = ctx.obj.screen
    record, trip = _numbered(ctx.obj, number)
    try:
        table = table_in(trip.body["draft"])._replace(note="")
        lines = [record["title"], *table_lines(screen, table, 1, screen.width)]
    except (AttributeError, LookupError, TypeError, ValueError, UsageError):  # anybody may have written it
        told = f"Trip {record['number']} can't be read."
        raise JarvisError(told, hint=f"jarvis trip rm {record['number']}", code="unreadable") from None
    show(screen, {**record, "trip": table.as_record()}, *lines, as_json=as_json)


@app.command("rm", help="Remove a trip.")
def remove_trip(
    ctx: typer.Context, number: Annotated[int, typer.Argument(metavar="N", min=1)], as_json: Json = False
) -> None:
    console: Console = ctx.obj
    record, trip = _numbered(console, number)
    console.with_pack(PACK.name, lambda context: context.items.remove(trip))
    show(console.screen, {"removed": record}, f"Removed the trip “{record['title']}”.", as_json=as_json)


@app.command("forget", help="Forget a place, so that it is looked up again.")
def forget_place(
    ctx: typer.Context, place: Annotated[list[str], typer.Argument(metavar="PLACE…")], as_json: Json = False
) -> None:
    console, said = ctx.obj, fold_case(" ".join(place))
    if not console.with_pack(PACK.name, lambda context: context.items.remove(SavedItem(PLACES, said, {}))):
        raise UsageError(f"No place is remembered as “{one_line(said)}”.", hint="Say it as you did then.")
    show(console.screen, {"forgotten": said}, f"Forgot what “{said}” is.", as_json=as_json)


def _saved(console: Console) -> list[SavedItem]:
    return console.with_pack(PACK.name, lambda context: context.items.all(TRIPS))


def _numbered(console: Console, number: int) -> tuple[dict[str, Any], SavedItem]:
    """Return the trip of that *number*, the last one for 0, with what is told of it. Raises UsageError."""
    trips = _saved(console)
    n = number or len(trips)
    if not 0 < n <= len(trips):
        raise UsageError(f"There is no trip {n}.", hint="jarvis trip list")
    return _record(n, trips[n - 1]), trips[n - 1]


def _record(n: int, trip: SavedItem) -> dict[str, Any]:
    title = words_at(trip.body, "title") or "a trip"
    days = {key: words_at(trip.body, key) or None for key in ("first", "last")}
    total = money_of(at(trip.body, "total"))
    return {"number": n, "title": title, **days, "total": total and total.record, "kept_at": trip.at}
