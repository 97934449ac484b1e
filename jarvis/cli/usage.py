"""`jarvis usage`: what was used up per day and thread, and what today has left. Imports no LangGraph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ..config.limits import Daily
from ..config.settings import Settings
from ..core.options import Options
from ..core.text import one_line
from ..output.screen import Screen
from ..output.summary import dumped
from ..store.usage import Ledger, Used, today
from .command_options import AsJson, EnvFile, command
from .storage import on_store

_COUNTS = ("model_calls", "searches", "input_tokens", "output_tokens")
_HEAD = ("day", "thread", "model calls", "searches", "tokens in", "tokens out")


def usage(
    context: typer.Context,
    days: Annotated[int, typer.Option("--days", min=1, max=3660, help="How many days, today included.")] = 7,
    json: AsJson = False,
    env_file: EnvFile = None,
) -> None:
    """Sum up model calls, searches and tokens, per day and thread."""

    def work(screen: Screen, settings: Settings) -> None:
        since, limits = today(days - 1), settings.daily
        used = on_store(settings, screen, lambda store: Ledger(store.database, limits).since(since))
        if json:
            screen.out(dumped(_summed(used, limits)))
        else:
            _print(screen, _summed(used, limits))

    command(context.obj, Options(json=json, env_file=env_file), work)


def _summed(used: Sequence[Used], limits: Daily) -> dict[str, Any]:
    counted = _totals([each for each in used if each.day == today()])
    left = {
        kind: {"used": counted[kind], "limit": limit, "left": limit and max(0, limit - counted[kind])}
        for kind, limit in limits._asdict().items()
    }
    return {
        "days": [each._asdict() for each in used],
        "total": _totals(used),
        "today": {"day": today(), **left},
    }


def _totals(used: Sequence[Used]) -> dict[str, int]:
    return {name: sum(getattr(each, name) for each in used) for name in _COUNTS}


def _print(screen: Screen, summed: dict[str, Any]) -> None:
    screen.out(_line(*_HEAD))
    for each in summed["days"]:
        screen.out(_line(each["day"], one_line(each["thread"]) or "(deleted threads)", *_counts(each)))
    screen.out(_line("total", "", *_counts(summed["total"])))
    calls, searches = (_left(summed["today"][kind]) for kind in Daily._fields)
    screen.out(f"Today: model calls {calls}, searches {searches}.")


def _counts(of: dict[str, int]) -> list[str]:
    return [f"{of[name]:,}" for name in _COUNTS]


def _line(day: str, thread: str, calls: str, searches: str, read: str, written: str) -> str:
    return f"{day:<10}  {thread:<20} {calls:>11}  {searches:>8} {read:>12} {written:>12}"


def _left(counts: dict[str, Any]) -> str:
    if counts["limit"] is None:
        return f"{counts['used']:,}"
    return f"{counts['used']:,} of {counts['limit']:,}"
