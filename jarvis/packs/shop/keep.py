"""Save offers on one of the user's own lists with their prices, and check the prices later.

Nothing is bought.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ...actions.base import BrainAction, Field, Service
from ...core.errors import JarvisError, SearchFailed, UsageError
from ...core.events import waiting
from ...core.money import Money, money_of
from ...core.tables import Row
from ...core.text import digest, one_line
from ...core.types import Effect, Facts, Outcome
from ...core.urls import found
from ...store.items import SavedItem, SavedItems
from . import KEEP, PACK
from .markets import GONE, Answer, looked_up
from .offers import OFFERS, Offer, offers_with_ids, title_of

if TYPE_CHECKING:
    from ...search.serpapi import Engines
    from ...store.database import Database

WISHLIST = "wishlist"  # where they name no list
MY_LIST = "(?:my |the )?wish ?list"  # as they call it
CHEAPER, DEARER, SAME, CHANGED = "cheaper", "dearer", "same", "changed"
FAILED = "failed"
_FOUND_BY = "found_by"  # the key of the values that find it again, never shown
_MOST = 10  # offers of one step
_LONGEST = 120  # characters of a title, when shown
_LONGEST_TITLE = 300  # of one that is written down
_LONGEST_ID = 2000  # of what tells it from others
_LONGEST_NAME = 60  # of a list's name, and of the words for an item
_AT_ONCE = 5  # things, with one deadline


class Seen(NamedTuple):
    """A price, and when it was seen."""

    at: float  # seconds since the epoch
    money: Money

    @property
    def record(self) -> dict[str, object]:
        return {"at": self.at, **self.money.record}


class Item(NamedTuple):
    """One thing on a list, or to be put there, and what it cost at two times."""

    title: str
    cells: Mapping[str, Any]  # what was known of it when it was kept
    url: str = ""  # its page, or ""
    now: Seen | None = None  # None: that is not known
    then: Seen | None = None  # when it was saved, or checked before
    id: str = ""
    list: str = ""
    added_at: float = 0.0  # seconds since the epoch
    error: JarvisError | None = None  # why it is not known what it costs now

    @property
    def store(self) -> str:
        """The store that offered it, or "" if unknown."""
        return _text(self.cells, "store")

    @property
    def body(self) -> dict[str, Any]:
        """The record to save. See `_saved`."""
        prices = {"then": self.then or self.now, "now": self.now}
        title, cells = one_line(self.title, _LONGEST_TITLE), dict(self.cells)
        seen = {name: price and price.record for name, price in prices.items()}
        return {"title": title, "url": self.url, "cells": cells, **seen}

    @property
    def formatted(self) -> str:
        """The saved title, price, and store, in words."""
        price = f", {self.now.money.formatted}" if self.now else ""
        store = f" at {self.store}" if self.store else ""
        return f"{one_line(self.title, _LONGEST)}{price}{store}"

    @property
    def change(self) -> str:
        """The change of its price in percent, in digits, or "" if unknown."""
        before, now = self.then and self.then.money, self.now and self.now.money
        if not before or not now or before.currency != now.currency or not before.amount:
            return ""
        percent = (now.amount - before.amount) / before.amount * 100
        return f"{round(percent, 1) + 0:f}"  # no minus before 0

    @property
    def state(self) -> str:
        """The result of a price check: cheaper | dearer | same | changed | gone | failed.

        changed: the old price is unknown, or in another currency. gone: nobody lists a price.
        """
        if self.error:
            return GONE if self.error.code == GONE else FAILED
        if not self.change:
            return CHANGED
        percent = Decimal(self.change)
        return SAME if not percent else DEARER if percent > 0 else CHEAPER


def _id_of(url: str) -> str:
    """Return an id for the thing at *url*, short enough for a server's index."""
    return (url if len(url) <= _LONGEST_ID else digest(url)) or os.urandom(8).hex()


class Lists(NamedTuple):
    """The lists, in what the pack saved."""

    saved: SavedItems

    async def add_all(self, list_: str, things: Sequence[Item]) -> list[tuple[Item, bool]]:
        """Put *things* on a list, all or none, and return each with whether it is new there.

        By its page a list has a thing once.
        """
        new = [SavedItem(list_, _id_of(each.url), each.body) for each in things]
        return [(_saved(item), is_new) for item, is_new in await self.saved.add(new)]

    async def items(self, list_: str = "") -> list[Item]:
        """Return the items of that list, or of every list, in the order of saving."""
        return [_saved(each) for each in await self.saved.all(list_)]

    async def remove(self, item: Item) -> None:
        """Take *item* off its list."""
        await self.saved.remove(SavedItem(item.list, item.id, {}))

    async def note_price(self, item: Item, seen: Seen) -> None:
        """Write down what *item* costs at that moment."""
        await self.saved.change(SavedItem(item.list, item.id, item._replace(now=seen).body))

    async def find_item(self, wanted: str) -> Item:
        """Return the only saved item that matches a row number, an id, a page, or words of its title.

        Raises UsageError if no item matches, or several do.
        """
        hint = "jarvis shop list, then: jarvis shop rm LINE"
        items, words = await self.items(), wanted.casefold().split()
        if wanted.isascii() and wanted.isdecimal():
            if not 0 < (line := int(wanted[:6])) <= len(items):
                raise UsageError(f"There is no line {line} on your lists.", hint=hint)
            return items[line - 1]
        matches = [
            item
            for item in (items if words else [])
            if wanted in (item.id, item.url) or all(word in item.title.casefold() for word in words)
        ]
        if len(matches) == 1:
            return matches[0]
        several = "Several things on your lists are" if matches else "Nothing on your lists is"
        raise UsageError(f"{several} called “{one_line(wanted, _LONGEST_NAME)}”.", hint=hint)


