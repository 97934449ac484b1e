"""`jarvis usage`: print what was used per day and thread, and what is left today. Imports no LangGraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.tables import DATE, NUMBER, Column, Row, Table
from ...core.text import one_line
from ...output.records import dumped
from ...store.usage import Ledger, Used, today
from ..completion import Json
from ..work import current, with_store
from .threads import known_as

if TYPE_CHECKING:
    from ...config.settings import Daily, Settings
    from ...output.screen import Screen
    from ...store.open import Store

_LONGEST = 3660  # days
_COLUMNS = (
    Column("day", "day", DATE, 0),
    Column("thread", "thread", rank=0),
    Column("model_calls", "model calls", NUMBER, 0),
    Column("searches", "searches", NUMBER, 0),
    Column("input_tokens", "tokens in", NUMBER, 0),
    Column("output_tokens", "tokens out", NUMBER, 0),
)

app = typer.Typer()


@app.command("usage", help="Model calls, searches and tokens per day and thread.")
def show_usage(
    days: Annotated[
        int, typer.Option(metavar="N", min=1, max=_LONGEST, help="How many days, today included.")
    ] = 7,
    as_json: Json = False,
) -> None:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> tuple[dict[str, Any], dict[str, str]]:
        used = await Ledger(store.database, settings.daily).since(today(days - 1))
        names = {thread.id: known_as(thread) for thread in await store.threads.all()}
        return _summed(used, settings.daily, today()), names

    summed, names = with_store(work)
    if as_json:
        screen.out(dumped(summed))
    else:
        _print(screen, summed, names if screen.out_tty else {})


def _summed(used: Sequence[Used], limits: Daily, day: str) -> dict[str, Any]:
    """Return what `--json` prints. day: today."""
    counted = _totals([each for each in used if each.day == day])
    left = {
        kind: {"used": counted[kind], "limit": limit, "left": limit and max(0, limit - counted[kind])}
        for kind, limit in limits._asdict().items()
    }
    return {
        "days": [each._asdict() for each in used],
        "total": _totals(used),
        "today": {"day": day, **left},
    }


def _totals(used: Sequence[Used]) -> dict[str, int]:
    return {column.key: sum(getattr(each, column.key) for each in used) for column in _COLUMNS[2:]}


def _print(screen: Screen, summed: dict[str, Any], names: Mapping[str, str]) -> None:
    """Print what was *summed*. names: what a person knows each thread by; a program takes its own."""
    from ...output.grid import laid_out  # rich, which JSON does without

    screen.out(laid_out(_table(summed, names), screen.width, 0, colour=screen.out_colour))
    calls, searches = (_left(summed["today"][kind]) for kind in ("model_calls", "searches"))
    screen.out(f"Today: model calls {calls}, searches {searches}.")


def _table(summed: dict[str, Any], names: Mapping[str, str]) -> Table:
    def known(thread: str) -> str:
        return names.get(thread) or one_line(thread) or "(deleted threads)"

    rows = tuple(Row("", {**each, "thread": known(each["thread"])}) for each in summed["days"])
    total = Row("", {**summed["total"], "thread": "total"})
    return Table("day", _COLUMNS, rows, foot=(total,), end=max(1, len(rows)))


def _left(counts: dict[str, Any]) -> str:
    limit = "" if counts["limit"] is None else f" of {counts['limit']:,}"
    return f"{counts['used']:,}{limit}"
