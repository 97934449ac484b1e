"""What the commands do: send what is new in a file, list what was sent, and take it back.

Each returns its exit status: 1 where lines were refused, not all was stored, or something is left.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ...core.errors import ActionFailed, Interrupted, Refused, Unusable, UsageError
from ...core.money import number_of
from ...core.text import counted
from ...core.types import Effect
from ...output.records import show
from ...store.items import SavedItem
from ..context import Console
from ..entries import at, words_at
from . import PACK
from .activities_file import ActivitiesFile, read_activities
from .bodies import body_of, known_at
from .client import Ghostfolio, sum_of
from .sending import CHANGED, REMOVED, STORED, Batches, Body, likeness, likes

_T = TypeVar("_T")
_SHOWN = 12  # lines of what is refused, or removed


class ToSend(NamedTuple):
    """What a file has for the server, as that is now."""

    host: str
    bodies: Sequence[Body]  # that are not there yet
    seen: int  # activities there that are like them
    known: int  # rows that are there already
    refused: Mapping[int, str]  # by the number of the line

    @property
    def record(self) -> dict[str, object]:
        rows = len(self.bodies) + self.known + len(self.refused)
        refused = [{"line": line, "why": why} for line, why in self.refused.items()]
        return {"rows": rows, "new": len(self.bodies), "there_already": self.known, "refused": refused}

    def lines(self, columns: Mapping[str, str]) -> Iterator[str]:
        """Yield what is in it, in words. columns: the heads of the file, and what each was taken for."""
        told = "rows {rows}   new {new}   there already {there_already}".format(**self.record)
        yield f"{told}   refused {len(self.refused)}"
        yield from (f"line {line}: {why}" for line, why in [*self.refused.items()][:_SHOWN])
        if more := [*map(str, self.refused)][_SHOWN:]:
            yield f"lines {', '.join(more)}: see why with --json"
        if columns:
            yield f"columns: {', '.join(f'{head} = {name}' for head, name in columns.items())}"
        for kind, code in dict.fromkeys((body["type"], body["currency"]) for body in self.bodies):
            worth = [_worth(each) for each in self.bodies if (each["type"], each["currency"]) == (kind, code)]
            whole = sum_of(sum(worth), code)
            yield f"{kind} {len(worth)} for {whole.told if whole else code}"


def send_file(console: Console, file: str, account: str, *, as_json: bool) -> int:
    """Send what is new in *file*, once they say yes. account: of rows that name none."""
    read = _read(file)
    _tell_settled(console)
    ready = _with(console, lambda ghostfolio: _prepared(ghostfolio, read, account))
    told, passing = tuple(ready.lines(read.columns)), console.screen.passing
    if not ready.bodies:
        lines = (*told, "Nothing is new, so nothing was sent.")
        show(console.screen, {**ready.record, "sent": None}, *lines, as_json=as_json)
        return int(bool(ready.refused))
    if not console.may_send(Effect("writes", file, host=ready.host, lines=told)):
        raise Refused("Not sent.")
    key, count = os.urandom(8).hex(), len(ready.bodies)
    try:
        outcome = _with(
            console,
            lambda ghostfolio: Batches(ghostfolio).send(
                key, ready.bodies, ready.seen, lambda sent: passing(f"sent {sent} of {count}…")
            ),
        )
    except ActionFailed as error:
        if error.code != CHANGED:
            raise
        console.screen.err(error.message)
        return send_file(console, file, account, as_json=as_json)
    sent = {"state": outcome.state, "told": outcome.text, "hint": outcome.hint}
    show(console.screen, {**ready.record, "sent": sent}, outcome.text, as_json=as_json)
    if outcome.hint:
        console.screen.err(f"  hint: {outcome.hint}")
    return max(int(bool(ready.refused)), outcome.exit_status)


def tell_batches(console: Console, *, as_json: bool) -> None:
    _tell_settled(console)
    records = [_record(n, each) for n, each in enumerate(_batches(console), 1)]
    lines = ("{number:3} {sent_at}  {count} to {host}: {state}".format(**each) for each in records)
    show(console.screen, records, *lines, as_json=as_json)
    if not (records or as_json):
        console.screen.err("Nothing was sent yet.")


def take_back(console: Console, number: int, *, as_json: bool) -> int:
    """Remove what is left of a batch, once they say yes. number: 0 means the last one."""
    _tell_settled(console)
    n, batch = _numbered(_batches(console), number)
    there = _with(console, lambda ghostfolio: _left_of(batch, Batches(ghostfolio)))
    all_, left, told = counted(len(there), "activities"), 0, f"Nothing of batch {n} is there any more."
    if there:
        more = [f"and {len(there) - _SHOWN} more"] if len(there) > _SHOWN else []
        lines = (f"Remove {all_} of batch {n}:", *map(_told, there[:_SHOWN]), *more)
        if not console.may_send(Effect("writes", f"batch {n}", host=batch.body["host"], lines=lines)):
            raise Refused("Nothing was removed.")
        left = _with(console, lambda ghostfolio: Batches(ghostfolio).remove(batch))
        told = f"Removed and read back: {len(there) - left} of {all_} (batch {n})."
    show(console.screen, {"batch": n, "removed": len(there) - left, "left": left}, told, as_json=as_json)
    return int(left > 0)


def _with(console: Console, work: Callable[[Ghostfolio], Awaitable[_T]]) -> _T:
    """Return the result of *work* on the server. After Ctrl-C it says where it is told what it changed."""
    try:
        return console.with_pack(PACK.name, lambda context: work(Ghostfolio(context)))
    except KeyboardInterrupt:
        raise Interrupted("Interrupted.", hint="To see what came of it: jarvis portfolio batches") from None


def _read(file: str) -> ActivitiesFile:
    try:
        with open(os.path.expanduser(file), "rb") as opened:
            return read_activities(opened.read())
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror or error}.") from None


async def _prepared(ghostfolio: Ghostfolio, read: ActivitiesFile, account: str) -> ToSend:
    """Return what of *read* is to be sent: a row that is there already is left out, as often as it is."""
    known = await known_at(ghostfolio, (each.symbol for each in read.activities if not each.source))
    bodies, refused, left, there = list[Body](), dict(read.refused), Counter(map(likeness, known.there)), 0
    for each in read.activities:
        try:
            body = body_of(each._replace(account=each.account or account), known)
        except Unusable as error:
            refused[each.line] = str(error)
            continue
        left[like := likeness(body)] -= 1
        there += left[like] >= 0
        bodies += [body] if left[like] < 0 else []
    seen, in_order = likes(known.there, bodies), dict(sorted(refused.items()))
    return ToSend(ghostfolio.host, bodies, seen, there, in_order)


async def _left_of(batch: SavedItem, batches: Batches) -> list[Body]:
    there = await batches.stored(batch)
    if not there and batch.body.get("state") == STORED:  # what removed it was broken off
        await batches.note(batch, REMOVED)
    return there


def _tell_settled(console: Console) -> None:
    """Tell what came of what something broke off before."""
    for each in _with(console, lambda ghostfolio: Batches(ghostfolio).settle()):
        console.screen.err(f"Something was broken off before. {each.text}")


def _batches(console: Console) -> list[SavedItem]:
    return _with(console, lambda ghostfolio: Batches(ghostfolio).all())


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


def _worth(body: Body) -> float:
    quantity, price = number_of(body["quantity"]), number_of(body["unitPrice"])
    return float(quantity * price) if quantity is not None and price is not None else 0
