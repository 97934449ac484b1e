"""Sends activities to Ghostfolio at most once, finds what is stored of them, and takes that back.

A batch is sent under a key, with which the comment of each of its activities ends there. Before, it is noted
as being sent, on a list of the pack's own: whatever breaks off then, reading tells what came of it, once all
is there or the server's time is over; until then nothing else is sent. From then on the ids that they have
there are noted, and those are undone.
"""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ...core.errors import ActionFailed, JarvisError, NotSent, RateLimited, ServiceUnreachable, UsageError
from ...core.events import waiting
from ...core.money import Money, number_of, totals
from ...core.tables import DATE, MONEY, NUMBER, PAGE, STATE, TEXT, Column, Row, Table
from ...core.text import digest, pluralize
from ...core.types import WHICH, Effect, Outcome
from ...store.items import SavedItem
from ..entries import at, entries_at, words_at
from . import ACTIVITY, BATCHES, SENDING
from .ghostfolio import BASE, KINDS, NUMBERS, Entry, Ghostfolio, added_up, paid_in, profile_in

STORED, NOTHING, REMOVED = "stored", "nothing stored", "removed"  # states of a batch that was sent
CHANGED = "changed"  # the code where something else is there than as the user was asked
_AT_ONCE = 500  # activities of one request
_LOOKS = (0.0, 1.0, 3.0)  # seconds before each look for what may still arrive
_ARRIVES = 300.0  # seconds in which it may: proxies give up after 60 to 100, and the server goes on
_LATER = "Look again in a minute: jarvis portfolio batches"
_ISIN = 12  # characters of one
_LABELS = ("day", "kind", "symbol", "quantity", "price", "fee", "account")
_CELLS = (DATE, STATE, TEXT, NUMBER, MONEY, MONEY, TEXT)
_COLUMNS = tuple(Column(label, label, kind, 0) for label, kind in zip(_LABELS, _CELLS, strict=True))
_WORDS = ("purchases", "sales", "dividends", "interest payments", "charges", "liabilities")
_KINDS = dict(zip(KINDS, _WORDS, strict=True))
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Known(NamedTuple):
    """What stands on the server, as it is by now."""

    there: Sequence[Entry]  # all activities
    accounts: Mapping[str, str]  # the name of each, by its id
    profiles: Mapping[str, Mapping[str, str]]  # by symbol, and by ISIN
    base: str  # the currency of all sums