LISTS = Service("lists", lambda context: Lists(context.items))


class Keep(BrainAction):
    name = "keep"
    description = (
        "put chosen offers on one of the person's own lists, such as their wishlist, with what they cost "
        "now; `offers` says which of the tables' lines. Only once they ask for it; nothing is bought."
    )
    fields = (
        OFFERS,
        Field(
            "list", "the name of the list, if they say one other than wishlist", optional=True, stated=True
        ),
    )
    wants = (KEEP,)
    effect = "keeps"
    services = (LISTS,)
    answers = True
    needs_table = True
    order = rf"(?:add|put|save|keep) (?P<offers>(?:\d+[ ,]*(?:and )?)+) ?(?:to|on|onto|in|into) {MY_LIST}\W*"

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        own = tuple(table for table in facts.tables if table.kind in PACK.tables)
        rows = tuple(offers_with_ids(arguments["offers"], facts._replace(tables=own), _MOST))
        list_ = one_line(str(arguments.get("list") or WISHLIST), _LONGEST_NAME).casefold()
        names = (one_line(title_of(row), _LONGEST) or row.id for row in rows)
        given = {"list": list_, "offers": [row.id for row in rows]}
        return Effect("keeps", f"{', '.join(names)} in {list_}", given, rows=rows)

    async def perform(self, effect: Effect, lists: Lists) -> Outcome:
        list_ = effect.arguments["list"]
        written = await lists.add_all(list_, [_item_of(row) for row in effect.rows])
        new = [item.formatted for item, is_new in written if is_new]
        there = [item.formatted for item, is_new in written if not is_new]
        sentences = [f"Kept in {list_}: {'; '.join(new)}."] if new else []
        sentences += [f"In {list_} already: {'; '.join(there)}."] if there else []
        return Outcome("done", " ".join(sentences))


def lists_in(database: Database) -> Lists:
    return Lists(SavedItems(database, PACK.name))


async def prices_now(items: Sequence[Item], country: str, engines: Engines, lists: Lists) -> list[Item]:
    """Return *items* with their current prices and the last ones seen before.

    It checks a few at a time, and saves each price.
    """
    noted: list[Item] = []
    for start in range(0, len(items), _AT_ONCE):
        waiting("asking for prices", start, len(items))
        few = items[start : start + _AT_ONCE]
        answers = await looked_up([*map(_row_of, few)], country, engines)
        noted += [await _noted(item, answer, lists) for item, answer in zip(few, answers, strict=True)]
    waiting("asking for prices", len(items), len(items))
    return noted


async def _noted(item: Item, answer: Answer, lists: Lists) -> Item:
    """Return *item* with its price by that *answer*, after saving it."""
    before = item._replace(then=item.now, now=None)
    if isinstance(answer, JarvisError):
        return before._replace(error=answer)
    if not (now := _price(item, answer.offers)):
        return before._replace(error=SearchFailed("No store has it.", code=GONE))
    await lists.note_price(item, now)
    return before._replace(now=now)


def _price(item: Item, offers: Sequence[Offer]) -> Seen | None:
    """Return the price of *item* in the store that it was saved from, or None if that no longer has it."""
    store, state = item.store.casefold(), _text(item.cells, "state")
    there = [each for each in offers if store in ("", one_line(each.store).casefold())]
    same = [each for each in there if not state or each.state in ("", state)]
    # A store may have several of one product: the very page counts, else the least that it asks.
    same.sort(key=lambda offer: (offer.row.url != item.url, offer.price.amount))
    return Seen(time.time(), same[0].price) if same else None


# What is kept of a row, and the row again.


def _item_of(row: Row) -> Item:
    price, text = row.cells.get("price"), {key: _text(row.cells, key) for key in ("store", "state")}
    cells = {**text, _FOUND_BY: dict(row.private)}
    paid = Seen(time.time(), price) if isinstance(price, Money) and not price.basis else None
    return Item(title_of(row) or row.id, {key: text for key, text in cells.items() if text}, row.url, paid)


def _row_of(item: Item) -> Row:
    """Return *item* as the row that it was kept from, as far as a service finds it again by that."""
    by = item.cells.get(_FOUND_BY)
    pairs = by.items() if isinstance(by, dict) else ()
    private = {str(key): value for key, value in pairs if isinstance(value, str)}
    return Row("", {"product": item.title}, item.url, private=private)


def _saved(saved: SavedItem) -> Item:
    """Return the item in *saved*. Anybody may have written its values."""
    body, url, cells = saved.body, _text(saved.body, "url"), saved.body.get("cells")
    return Item(
        one_line(_text(body, "title"), _LONGEST_TITLE),
        cells if isinstance(cells, dict) else {},
        url if (page := found(url)) and page.url == url else "",
        _price_in(body.get("now")),
        _price_in(body.get("then")),
        saved.id,
        saved.list,
        saved.at,
    )


def _price_in(record: object) -> Seen | None:
    """Return a saved price, or None if *record* has no valid one."""
    if not isinstance(record, dict) or not (money := money_of(record)):
        return None
    at = record.get("at")
    return Seen(at, money) if isinstance(at, int | float) else None


def _text(cells: Mapping[str, object], key: str) -> str:
    return one_line(cell) if isinstance(cell := cells.get(key), str) else ""


ACTION = Keep()
