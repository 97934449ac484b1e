"""Sends activities to Ghostfolio at most once, reads back the stored ones, and removes them.

A batch has a key, and the comment of each of its activities ends with it. Before sending, Jarvis notes the
batch as being sent, on the pack's own list. If anything breaks off, reading shows the outcome, once all is
there or the server's time is over. Until then Jarvis sends nothing else. After that it notes the ids of the
activities there, and an undo removes those.
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
CHANGED = "changed"  # the code if something else is there than at the question
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
    """The current contents of the server."""

    there: Sequence[Entry]  # all activities
    accounts: Mapping[str, str]  # the name of each, by its id
    profiles: Mapping[str, Mapping[str, str]]  # by symbol, and by ISIN
    base: str  # the currency of all sums


class Batches(Ghostfolio):
    """The user's own server, with what was sent to it."""

    async def load_known(self, symbols: Iterable[str] = ()) -> Known:
        """Return the server's contents, with profiles of new *symbols*. Raises as `check_settled`."""
        async with self.context.alone():
            await self.check_settled()
        user, there = await self.context.get("/api/v1/user"), await self.activities()
        profiles = {each["profile"][key]: each["profile"] for each in there for key in ("symbol", "isin")}
        for symbol in dict.fromkeys(each for each in symbols if each not in profiles):
            page = await self.context.get("/api/v1/symbol/lookup", {"query": symbol})
            found = [profile_in(each) for each in entries_at(page, "items")]
            # By an ISIN what it stands for is found, by a symbol also others that begin like it.
            matches = [each for each in found if each["symbol"] == symbol or len(symbol) == _ISIN]
            profiles |= {symbol: matches[0]} if len(matches) == 1 else {}
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
                message = "Something like it was stored there meanwhile."
                return Outcome("failed", message, code=CHANGED, hint="Ask again.", exit_status=1)
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
        """Return the outcome of the batch with that *key*, which was cut off."""
        async with self.context.alone():
            for batch in await self.all():
                if batch.id == key and at(batch.body, "state") == REMOVED:
                    return Outcome("done", "It was stored, and removed since.")
                if batch.id == key:
                    return await self._read_back(batch)
        return Outcome("failed", "Nothing was sent.", code="not_sent", exit_status=1)

    async def settle(self) -> list[str]:
        """Return the outcomes of batches that were cut off, in words, except another process's."""
        async with self.context.alone():
            return [(await self._read_back(each)).text for each in await self._open()]

    async def check_settled(self) -> None:
        """Raise RateLimited as long as the outcome of an earlier batch is unknown."""
        if await self._open():
            raise RateLimited("Activities sent before may still be stored.", hint=_LATER, code="not_ready")

    async def _open(self) -> list[SavedItem]:
        """Return the batches of this host with an unknown outcome."""
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
            there, seen = await self.stored(batch), {words_at(each, "id"): likeness(each) for each in shown}
            if not all(map(_ID.fullmatch, seen)):  # without one, all would be deleted
                raise ActionFailed("An activity there has no id, so nothing is removed.")
            if any(seen.get(words_at(each, "id")) != likeness(each) for each in there):
                message = "Its activities were changed there meanwhile, so nothing is removed."
                raise ActionFailed(message, hint="Ask again.", code=CHANGED)
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
        """Return the stored part of *batch*, and note it once it is known. lost: why no answer came."""
        count, tried, sent = (number_of(at(batch.body, key)) or 0 for key in ("count", "asked", "changed_at"))
        is_refused = isinstance(lost, NotSent) or not isinstance(lost, ServiceUnreachable | None)
        is_over = is_refused or at(batch.body, "state") != SENDING
        for wait in _LOOKS:
            await self.context.pause(wait)
            there = await self.stored(batch)
            if is_known := is_over or len(there) >= tried or sent < time.time() - _ARRIVES:
                break
        if not is_known:
            left = f" The last {count - tried} were not sent." if tried < count else ""
            why = lost.message if lost else "it may still arrive."
            return _not_known(f"{why} There so far: {len(there)} of {count}.{left}")
        is_whole = _digest(there) == at(batch.body, "digest")
        ids = {"ids": [words_at(each, "id") for each in there]} if is_whole else {}
        await self._note(batch, STORED if there else NOTHING, **ids)
        n = 1 + [each.id for each in await self.all()].index(batch.id)
        undo = f"(batch {n}). To undo it: jarvis portfolio undo {n}"
        if is_whole:
            return Outcome("done", f"Stored and read back: {pluralize(len(there), 'activities')} {undo}")
        text = f"Nothing was stored: {lost.message if lost else 'it did not arrive.'}"
        if there:
            text = f"Stored, but not all as it was sent: {len(there)} of {count} {undo}"
        return Outcome("failed", text, code="not_stored", hint=lost.hint if lost else "", exit_status=1)

    async def _note(self, batch: SavedItem, state: str, **more: object) -> SavedItem:
        """Note what became of *batch*, and return it so."""
        batch = batch._replace(body={**batch.body, "state": state, "changed_at": time.time(), **more})
        await self.context.items.change(batch)
        return batch


