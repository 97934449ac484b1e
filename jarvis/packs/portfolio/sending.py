"""Sends activities to Ghostfolio at most once, finds what is stored of them, and takes that back.

A batch is sent under a key, which stands in the comment of each of its activities there. Before, it is noted
as being sent, on a list of the pack's own: whatever breaks off then, reading tells what came of it.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from ...core.errors import ActionFailed, JarvisError, ServiceUnreachable, UsageError
from ...core.money import number_of
from ...core.text import counted, digest
from ...core.types import Outcome
from ...store.items import SavedItem
from ..context import SECONDS
from ..entries import at, words_at
from . import BATCHES, SENDING
from .client import Ghostfolio

STORED, NOTHING, REMOVED = "stored", "nothing stored", "removed"  # states of a batch that was sent
CHANGED = "changed"  # the code where something else is there than as the person was asked
_AT_ONCE, _MOST = 500, 1_000_000  # activities of one request; of one batch
_EACH = 0.1  # seconds that one more of them may take
_PATIENCE, _PAUSE = 20.0, 0.05  # seconds for what another process sends, and between two looks at it
_LOOKS = (0.0, 1.0, 3.0)  # seconds before each look for what may still arrive
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TAG = re.compile(r" ?jarvis:[0-9a-f]+#\d+")

Body = Mapping[str, Any]  # an activity, as Ghostfolio takes it


def likeness(entry: Body) -> tuple[str, ...]:
    """Return what is the same in two activities that may be one, sent or stored: all but comment and hour."""
    said = {"symbol": words_at(entry, "SymbolProfile", "symbol"), **entry}
    numbers = (number_of(said.get(name)) for name in ("quantity", "unitPrice", "fee"))
    told = (words_at(said, name) for name in ("type", "symbol", "currency", "accountId"))
    return (*told, words_at(said, "date")[:10], *(f"{each or 0:f}" for each in numbers))


def likes(there: Iterable[Body], bodies: Iterable[Body]) -> int:
    """Return how many of the activities that are *there* are like one of *bodies*."""
    wanted = {*map(likeness, bodies)}
    return sum(likeness(each) in wanted for each in there)


class Batches(NamedTuple):
    """What was sent to Ghostfolio. Failures are JarvisErrors."""

    ghostfolio: Ghostfolio

    async def all(self) -> list[SavedItem]:
        """Return the batches in the order of their numbers, from 1."""
        return await self.ghostfolio.context.items.all(BATCHES)

    async def send(self, key: str, activities: Sequence[Body], seen: int) -> Outcome:
        """Send *activities* under *key*, once, and return what is stored of them.

        seen: how many like them were there as the person said yes.
        """
        context, host = self.ghostfolio.context, self.ghostfolio.host
        async with self._alone():
            if likes(await self.ghostfolio.activities(), activities) != seen:
                told = "Something like it was stored there meanwhile."
                raise ActionFailed(told, hint="Ask again.", code=CHANGED)
            noted = {"host": host, "state": SENDING, "count": len(activities), "digest": _digest(activities)}
            ((batch, is_new),) = await context.items.add([SavedItem(BATCHES, key, noted)])
            lost: JarvisError | None = None
            try:
                for start in range(0, len(activities) if is_new else 0, _AT_ONCE):
                    part = _tagged(activities[start : start + _AT_ONCE], key, start)
                    more = {"activities": part}
                    await context.send("POST", "/api/v1/import", more, SECONDS + _EACH * len(part))
            except JarvisError as error:
                lost = error
            try:
                return await self._looked_for(batch, lost)
            except JarvisError as error:
                see = "To see: jarvis portfolio batches"
                told = f"It is not known whether it was stored: {error.message} {see}"
                return Outcome("unknown", told, code="unknown", exit_status=1)

    async def found(self, key: str) -> Outcome:
        """Return what came of the batch of that *key*, which something broke off."""
        async with self._alone():
            batch = next((each for each in await self.all() if each.id == key), None)
            if batch is None:
                return Outcome("failed", "Nothing was sent.", code="not_sent", exit_status=1)
            return await self._looked_for(batch, None)

    async def settle(self) -> list[Outcome]:
        """Return what came of all that something broke off."""
        if not await self._open():
            return []
        async with self._alone():  # what another process was sending until now is no concern of ours
            return [await self._looked_for(each, None) for each in await self._open()]

    async def _open(self) -> list[SavedItem]:
        sent = SENDING, self.ghostfolio.host
        return [each for each in await self.all() if (at(each.body, "state"), at(each.body, "host")) == sent]

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Keep other processes from changing anything on the server in this block."""
        until, host = time.monotonic() + _PATIENCE, self.ghostfolio.host
        while (held := await self.ghostfolio.context.lock(host)) is None:
            if time.monotonic() > until:
                raise JarvisError(f"Another Jarvis is sending to {host}.", hint="Wait for it.", code="busy")
            await self.ghostfolio.context.pause(_PAUSE)
        async with held:
            yield

    async def stored(self, batch: SavedItem) -> list[Body]:
        """Return the activities that are stored of *batch*. Raises UsageError where it went elsewhere.

        Who copies an activity there copies its comment too: the older one is ours.
        """
        if (sent_to := words_at(batch.body, "host")) != (host := self.ghostfolio.host):
            raise UsageError(f"That was sent to {sent_to}, and your portfolio is at {host} now.")
        if at(batch.body, "state") == REMOVED:
            return []
        tagged, ours = re.compile(rf"(?s:.* )?jarvis:{re.escape(batch.id)}#(\d{{1,7}})"), dict[int, Body]()
        entries = await self.ghostfolio.activities()
        for each in sorted(entries, key=lambda entry: words_at(entry, "createdAt")):
            found = tagged.fullmatch(str(at(each, "comment")))
            if found and 0 < int(found[1]) <= _count(batch):
                ours.setdefault(int(found[1]), each)
        return [*ours.values()]

    async def remove(self, batch: SavedItem, shown: Iterable[Body]) -> int:
        """Remove what is there of *batch*, and return how much is left. shown: what they said yes to."""
        async with self._alone():
            there, asked = await self.stored(batch), {(at(each, "id"), *likeness(each)) for each in shown}
            ids = [words_at(each, "id") for each in there]
            if not all(map(_ID.fullmatch, ids)):  # without one, all would be deleted
                raise ActionFailed("An activity there has no id, so nothing is removed.")
            if not {(at(each, "id"), *likeness(each)) for each in there} <= asked:
                told = "What it stored was changed there meanwhile, so nothing is removed."
                raise ActionFailed(told, hint="Ask again.", code=CHANGED)
            with suppress(JarvisError):  # what is left is read
                for id_ in ids:
                    await self.note(batch, STORED)  # from now on figures are of before
                    await self.ghostfolio.context.send("DELETE", f"/api/v1/activities/{id_}")
            left = len({*ids} & {words_at(each, "id") for each in await self.ghostfolio.activities()})
            if there or at(batch.body, "state") == STORED:  # what removed it before was broken off
                await self.note(batch, STORED if left else REMOVED)
            return left

    async def note(self, batch: SavedItem, state: str) -> None:
        """Note what became of *batch*."""
        body = {**batch.body, "state": state, "changed_at": time.time()}
        await self.ghostfolio.context.items.change(batch._replace(body=body))

    async def _looked_for(self, batch: SavedItem, lost: JarvisError | None) -> Outcome:
        """Return what is stored of *batch*, and note it. lost: why no answer came; None: nobody knows."""
        looks = _LOOKS if lost is None or isinstance(lost, ServiceUnreachable) else _LOOKS[:1]
        there, count = list[Body](), _count(batch)
        for wait in looks:
            if len(there) != count:
                await self.ghostfolio.context.pause(wait)
                there = await self.stored(batch)
        await self.note(batch, STORED if there else NOTHING)
        n = 1 + [each.id for each in await self.all()].index(batch.id)
        undo = f"(batch {n}). To undo it: jarvis portfolio undo {n}"
        if _digest(there) == batch.body.get("digest"):
            return Outcome("done", f"Stored and read back: {counted(count, 'activities')} {undo}")
        why = lost.message if lost else "it did not arrive."
        told = f"Stored: {len(there)} of {count} {undo}" if there else f"Nothing was stored: {why}"
        if len(there) == count:
            told = f"Stored otherwise than it was sent: {counted(count, 'activities')} {undo}"
        return Outcome("failed", told, code="not_stored", hint=lost.hint if lost else "", exit_status=1)


def _count(batch: SavedItem) -> int:
    """Return how many activities were sent in *batch*, of whose body anybody may have written it."""
    count = batch.body.get("count")
    return count if isinstance(count, int) and 0 < count < _MOST else 0


def _digest(bodies: Iterable[Body]) -> str:
    """Return what tells that *bodies*, in any order, are all and as they were sent: no figure is in it."""
    return digest(str(sorted(map(likeness, bodies))))


def _tagged(bodies: Sequence[Body], key: str, start: int) -> list[Body]:
    """Return *bodies* with *key* and a number in the comment of each. start: how many came before."""
    comments = (_TAG.sub("", body.get("comment", "")) for body in bodies)
    return [
        {**body, "comment": f"{comment} jarvis:{key}#{start + n}".strip()}
        for n, (body, comment) in enumerate(zip(bodies, comments, strict=True), 1)
    ]