class Batches(Ghostfolio):
    """The user's own server, with what was sent to it."""

    async def load_known(self, symbols: Iterable[str] = ()) -> Known:
        """Return what is known, with what is found of *symbols* not traded yet. Raises as `check_settled`."""
        async with self.context.alone():
            await self.check_settled()
        user, there = await self.context.get("/api/v1/user"), await self.activities()
        profiles = {each["profile"][key]: each["profile"] for each in there for key in ("symbol", "isin")}
        for symbol in dict.fromkeys(each for each in symbols if each not in profiles):
            page = await self.context.get("/api/v1/symbol/lookup", {"query": symbol})
            found = [profile_in(each) for each in entries_at(page, "items")]
            # By an ISIN what it stands for is found, by a symbol also others that begin like it.
            meant = [each for each in found if each["symbol"] == symbol or len(symbol) == _ISIN]
            profiles |= {symbol: meant[0]} if len(meant) == 1 else {}
        accounts = {words_at(each, "id"): words_at(each, "name") for each in entries_at(user, "accounts")}
        return Known(there, accounts, profiles, words_at(user, *BASE))

    async def all(self) -> list[SavedItem]:
        """Return the batches in the order of their numbers, from 1."""
        return await self.context.items.all(BATCHES)

    async def send(self, key: str, activities: Sequence[Entry], seen: int) -> Outcome:
        """Send *activities* under *key*, once, and return what is stored of them.

        seen: how many like them were there as the user said yes.
        """
        lost = None
        async with self.context.alone():
            await self.check_settled()
            if count_duplicates(await self.activities(), activities) != seen:
                told = "Something like it was stored there meanwhile."
                return Outcome("failed", told, code=CHANGED, hint="Ask again.", exit_status=1)
            noted = {"host": self.context.host, "state": SENDING, "count": len(activities)}
            batch = SavedItem(BATCHES, key, {**noted, "digest": _digest(activities)})
            ((batch, is_new),) = await self.context.items.add([batch])
            try:
                for start in range(0, len(activities) if is_new else 0, _AT_ONCE):
                    part = activities[start : start + _AT_ONCE]
                    batch = await self._note(batch, SENDING, asked=start + len(part))
                    await self.context.send("POST", "/api/v1/import", {"activities": part})
            except JarvisError as error:
                lost = error
            try:
                return await self._read_back(batch, lost)
            except JarvisError as error:
                return _not_known(error.message)

    async def read_back(self, key: str) -> Outcome:
        """Return what came of the batch of that *key*, which something broke off."""
        async with self.context.alone():
            for batch in await self.all():
                if batch.id == key and at(batch.body, "state") == REMOVED:
                    return Outcome("done", "It was stored, and removed since.")
                if batch.id == key:
                    return await self._read_back(batch)
        return Outcome("failed", "Nothing was sent.", code="not_sent", exit_status=1)

    async def settle(self) -> list[str]:
        """Return what came of all that something broke off, in words: not what another process is at."""
        async with self.context.alone():
            return [(await self._read_back(each)).text for each in await self._open()]

    async def check_settled(self) -> None:
        """Raise RateLimited as long as it is not known what came of something that was sent."""
        if await self._open():
            raise RateLimited("What was sent before may still be stored.", hint=_LATER, code="not_ready")

    async def _open(self) -> list[SavedItem]:
        """Return the batches of this host of which it is not known yet what came."""
        here = [each for each in await self.all() if at(each.body, "host") == self.context.host]
        return [each for each in here if at(each.body, "state") == SENDING]

    async def stored(self, batch: SavedItem) -> list[Entry]:
        """Return the activities that are stored of *batch*. Raises UsageError where it went elsewhere."""
        if (sent_to := words_at(batch.body, "host")) != (host := self.context.host):
            raise UsageError(f"That was sent to {sent_to}, and your portfolio is at {host} now.")
        there, ids = await self.activities(), {*map(str, entries_at(batch.body, "ids"))}
        if ids:  # who copies one of them there copies its comment too
            return [each for each in there if words_at(each, "id") in ids]
        return [each for each in there if str(each.get("comment")).endswith(f"jarvis:{batch.id}")]

    async def remove(self, batch: SavedItem, shown: Sequence[Entry]) -> int:
        """Remove what is there of *batch*, and return how much is left. shown: what they said yes to."""
        async with self.context.alone():
            there, asked = await self.stored(batch), {words_at(each, "id"): likeness(each) for each in shown}
            if not all(map(_ID.fullmatch, asked)):  # without one, all would be deleted
                raise ActionFailed("An activity there has no id, so nothing is removed.")
            if any(asked.get(words_at(each, "id")) != likeness(each) for each in there):
                told = "What it stored was changed there meanwhile, so nothing is removed."
                raise ActionFailed(told, hint="Ask again.", code=CHANGED)
            with suppress(JarvisError):  # what is left is read
                for n, each in enumerate(there):
                    waiting("removing activities", n, len(there))
                    await self._note(batch, STORED)  # from now on figures are of before
                    await self.context.send("DELETE", f"/api/v1/activities/{each['id']}")
            waiting("removing activities", len(there), len(there))
            left = await self.stored(batch)
            await self._note(batch, STORED if left else REMOVED)
            return len(left)

    async def _read_back(self, batch: SavedItem, lost: JarvisError | None = None) -> Outcome:
        """Return what is stored of *batch*, and note it once it is known. lost: why no answer came."""
        count, asked, sent = (number_of(at(batch.body, key)) or 0 for key in ("count", "asked", "changed_at"))
        is_refused = isinstance(lost, NotSent) or not isinstance(lost, ServiceUnreachable | None)
        is_over = is_refused or at(batch.body, "state") != SENDING
        for wait in _LOOKS:
            await self.context.pause(wait)
            there = await self.stored(batch)
            if is_known := is_over or len(there) >= asked or sent < time.time() - _ARRIVES:
                break
        if not is_known:
            left = f" The last {count - asked} were not sent." if asked < count else ""
            why = lost.message if lost else "it may still arrive."
            return _not_known(f"{why} There so far: {len(there)} of {count}.{left}")
        is_whole = _digest(there) == at(batch.body, "digest")
        ids = {"ids": [words_at(each, "id") for each in there]} if is_whole else {}
        await self._note(batch, STORED if there else NOTHING, **ids)
        n = 1 + [each.id for each in await self.all()].index(batch.id)
        undo = f"(batch {n}). To undo it: jarvis portfolio undo {n}"
        if is_whole:
            return Outcome("done", f"Stored and read back: {pluralize(len(there), 'activities')} {undo}")
        told = f"Nothing was stored: {lost.message if lost else 'it did not arrive.'}"
        if there:
            told = f"Stored, but not all as it was sent: {len(there)} of {count} {undo}"
        return Outcome("failed", told, code="not_stored", hint=lost.hint if lost else "", exit_status=1)

    async def _note(self, batch: SavedItem, state: str, **more: object) -> SavedItem:
        """Note what became of *batch*, and return it so."""
        batch = batch._replace(body={**batch.body, "state": state, "changed_at": time.time(), **more})
        await self.context.items.change(batch)
        return batch