def _not_known(why: str) -> Outcome:
    """Return the outcome of a batch whose stored part is unknown."""
    message = f"It is not known yet whether it was stored: {why}"
    return Outcome("unknown", message, code="unknown", hint=_LATER, exit_status=1)


def likeness(activity: Entry) -> tuple[str, ...]:
    """Return the values that two equal activities share, sent or stored: all except comment and hour."""
    words = [words_at(activity, name) for name in ("type", "symbol", "currency", "accountId")]
    numbers = [f"{added_up([activity], name).normalize():f}" for name in NUMBERS]
    return (*words, words_at(activity, "date")[:10], *numbers)


def count_duplicates(there: Iterable[Entry], activities: Iterable[Entry]) -> int:
    """Count stored activities that duplicate one of *activities*."""
    wanted = {*map(likeness, activities)}
    return sum(likeness(each) in wanted for each in there)


def _digest(activities: Iterable[Entry]) -> str:
    """Return a digest that shows whether *activities* are all there as sent, in any order."""
    return digest(str(sorted(map(likeness, activities))))


def body_of(activity: Entry, server: Known, key: str) -> Entry:
    """Return the body to send for *activity* under *key*. Raises ActionFailed if it isn't clear."""
    symbol = activity["symbol"]
    profile = activity if activity.get("dataSource") else server.profiles.get(symbol)
    if profile is None:
        message = f"Ghostfolio knows no symbol “{symbol}”, or its source is down."
        raise ActionFailed(message, code=WHICH)
    if not (currency := activity["currency"] or profile["currency"]):
        raise ActionFailed(f"No currency is said, nor known of “{symbol}”.", code=WHICH)
    account = account_in(server.accounts, activity.get("accountId", ""))
    own = {"symbol": profile["symbol"], "dataSource": profile["dataSource"], "currency": currency}
    own |= {"accountId": account, "comment": f"{activity.get('comment', '')} jarvis:{key}".lstrip()}
    body = {**activity, **own, **{name: float(activity[name]) for name in NUMBERS}}
    return {name: value for name, value in body.items() if value != ""}


def account_in(accounts: Mapping[str, str], wanted: str) -> str:
    """Return the id of the *wanted* account, or of the only one, or "". Raises ActionFailed."""
    folded = wanted.casefold()
    ids = [id_ for id_, name in accounts.items() if folded in ("", id_, name.casefold())]
    if len(ids) != 1 and (wanted or ids):
        message = f"It is not clear which account: there are {', '.join(accounts.values())}."
        raise ActionFailed(message, hint="Name it. In a command: --account NAME", code=WHICH)
    return next(iter(ids), "")


# What is shown of activities before they are sent or removed.


def with_rows(effect: Effect, question: str, some: Sequence[Entry], accounts: Mapping[str, str]) -> Effect:
    """Return *effect* with the first rows of *some*, the sums of all, and the *question*, filled in."""
    of_kind = {name: [each for each in some if each["type"] == kind] for kind, name in _KINDS.items()}
    sums = {name: paid_in(activities) for name, activities in of_kind.items() if activities}
    sums["fees"] = totals(Money(added_up([each], "fee"), each["currency"]) for each in some)
    paid = (f"{name} {' and '.join(each.formatted for each in amounts)}" for name, amounts in sums.items())
    more = f"… and {len(some) - PAGE:,} more. " if len(some) > PAGE else ""
    rows = tuple(_row(each, accounts) for each in some[:PAGE])
    table = Table(ACTIVITY, _COLUMNS, rows, note=f"{more}Total: {', '.join(paid)}.")
    return effect._replace(table=table, question=question.format(_counted(some)))


def _row(activity: Entry, accounts: Mapping[str, str]) -> Row:
    """Return *activity* as a row, with exactly the amounts that are sent."""
    quantity, *amounts = (number_of(activity.get(key)) for key in NUMBERS)
    price, fee = (None if each is None else Money(each, activity["currency"]) for each in amounts)
    kind, account = _counted([activity])[5:], accounts.get(words_at(activity, "accountId"))
    day, symbol = words_at(activity, "date")[:10], words_at(activity, "symbol")
    cells = (day, kind, symbol, quantity and quantity.normalize(), price, fee, account)
    return Row("", dict(zip(_LABELS, cells, strict=True)))


def _counted(some: Sequence[Entry]) -> str:
    """Return the number of activities with their kind: these 2 purchases."""
    kinds = {each["type"] for each in some}
    count = pluralize(len(some), _KINDS.get("".join(kinds), "activities"))
    return f"this {count[2:]}" if len(some) == 1 else f"these {count}"
