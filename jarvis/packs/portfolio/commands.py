"""`jarvis portfolio …`: activities from a file, and what was sent, taken back; without a model.

Each returns its exit status: 1 where lines were refused, not all was stored, or something is left.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ...core.errors import ActionFailed, Interrupted, Refused, Unusable, UsageError
from ...core.text import counted
from ...core.types import Effect
from ...output.records import show
from ...store.items import SavedItem
from ..entries import at, words_at
from . import PACK
from .activities_file import ActivitiesFile, read_activities
from .bodies import body_of, known_at
from .client import Ghostfolio, sum_of
from .sending import CHANGED, Batches, Body, likeness, likes

if TYPE_CHECKING:
    from ..context import Console

_T = TypeVar("_T")
_SHOWN = 12  # lines of what is refused, or removed
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Account = Annotated[str, typer.Option(metavar="NAME", help="The account of rows that name none.")]
Number = Annotated[int, typer.Argument(metavar="[N]", help="Of the batch: the last, unless you say.")]

app = typer.Typer(
    name="portfolio",
    help="What was sent to your portfolio. Any other words behind `portfolio` are a request.",
)


@app.command("import", help="Send the activities in FILE, a CSV or Ghostfolio's own JSON.")
def import_file(ctx: typer.Context, file: str, account: Account = "", as_json: Json = False) -> int:
    console, read = ctx.obj, _read(file)
    _settled(console)
    effect, record = _with(console, lambda batches: _previewed(batches.ghostfolio, file, read, account))
    is_refused, given = bool(record["refused"]), effect.arguments
    if not given["activities"]:
        told = (*effect.lines, "Nothing is new, so nothing was sent.")
        show(console.screen, {**record, "sent": None}, *told, as_json=as_json)
        return int(is_refused)
    if not console.may_send(effect):
        raise Refused("Not sent.")

    try:
        outcome = _with(console, lambda batches: batches.send(**given))
    except ActionFailed as error:
        if error.code != CHANGED:
            raise
        console.screen.err(error.message)
        return import_file(ctx, file, account, as_json)
    sent = {"state": outcome.state, "told": outcome.text, "hint": outcome.hint}
    show(console.screen, {**record, "sent": sent}, outcome.text, as_json=as_json)
    if outcome.hint:
        console.screen.err(f"  hint: {outcome.hint}")
    return max(int(is_refused), outcome.exit_status)


@app.command("batches", help="List what was sent, and what came of it.")
def list_batches(ctx: typer.Context, as_json: Json = False) -> None:
    records = [_record(n, each) for n, each in enumerate(_settled(ctx.obj), 1)]
    lines = ("{number:3} {sent_at}  {count} to {host}: {state}".format(**each) for each in records)
    show(ctx.obj.screen, records, *lines, as_json=as_json)
    if not (records or as_json):
        ctx.obj.screen.err("Nothing was sent yet.")


@app.command("undo", help="Remove what a batch stored, once you say yes.")
def undo(ctx: typer.Context, number: Number = 0, as_json: Json = False) -> int:
    console = ctx.obj
    n, batch = _numbered(_settled(console), number)
    there = _with(console, lambda batches: batches.stored(batch))
    all_, told = counted(len(there), "activities"), f"Nothing of batch {n} is there any more."
    if there:
        more = [f"and {len(there) - _SHOWN} more"] if len(there) > _SHOWN else []
        lines = (f"Remove {all_} of batch {n}:", *map(_told, there[:_SHOWN]), *more)
        if not console.may_send(Effect("writes", f"batch {n}", host=batch.body["host"], lines=lines)):
            raise Refused("Nothing was removed.")
    left = _with(console, lambda batches: batches.remove(batch, there))
    if there:
        told = f"Removed and read back: {len(there) - left} of {all_} (batch {n})."
    show(console.screen, {"batch": n, "removed": len(there) - left, "left": left}, told, as_json=as_json)
    return int(left > 0)


def _with(console: Console, work: Callable[[Batches], Awaitable[_T]]) -> _T:
    """Return the result of *work* on what was sent. After Ctrl-C it says where it is told what it changed."""
    try:
        return console.with_pack(PACK.name, lambda context: work(Batches(Ghostfolio(context))))
    except KeyboardInterrupt:
        raise Interrupted("Interrupted.", hint="To see what came of it: jarvis portfolio batches") from None


def _read(file: str) -> ActivitiesFile:
    try:
        with open(os.path.expanduser(file), "rb") as opened:
            return read_activities(opened.read())
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror or error}.") from None


async def _previewed(
    ghostfolio: Ghostfolio, file: str, read: ActivitiesFile, account: str
) -> tuple[Effect, dict[str, object]]:
    """Return what is to be sent of *read*, and its record: what is there already is left out."""
    known = await known_at(ghostfolio, (each.symbol for each in read.activities if not each.source))
    bodies, refused, left = list[Body](), dict(read.refused), Counter(map(likeness, known.there))
    sums = defaultdict[tuple[str, str], list[Decimal]](list)
    for each in read.activities:
        try:
            body = body_of(each._replace(account=each.account or account), known)
        except Unusable as error:
            refused[each.line] = str(error)
            continue
        left[like := likeness(body)] -= 1
        if left[like] < 0:
            bodies.append(body)
            sums[each.kind, body["currency"]].append(each.quantity * each.price)
    refused, rows = dict(sorted(refused.items())), len(read.activities) + len(read.refused)
    new, there = len(bodies), rows - len(bodies) - len(refused)
    lines = (
        f"rows {rows}   new {new}   there already {there}   refused {len(refused)}",
        *_refused(refused),
        f"columns: {', '.join(f'{head} = {name}' for head, name in read.columns.items())}",
        *(_summed(kind, code, worth) for (kind, code), worth in sums.items()),
    )
    given = {"key": os.urandom(8).hex(), "activities": bodies, "seen": likes(known.there, bodies)}
    whys = [{"line": line, "why": why} for line, why in refused.items()]
    record = {"rows": rows, "new": new, "there_already": there, "refused": whys}
    return Effect("writes", file, given, host=ghostfolio.host, lines=lines), record


def _refused(lines: Mapping[int, str]) -> Iterator[str]:
    yield from (f"line {line}: {why}" for line, why in [*lines.items()][:_SHOWN])
    if more := [*map(str, lines)][_SHOWN:]:
        yield f"lines {', '.join(more)}: see why with --json"


def _summed(kind: str, currency: str, worth: Sequence[Decimal]) -> str:
    whole = sum_of(float(sum(worth)), currency)
    return f"{kind} {len(worth)} for {whole.told if whole else currency}"


def _settled(console: Console) -> list[SavedItem]:
    """Tell what came of what something broke off before, and return all that was sent."""
    for each in _with(console, lambda batches: batches.settle()):
        console.screen.err(f"Something was broken off before. {each.text}")
    return _with(console, lambda batches: batches.all())


def _numbered(batches: Sequence[SavedItem], number: int) -> tuple[int, SavedItem]:
    """Return the batch of that *number* with it, for 0 the last. Raises UsageError."""
    n = number or len(batches)
    if not 0 < n <= len(batches):
        told = f"There is no batch {number}." if number else "Nothing was sent yet."
        raise UsageError(told, hint="jarvis portfolio batches")
    return n, batches[n - 1]


def _record(n: int, batch: SavedItem) -> dict[str, object]:
    sent_at, count = time.strftime("%Y-%m-%d %H:%M", time.localtime(batch.at)), at(batch.body, "count")
    said = {key: words_at(batch.body, key) for key in ("host", "state")}
    return {"number": n, "sent_at": sent_at, "count": count if isinstance(count, int) else 0, **said}


def _told(entry: Body) -> str:
    kind, symbol, currency, *_, day, quantity, price, _ = likeness(entry)
    return f"{day} {kind} {quantity} {symbol} at {price} {currency}"