def _not_known(why: str) -> Outcome:
    """Return that it is not known what is stored of a batch."""
    told = f"It is not known yet whether it was stored: {why}"
    return Outcome("unknown", told, code="unknown", hint=_LATER, exit_status=1)


def likeness(activity: Entry) -> tuple[str, ...]:
    """Return what is the same in two activities that may be one, sent or stored: all but comment and hour."""
    told = [words_at(activity, name) for name in ("type", "symbol", "currency", "accountId")]
    numbers = [f"{added_up([activity], name).normalize():f}" for name in NUMBERS]
    return (*told, words_at(activity, "date")[:10], *numbers)


def count_duplicates(there: Iterable[Entry], activities: Iterable[Entry]) -> int:
    """Count stored activities that duplicate one of *activities*."""
    wanted = {*map(likeness, activities)}
    return sum(likeness(each) in wanted for each in there)


def _digest(activities: Iterable[Entry]) -> str:
    """Return what tells that *activities* are all and as they were sent, in any order; no figure is in it."""
    return digest(str(sorted(map(likeness, activities))))


def body_of(activity: Entry, known: Known, key: str) -> Entry:
    """Return what is sent of *activity* under *key*. Raises ActionFailed where that is not clear."""
    symbol = activity["symbol"]
    profile = activity if activity.get("dataSource") else known.profiles.get(symbol)
    if profile is None:
        told = f"Ghostfolio knows no symbol “{symbol}”, or its source is down."
        raise ActionFailed(told, code=WHICH)
    if not (currency := activity["currency"] or profile["currency"]):
        raise ActionFailed(f"No currency is said, nor known of “{symbol}”.", code=WHICH)
    account = account_in(known.accounts, activity.get("accountId", ""))
    own = {"symbol": profile["symbol"], "dataSource": profile["dataSource"], "currency": currency}
    own |= {"accountId": account, "comment": f"{activity.get('comment', '')} jarvis:{key}".lstrip()}
    body = {**activity, **own, **{name: float(activity[name]) for name in NUMBERS}}
    return {name: value for name, value in body.items() if value != ""}


def account_in(accounts: Mapping[str, str], named: str) -> str:
    """Return the id of the account *named*, or of the only one; empty: there is none. Raises ActionFailed."""
    said = named.casefold()
    ids = [id_ for id_, name in accounts.items() if said in ("", id_, name.casefold())]
    if len(ids) != 1 and (named or ids):
        told = f"It is not clear which account is meant: there are {', '.join(accounts.values())}."
        raise ActionFailed(told, hint="Name it; in a command as --account NAME.", code=WHICH)
    return next(iter(ids), "")


# What is shown of activities before they are sent or removed.


def with_rows(effect: Effect, asked: str, some: Sequence[Entry], accounts: Mapping[str, str]) -> Effect:
    """Return *effect* with the first rows of *some*, the sums of all, and the question *asked*, by its {}."""
    of_kind = {name: [each for each in some if each["type"] == kind] for kind, name in _KINDS.items()}
    sums = {name: paid_in(activities) for name, activities in of_kind.items() if activities}
    sums["fees"] = totals(Money(added_up([each], "fee"), each["currency"]) for each in some)
    paid = (f"{name} {' and '.join(each.formatted for each in amounts)}" for name, amounts in sums.items())
    more = f"… and {len(some) - PAGE:,} more. " if len(some) > PAGE else ""
    rows = tuple(_row(each, accounts) for each in some[:PAGE])
    table = Table(ACTIVITY, _COLUMNS, rows, note=f"{more}Total: {', '.join(paid)}.")
    return effect._replace(table=table, question=asked.format(_counted(some)))


def _row(activity: Entry, accounts: Mapping[str, str]) -> Row:
    """Return *activity* as a row, with exactly the amounts that are sent."""
    quantity, *amounts = (number_of(activity.get(key)) for key in NUMBERS)
    price, fee = (None if each is None else Money(each, activity["currency"]) for each in amounts)
    kind, account = _counted([activity])[5:], accounts.get(words_at(activity, "accountId"))
    day, symbol = words_at(activity, "date")[:10], words_at(activity, "symbol")
    cells = (day, kind, symbol, quantity and quantity.normalize(), price, fee, account)
    return Row("", dict(zip(_LABELS, cells, strict=True)))


def _counted(some: Sequence[Entry]) -> str:
    """Return how many there are, and of what kind: these 2 purchases."""
    kinds = {each["type"] for each in some}
    count = pluralize(len(some), _KINDS.get("".join(kinds), "activities"))
    return f"this {count[2:]}" if len(some) == 1 else f"these {count}"
