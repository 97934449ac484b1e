"""`jarvis trip …`: the trips that the user approved, without a model."""

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
    help="Your saved trips and places. Anything else after `trip` is a request.",
)


@app.command("list", help="List saved trips.")
def list_trips(ctx: typer.Context, as_json: Json = False) -> None:
    records = [_record(n, trip) for n, trip in enumerate(_saved(ctx.obj), 1)]
    totals = [f"  {total.formatted}" if (total := money_of(each["total"])) else "" for each in records]
    lines = [
        f"{each['number']:2} {each['title']}{total}" for each, total in zip(records, totals, strict=True)
    ]
    none = "No saved trips. Plan one in words, then: jarvis approve"
    show(ctx.obj.screen, records, *lines, as_json=as_json, none=none)


@app.command("show", help="Show a saved trip (default: the last one).")
def show_trip(
    ctx: typer.Context, number: Annotated[int, typer.Argument(metavar="[N]")] = 0, as_json: Json = False
) -> None:
    screen = ctx.obj.screen
    record, trip = _numbered(ctx.obj, number)
    try:
        table = table_in(trip.body["draft"])._replace(note="")
        lines = [record["title"], *table_lines(screen, table, 1, screen.width)]
    except (AttributeError, LookupError, TypeError, ValueError, UsageError):  # anybody may have written it
        message = f"Can't read trip {record['number']}."
        raise JarvisError(message, hint=f"jarvis trip rm {record['number']}", code="unreadable") from None
    show(screen, {**record, "trip": table.as_record()}, *lines, as_json=as_json)


@app.command("rm", help="Remove a saved trip.")
def remove_trip(
    ctx: typer.Context, number: Annotated[int, typer.Argument(metavar="N", min=1)], as_json: Json = False
) -> None:
    console: Console = ctx.obj
    record, trip = _numbered(console, number)
    console.with_pack(PACK.name, lambda context: context.items.remove(trip))
    show(console.screen, {"removed": record}, f"Removed the trip “{record['title']}”.", as_json=as_json)


@app.command("forget", help="Forget what a place name means.")
def forget_place(
    ctx: typer.Context, place: Annotated[list[str], typer.Argument(metavar="PLACE…")], as_json: Json = False
) -> None:
    console, name = ctx.obj, fold_case(" ".join(place))
    if not console.with_pack(PACK.name, lambda context: context.items.remove(SavedItem(PLACES, name, {}))):
        raise UsageError(
            f"Jarvis doesn't remember a place called “{one_line(name)}”.", hint="Type the name you used then."
        )
    show(console.screen, {"forgotten": name}, f"Forgot the place “{name}”.", as_json=as_json)


def _saved(console: Console) -> list[SavedItem]:
    return console.with_pack(PACK.name, lambda context: context.items.all(TRIPS))


def _numbered(console: Console, number: int) -> tuple[dict[str, Any], SavedItem]:
    """Return the record of trip *number*, or of the last one for 0, and the trip. Raises UsageError."""
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
