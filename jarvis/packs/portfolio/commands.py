"""`jarvis portfolio …`: import activities from a file, list batches, and undo them, without a model.

Each returns its exit status: 1 if lines were refused, not all was stored, or something is left.
"""

import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from ...core.errors import ActionFailed, UsageError
from ...core.text import pluralize
from ...core.types import Effect
from ...output.records import show
from ...output.screen import show_hint
from ...store.items import SavedItem
from ..context import Console
from ..entries import words_at
from . import PACK
from .activities_file import read_activities
from .batches import CHANGED, Batches, account_in, body_of, count_duplicates, likeness, with_rows
from .ghostfolio import Entry

_T = TypeVar("_T")
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[typer.FileBinaryRead, typer.Argument(metavar="FILE")]
Account = Annotated[str, typer.Option(metavar="NAME", help="Account for rows that don't name one.")]
Number = Annotated[int, typer.Argument(metavar="[N]", help="Batch number (default: the last one).")]

app = typer.Typer(
    name="portfolio",
    help="Import trades into your portfolio, and undo imports. Anything else after `portfolio` is a request.",
)


@app.command("import", help="Import trades from FILE (CSV or Ghostfolio's own JSON).")
def import_file(ctx: typer.Context, file: File, account: Account = "", as_json: Json = False) -> int:
    console, data = ctx.obj, file.read()
    _settled(console)
    while True:
        effect, record = _with(console, partial(_previewed, file=file.name, data=data, account=account))
        is_refused = bool(record["refused"])
        if not record["new"]:
            lines = (*effect.lines, "Nothing new, so nothing was sent.")
            show(console.screen, {**record, "sent": None}, *lines, as_json=as_json)
            return int(is_refused)
        console.confirm(effect)
        outcome = _with(console, partial(Batches.send, **effect.arguments))
        if outcome.code != CHANGED:
            break
        console.screen.err(outcome.text)
    sent = {"state": outcome.state, "told": outcome.text, "hint": outcome.hint}
    show(console.screen, {**record, "sent": sent}, outcome.text, as_json=as_json)
    show_hint(console.screen, outcome.hint)
    return max(int(is_refused), outcome.exit_status)


@app.command("batches", help="List imports and what became of them.")
def list_batches(ctx: typer.Context, as_json: Json = False) -> None:
    records = [
        {"number": n, "sent_at": time.strftime("%Y-%m-%d %H:%M", time.localtime(batch.at))}
        | {key: batch.body.get(key) for key in ("count", "host", "state")}
        for n, batch in enumerate(_settled(ctx.obj), 1)
    ]
    lines = ("{number:3} {sent_at}  {count} to {host}: {state}".format(**each) for each in records)
    show(ctx.obj.screen, records, *lines, as_json=as_json)
    if not (records or as_json):
        ctx.obj.screen.err("No imports yet.")


@app.command("undo", help="Undo an import (asks first).")
def undo(ctx: typer.Context, number: Number = 0, as_json: Json = False) -> int:
    console = ctx.obj
    batches = _settled(console)
    n = number or len(batches)
    if not 0 < n <= len(batches):
        raise UsageError("No such batch.", hint="jarvis portfolio batches")
    _with(console, Batches.check_settled)
    batch = batches[n - 1]
    there = _with(console, partial(Batches.stored, batch=batch))
    all_, text = pluralize(len(there), "activities"), f"Batch {n} is no longer there."
    if there:
        accounts = {words_at(each, "accountId"): words_at(each, "account") for each in there}
        effect = Effect("writes", f"batch {n}", host=batch.body["host"])
        console.confirm(with_rows(effect, f"Remove {{}} of batch {n} from {effect.host}?", there, accounts))
    left = _with(console, partial(Batches.remove, batch=batch, shown=there))
    if there:
        text = f"Removed and read back: {len(there) - left} of {all_} (batch {n})."
    show(console.screen, {"batch": n, "removed": len(there) - left, "left": left}, text, as_json=as_json)
    return int(left > 0)


def _with(console: Console, work: Callable[[Batches], Awaitable[_T]]) -> _T:
    """Return the result of *work* on the batches."""
    return console.with_pack(PACK.name, lambda context: work(Batches(context)))


async def _previewed(batches: Batches, file: str, data: bytes, account: str) -> tuple[Effect, dict[str, Any]]:
    """Return the effect that sends what is new in a file, and its record."""
    found, refused, columns = read_activities(data)
    rows = len(found) + len(refused)
    server = await batches.load_known(each["symbol"] for each in found.values() if not each["dataSource"])
    usual = "" if all(each["accountId"] for each in found.values()) else account_in(server.accounts, account)
    new, left, key = list[Entry](), Counter(map(likeness, server.there)), os.urandom(8).hex()
    for line, each in found.items():
        try:
            body = body_of({**each, "accountId": each["accountId"] or usual}, server, key)
        except ActionFailed as error:
            refused[line] = error.message
            continue
        left[like := likeness(body)] -= 1
        new += [body] if left[like] < 0 else []
    whys = [{"line": line, "why": why} for line, why in sorted(refused.items())]
    there = rows - len(new) - len(refused)
    lines = (
        f"rows {rows}   new {len(new)}   there already {there}   refused {len(refused)}",
        *("line {line}: {why}".format(**each) for each in whys),
        f"columns: {', '.join(f'{head} = {name}' for head, name in columns.items())}",
    )
    given = {"key": key, "activities": new, "seen": count_duplicates(server.there, new)}
    record = {"rows": rows, "new": len(new), "there_already": there, "refused": whys}
    effect = Effect("writes", file, given, host=batches.context.host, lines=lines)
    return with_rows(effect, f"Send {{}} to {effect.host}?", new, server.accounts), record


def _settled(console: Console) -> list[SavedItem]:
    """Report the outcome of imports that were cut off, and return all batches."""
    console.confirm(Effect("reads", "your Ghostfolio"))
    for text in _with(console, Batches.settle):
        console.screen.err(f"An earlier import was cut off. {text}")
    return _with(console, Batches.all)
