"""`jarvis why`: print the reason of each step of a turn, and where its address is from."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from ...core.text import one_line
from ...core.types import TERMINALS
from ...core.urls import canon, page_url
from ...store.open import Store
from ...store.turns import Origin, PastTurn, Reason, turn_with_reasons
from ..completion import InThread, Json, only
from ..invocation import current, report, tell_unreported
from ..thread_list import known_as, when
from .threads import record_of_step, request_record

_LONGEST = 300  # characters of one text
_SOURCES = {
    "typed": "your words",
    "piped": "text you piped in (not your words)",
    "site": "a site Jarvis knows by that name",
    "alias": "your alias",
}

app = typer.Typer()


def _is_turn(text: str) -> bool:
    """Return whether *text* may be a turn's number or id: `why` begins many a question."""
    return {*text} <= {*"0123456789abcdef"} and any(map(str.isdigit, text))


@app.command("why", help="Explain the last request: what Jarvis understood, did, and why.")
def explain_turn(
    turn: Annotated[
        str,
        typer.Argument(
            metavar="[TURN]",
            help="Its number in the conversation, or its id (default: the last).",
            callback=only(_is_turn, "it is neither a number nor an id"),
        ),
    ] = "",
    thread: InThread = None,
    as_json: Json = False,
) -> None:
    settings = current().settings(thread=thread)

    async def work(store: Store) -> tuple[PastTurn, list[Reason], str]:
        found, steps = await turn_with_reasons(store.database, settings.thread, turn)
        await tell_unreported(store, found.thread, current().screen)
        entries = await store.threads.all() if found.thread.startswith(TERMINALS) else ()
        # The user knows a terminal's thread by its title.
        name = next((known_as(each) for each in entries if each.id == found.thread), found.thread)
        return found, steps, name

    found, steps, name = current().with_store(work, settings)
    report(_record(found, steps), *_lines(found, steps, name))


def _record(turn: PastTurn, steps: Sequence[Reason]) -> dict[str, Any]:
    return {
        "turn": turn.id,
        "thread": turn.thread,
        **request_record(turn),
        "status": turn.status,
        "intent": turn.intent,
        "steps": [_step_record(step) for step in steps],
    }


def _step_record(reason: Reason) -> dict[str, Any]:
    step, started_at, ended_at, origin = reason
    host = _host_of_row(origin.url) if origin else ""
    return {
        **record_of_step(step),
        "why": step.plan.text,
        "rule": step.outcome.rule,
        "started_at": started_at,
        "ended_at": ended_at,
        "from": {**origin._asdict(), "host": host} if origin else None,
    }


def _lines(turn: PastTurn, steps: Sequence[Reason], name: str) -> Iterator[str]:
    yield f"{when(turn.started_at)}  {name}, request {turn.n} ({turn.id}): {turn.status}"
    intent = "" if turn.intent is None else _shorten("; ".join(turn.intent)) or "nothing to open"
    goal, material = _shorten(turn.goal), _shorten(turn.material)
    yield from _labeled({"asked": goal, "piped in": material, "understood as": intent})
    for reason in steps:
        yield from _step_lines(reason)
    if not steps:
        yield "    No steps."


def _step_lines(reason: Reason) -> Iterator[str]:
    (n, plan, outcome), started_at, ended_at, origin = reason
    # Its target as Python had it, else as the model wrote it.
    target = outcome.value or " ".join(map(str, plan.arguments.values()))
    planned = _shorten(f"{plan.action.replace('_', ' ')} {target}")
    yield f"{n:>3} {planned}"
    at = time.strftime("%H:%M:%S", time.localtime(ended_at or started_at))
    came = f"{_shorten(outcome.text)} ({at})".lstrip()
    labels = {"why": _shorten(plan.text), "from": _from(origin), "rule": _shorten(outcome.rule)}
    yield from _labeled({**labels, outcome.state: came})


def _labeled(texts: Mapping[str, str]) -> list[str]:
    """Return *texts* with their labels. Leaves out empty ones."""
    return [f"    {name}: {text}" for name, text in texts.items() if text]


def _from(origin: Origin | None) -> str:
    """Return where an address is from: facts first, then the model's words, others' words last."""
    if origin is None:
        return ""
    if origin.source != "found":
        text = _SOURCES.get(origin.source, _shorten(origin.source))
        return f"{text} in request {origin.turn}: “{_shorten(origin.words)}”"
    place = f"result {origin.place}" if origin.place else "a result"
    official = f", official: {_shorten(origin.official)}" if origin.official else ""
    by = f"the search “{_shorten(origin.query)}”" if origin.query else "what was found"
    title = f": {_shorten(origin.title)}" if origin.title else ""
    return f"{place} ({_host_of_row(origin.url)}{official}) of {by} in request {origin.turn}{title}"


def _host_of_row(url: str) -> str:
    """Return the host of *url* in a database row, or ""."""
    return canon(url).host if page_url(url) else ""


def _shorten(text: str) -> str:
    return one_line(text, _LONGEST)
