"""`jarvis trip …`: the trips that you approved of, without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import UsageError
from ...core.follow_ups import table_in
from ...core.text import one_line
from ...output.records import show
from ...output.tables import table_lines
from . import PACK, TRIPS

if TYPE_CHECKING:
    from ...store.items import SavedItem
    from ..context import Console

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Number = Annotated[
    int, typer.Argument(metavar="N", min=1, help="Its number in `trip list`.", show_default=False)
]
_LONGEST = 100  # characters of a title

app = typer.Typer(
    name="trip",
    help="The trips that you approved of. Any other words behind `trip` are a request.",
)


@app.command("list", help="List the trips that were kept.")
def list_trips(ctx: typer.Context, as_json: Json = False) -> None:
    records = [_record(n, trip) for n, trip in enumerate(_trips(ctx.obj), 1)]
    lines = [f"{each['number']:2} {each['title']}" for each in records]
    show(ctx.obj.screen, records, *lines, as_json=as_json)
    if not (records or as_json):
        ctx.obj.screen.err("No trip is kept yet. Work one out in words, then: jarvis approve")


@app.command("show", help="Show a trip: the last one, unless you say which.")
def show_trip(
    ctx: typer.Context, number: Annotated[int, typer.Argument(metavar="[N]")] = 0, as_json: Json = False
) -> None:
    screen = ctx.obj.screen
    record, trip = _numbered(ctx.obj, number)
    table = table_in(trip.body["draft"])._replace(note="")
    lines = [record["title"], *table_lines(screen, table, 1, screen.width)]
    show(screen, {**record, "trip": table.as_record()}, *lines, as_json=as_json)


@app.command("rm", help="Remove a trip.")
def remove_trip(ctx: typer.Context, number: Number, as_json: Json = False) -> None:
    console: Console = ctx.obj
    record, trip = _numbered(console, number)
    console.with_pack(PACK.name, lambda context: context.items.remove(trip))
    show(console.screen, {"removed": record}, f"Removed the trip “{record['title']}”.", as_json=as_json)


def _trips(console: Console) -> list[SavedItem]:
    return console.with_pack(PACK.name, lambda context: context.items.all(TRIPS))


def _numbered(console: Console, number: int) -> tuple[dict[str, Any], SavedItem]:
    """Return the trip of that *number*, the last one for 0, with what is told of it. Raises UsageError."""
    trips = _trips(console)
    n = number or len(trips)
    if not 0 < n <= len(trips):
        told = f"There is no trip {number}." if number else "No trip is kept yet."
        raise UsageError(told, hint="jarvis trip list")
    return _record(n, trips[n - 1]), trips[n - 1]


def _record(n: int, trip: SavedItem) -> dict[str, Any]:
    title = one_line(str(trip.body.get("title") or "a trip"), _LONGEST)
    return {"number": n, "title": title, "kept_at": trip.at}
