"""`jarvis why`: print the reason of each step of a turn, and where its address is from."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import BadTarget
from ...core.text import one_line
from ...core.urls import canon, host_of
from ...output.records import dumped
from ...output.screen import fitted
from ...store.turns import Origin, Reason, explained
from .. import completion
from ..parameters import InThread, Json
from ..work import current, tell_untold, with_store
from .threads import when

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...core.types import Step
    from ...output.screen import Screen
    from ...store.open import Store
    from ...store.turns import PastTurn

_LONGEST = 300  # characters of one text
_LONGEST_ID = 16


app = typer.Typer()


def _turn(text: str) -> str:
    """Return *text*, which may be a turn's number or id: `why` begins many a question."""
    is_one = {*text} <= {*"0123456789abcdef"} and any(map(str.isdigit, text)) and len(text) <= _LONGEST_ID
    if text and not is_one:
        raise typer.BadParameter("it is neither a number nor an id")
    return text


@app.command("why", help="What the last turn's steps were done for, and by which rule.")
def explain_turn(
    turn: Annotated[
        str,
        typer.Argument(
            metavar="[TURN]",
            help="Its number in the thread, or its id; else the last.",
            callback=_turn,
            autocompletion=completion.a_turn,
        ),
    ] = "",
    thread: InThread = None,
    as_json: Json = False,
) -> None:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> tuple[PastTurn, list[Reason]]:
        found, steps = await explained(store.database, settings.thread, turn)
        await tell_untold(store, found.thread, screen)
        return found, steps

    found, steps = with_store(work, thread=thread)
    if as_json:
        screen.out(dumped(_record(found, steps)))
    else:
        _print(screen, found, steps)


def _record(turn: PastTurn, steps: Sequence[Reason]) -> dict[str, Any]:
    return {
        "turn": turn.id,
        "thread": turn.thread,
        "n": turn.n,
        "goal": turn.goal,
        "status": turn.status,
        "started_at": turn.started_at,
        "piped": turn.material,
        "intent": turn.intent,
        "steps": [_step_record(step) for step in steps],
    }


def _step_record(reason: Reason) -> dict[str, Any]:
    (n, plan, outcome), started_at, ended_at, origin = reason
    return {
        "n": n,
        "action": plan.action,
        "arguments": plan.arguments,
        "target": outcome.value,
        "why": plan.text,
        "rule": outcome.rule,
        "state": outcome.state,
        "outcome": outcome.text,
        "started_at": started_at,
        "ended_at": ended_at,
        "from": {**origin._asdict(), "host": _host(origin.url)} if origin else None,
    }


def _print(screen: Screen, turn: PastTurn, steps: Sequence[Reason]) -> None:
    head = f"{when(turn.started_at)}  {turn.thread}, turn {turn.n} ({turn.id}): {turn.status}"
    screen.out(fitted(head, screen))
    for name, line in _asked(turn):
        screen.out(fitted(f"    {name}: {line}", screen))
    for reason in steps:
        planned = f"{reason.step.plan.action.replace('_', ' ')} {_what(reason.step)}"
        screen.out(fitted(f"{reason.step.n:>3} {_shown(planned)}", screen))
        for name, line in _lines(reason):
            screen.out(fitted(f"    {name}: {line}", screen))
    if not steps:
        screen.out(fitted("    No step was taken.", screen))


def _asked(turn: PastTurn) -> list[tuple[str, str]]:
    """Return what to tell of the words of *turn*, and of how they were read."""
    lines = [("asked", _shown(turn.goal)), ("piped in", _shown(turn.material))]
    if turn.intent is not None:
        lines.append(("you asked", _shown("; ".join(turn.intent)) or "nothing to be opened"))
    return [(name, line) for name, line in lines if line]


def _lines(reason: Reason) -> list[tuple[str, str]]:
    """Return what to tell of a step, each line with its name; what is not known is left out."""
    (_, plan, outcome), started_at, ended_at, origin = reason
    at = time.strftime("%H:%M:%S", time.localtime(ended_at or started_at))
    lines = [
        ("why", _shown(plan.text)),
        ("from", _from(origin) if origin else ""),
        ("rule", _shown(outcome.rule)),
        (outcome.state, f"{_shown(outcome.text)} ({at})".lstrip()),
    ]
    return [(name, line) for name, line in lines if line]


def _what(step: Step) -> str:
    """Return the target of *step* as Python had it, else as the model wrote it."""
    return step.outcome.value or " ".join(map(str, step.plan.arguments.values()))


def _from(origin: Origin) -> str:
    """Return where an address is from: first what Python knows, then the model's words, a stranger's last."""
    if origin.source != "found":
        where = {"typed": "your words", "piped": "what was piped in, not your words,"}
        where |= {"site": "a site that I know by that name,", "alias": "your alias,"}
        said = where.get(origin.source, _shown(origin.source))
        return f"{said} in turn {origin.turn}: “{_shown(origin.words)}”"
    place = f"result {origin.place}" if origin.place else "a result"
    official = f", official: {_shown(origin.official)}" if origin.official else ""
    by = f"the search “{_shown(origin.query)}”" if origin.query else "what was found"
    search = f"of {by} in turn {origin.turn}"
    title = f": {_shown(origin.title)}" if origin.title else ""
    return f"{place} ({_host(origin.url)}{official}) {search}{title}"


def _host(url: str) -> str:
    """Return the whole host, as a rule would name it."""
    try:
        return canon(url).host
    except BadTarget:
        return host_of(url)


def _shown(text: str) -> str:
    return one_line(text, _LONGEST)
