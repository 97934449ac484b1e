"""`jarvis usage`: print the usage per day and thread, and today's limits. Imports no LangGraph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from ...config.settings import Daily
from ...core.text import one_line, truncate
from ...store.open import Store
from ...store.usage import Ledger, Used, today
from ..completion import Json
from ..invocation import current, report
from ..thread_list import known_as

_LONGEST = 3660  # days
_COLUMNS = 56  # before the thread
_NARROWEST, _WIDEST = 12, 60  # columns of a thread
_COUNTS = {
    "model_calls": "calls",
    "searches": "searches",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
}

app = typer.Typer()


@app.command("usage", help="Show model calls, searches, and tokens per day.")
def show_usage(
    days: Annotated[
        int, typer.Option(metavar="N", min=1, max=_LONGEST, help="Days to show, including today.")
    ] = 7,
    as_json: Json = False,
) -> None:
    screen, settings = current().screen, current().settings()

    async def work(store: Store) -> tuple[dict[str, Any], dict[str, str]]:
        used = await Ledger(store.database, settings.daily).since(today(days - 1))
        threads = await store.threads.all() if screen.out_tty else ()
        names = {thread.id: known_as(thread) for thread in threads}
        return _summed(used, settings.daily, today()), names

    summed, names = current().with_store(work, settings)
    room = screen.width - _COLUMNS if screen.out_tty else _WIDEST
    report(summed, *_lines(summed, names, min(_WIDEST, max(_NARROWEST, room))))


def _summed(used: Sequence[Used], limits: Daily, day: str) -> dict[str, Any]:
    """Return the record for `--json`. day: today."""
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
    return {name: sum(getattr(each, name) for each in used) for name in _COUNTS}


def _lines(summed: dict[str, Any], names: Mapping[str, str], room: int) -> Iterator[str]:
    """Yield the lines of *summed* usage, each thread in *room* columns.

    names: of threads for users. Programs get ids.
    """
    yield _line("day", _COUNTS.values(), "thread")
    for each in summed["days"]:
        thread = one_line(names.get(each["thread"], each["thread"])) or "(deleted conversations)"
        yield _line(each["day"], (f"{each[name]:,}" for name in _COUNTS), truncate(thread, room))
    yield _line("", (f"{summed['total'][name]:,}" for name in _COUNTS), "total")
    counts = [(counts["used"], counts["limit"]) for kind, counts in summed["today"].items() if kind != "day"]
    calls, searches = (f"{used:,}" if most is None else f"{used:,} of {most:,}" for used, most in counts)
    yield f"Today: {calls} model calls, {searches} searches."


def _line(day: str, counts: Iterable[str], thread: str) -> str:
    return f"{day:<10}{''.join(f'{each:>11}' for each in counts)}  {thread}"
