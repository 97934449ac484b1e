"""What is kept of offers on the person's own lists: what it is, what it cost, and what it costs now."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...actions.base import Service
from ...core.errors import JarvisError, UsageError
from ...core.money import Money, money_of
from ...core.tables import Row
from ...core.text import one_line
from ...core.urls import found
from ...store.items import Body, SavedItem, SavedItems
from . import PACK
from .markets import HOME, Answer, Gone, found_again_by, looked_up
from .offers import Offer, Offers, title_of

if TYPE_CHECKING:
    from ...search.serpapi import Engines
    from ...store.database import Database

WISHLIST = "wishlist"  # where they name no list
CHEAPER, DEARER, SAME, CHANGED = "cheaper", "dearer", "same", "changed"
GONE, FAILED, UNKNOWN = "gone", "failed", "unknown"
_FOUND_BY = "found_by"  # the key of what a service finds it again by; never shown
_LONGEST = 120  # characters of a title, where it is told
_LONGEST_NAMED = 60  # characters of what was said
_LONGEST_TITLE = 300  # characters of one, where it is written down
_AT_ONCE = 5  # things, with one deadline


class Seen(NamedTuple):
    """A price, and when it was seen."""

    at: float  # seconds since the epoch
    money: Money
    source: str  # who asked it

    @property
    def record(self) -> dict[str, object]:
        return {"at": self.at, **self.money.record, "source": self.source}


class Item(NamedTuple):
    """One thing on a list, or to be put there."""

    title: str
    cells: Mapping[str, Any]  # what was known of it when it was kept
    url: str = ""  # its page; empty: it has none
    price: Seen | None = None  # the last one
    first: Seen | None = None  # the first one
    id: str = ""
    list: str = ""
    added_at: float = 0.0  # seconds since the epoch

    @property
    def body(self) -> dict[str, Any]:
        """What is written down of it; see `_item_saved`."""
        prices = {"then": self.first or self.price, "now": self.price}
        seen = {name: price and price.record for name, price in prices.items()}
        return {
            "title": one_line(self.title, _LONGEST_TITLE),
            "url": self.url,
            "cells": dict(self.cells),
            **seen,
        }


class Lists(NamedTuple):
    """The lists, in what the pack saved."""

    saved: SavedItems

    async def add_all(self, list_: str, things: Sequence[Item]) -> list[tuple[Item, bool]]:
        """Put *things* on a list, all or none, and return each with whether it is new there.

        By its page a list has a thing once. What it costs now is noted.
        """
        new = [SavedItem(list_, each.url or os.urandom(8).hex(), _as_of_now(each).body) for each in things]
        return [(_item_saved(item), is_new) for item, is_new in await self.saved.add(new, _noted_in)]

    async def items(self, list_: str = "") -> list[Item]:
        """Return what is on that list, or on every one, in the order in which it was put there."""
        return [_item_saved(each) for each in await self.saved.all(list_)]

    async def remove(self, item: Item) -> bool:
        """Take *item* off its list. Return whether it was on it."""
        return await self.saved.remove(SavedItem(item.list, item.id, {}))

    async def note_price(self, item: Item, seen: Seen) -> None:
        """Write down what *item* costs at that moment."""
        body = item._replace(price=seen, first=item.first or seen).body
        await self.saved.change(SavedItem(item.list, item.id, body))


LISTS = Service("lists", lambda context: Lists(context.items))


def lists_in(database: Database) -> Lists:
    return Lists(SavedItems(database, PACK.name))


def _as_of_now(item: Item) -> Item:
    return item._replace(price=item.price and item.price._replace(at=time.time()))


def _noted_in(there: Body, new: Body) -> Body:
    """Return what is written down of a thing that was on the list already: it has the new price, if any."""
    now = new["now"] or there.get("now")
    return {**there, "then": there.get("then") or now, "now": now}


def _item_saved(saved: SavedItem) -> Item:
    """Return what was *saved* as it was put there; anybody may have written it."""
    body = saved.body
    url = _text(body, "url")
    cells = body.get("cells")
    return Item(
        one_line(_text(body, "title"), _LONGEST_TITLE),
        cells if isinstance(cells, dict) else {},
        url if (page := found(url)) and page.url == url else "",
        _seen(body.get("now")),
        _seen(body.get("then")),
        saved.id,
        saved.list,
        saved.at,
    )


def _seen(record: object) -> Seen | None:
    """Return a price as it was written down; None for none, or one that makes no sense."""
    if not isinstance(record, dict) or not (money := money_of(record)):
        return None
    at = record.get("at")
    return Seen(at, money, _text(record, "source")) if isinstance(at, int | float) else None


def offer_name(row: Row) -> str:
    """Return what the offer in *row* is called."""
    return one_line(title_of(row), _LONGEST) or row.id


def item_of(row: Row) -> Item:
    """Return what is to be kept of the offer in *row*."""
    price, store = row.cells.get("price"), _text(row.cells, "store")
    known = {key: _text(row.cells, key) for key in ("store", "state")}
    cells: dict[str, object] = {key: said for key, said in known.items() if said}
    if row.private:
        cells[_FOUND_BY] = dict(row.private)
    paid = Seen(0.0, price, store) if isinstance(price, Money) else None  # noted as of when it is kept
    return Item(title_of(row) or row.id, cells, row.url, paid)


def told(item: Item) -> str:
    """Return what was kept, as it was written down: its title, its price and the store."""
    price = f", {item.price.money.told}" if item.price else ""
    store = f" at {one_line(item.price.source)}" if item.price and item.price.source else ""
    return f"{one_line(item.title, _LONGEST)}{price}{store}"


def store_of(item: Item) -> str:
    """Return where *item* was offered; empty: that is not known."""
    return _text(item.cells, "store")


async def item_named(kept: Lists, named: str) -> Item:
    """Return the only thing on a list that is meant by its id, its page, or words of its title.

    Raises UsageError where there is none, or several.
    """
    words = named.casefold().split()
    meant = [
        item
        for item in (await kept.items() if words else [])
        if named in (item.id, item.url) or all(word in item.title.casefold() for word in words)
    ]
    if len(meant) == 1:
        return meant[0]
    several = "Several things on your lists are" if meant else "Nothing on your lists is"
    hint = "jarvis shop list, then: jarvis shop rm LINE"
    raise UsageError(f"{several} called “{one_line(named, _LONGEST_NAMED)}”.", hint=hint)


class Entry(NamedTuple):
    """A thing on a list, and what it cost at two times."""

    item: Item
    then: Seen | None = None
    now: Seen | None = None  # None: that is not known
    error: JarvisError | None = None  # why it could not be asked for
    is_asked: bool = True  # whether there is a service that knows it

    @property
    def change(self) -> str:
        """By how much percent it costs more now, in digits; empty: that can't be told."""
        before, now = self.then and self.then.money, self.now and self.now.money
        if not before or not now or before.currency != now.currency or not before.amount:
            return ""
        percent = (now.amount - before.amount) / before.amount * 100
        return f"{round(percent, 1) + 0:f}"  # no minus before 0

    @property
    def state(self) -> str:
        """What became of it: cheaper | dearer | same | changed | gone | failed | unknown.

        changed: what it cost before is not known, or in another currency.
        """
        if self.error:
            return FAILED
        if not self.now:
            return GONE if self.is_asked else UNKNOWN
        if not self.then or not self.change:
            return CHANGED
        if self.now.money == self.then.money:
            return SAME
        return CHEAPER if self.now.money.amount < self.then.money.amount else DEARER


async def prices_now(items: Sequence[Item], country: str, engines: Engines, kept: Lists) -> list[Entry]:
    """Return what each of *items* costs now, and what it cost when that was seen last.

    A few are asked for at once; of each what it costs is written down. Where all of them fail, the next
    would, too, and are not asked for. Raises a JarvisError where nothing could be asked.
    """
    asked = [item for item in items if found_again_by(_row(item), country or HOME)]
    told = {(item.list, item.id): Entry(item, item.price, is_asked=False) for item in items}
    left = asked
    while left:
        few, left = left[:_AT_ONCE], left[_AT_ONCE:]
        answers = await _several(few, country, engines, may_fail=few[0] is not asked[0])
        if all(isinstance(each, JarvisError) and not isinstance(each, Gone) for each in answers):
            few, left, answers = [*few, *left], [], [*answers, *answers[-1:] * len(left)]
        for item, answer in zip(few, answers, strict=True):
            told[item.list, item.id] = await _noted(item, answer, kept)
    return [*told.values()]


async def _several(items: Sequence[Item], country: str, engines: Engines, *, may_fail: bool) -> list[Answer]:
    try:
        return await looked_up([_row(item) for item in items], country, engines)
    except JarvisError as error:
        if not may_fail:
            raise
        return [error] * len(items)


async def _noted(item: Item, answer: Answer, kept: Lists) -> Entry:
    """Return what *item* costs by that *answer*, once it is written down."""
    if isinstance(answer, JarvisError):
        return Entry(item, item.price, error=None if isinstance(answer, Gone) else answer)
    now = _price(item, answer.offers)
    if now:
        await kept.note_price(item, now)
    return Entry(item, item.price, now)


def _row(item: Item) -> Row:
    """Return *item* as the row that it was kept from, as far as a service finds it again by that."""
    by = item.cells.get(_FOUND_BY)
    pairs = by.items() if isinstance(by, dict) else ()
    private = {str(key): value for key, value in pairs if isinstance(value, str)}
    return Row("", {"product": item.title, "store": store_of(item)}, item.url, private=private)


def _price(item: Item, found: Offers) -> Seen | None:
    """Return what *item* costs in the store in which it was kept; None where that has it no more."""
    same = [offer for offer in found.offers if _is_same(offer, item)]
    # A store may have several of one product: the very page counts, else the least that it asks.
    same.sort(key=lambda offer: (offer.row.url != item.url, offer.price.amount))
    return Seen(time.time(), same[0].price, same[0].store or store_of(item)) if same else None


def _is_same(offer: Offer, item: Item) -> bool:
    store, state = store_of(item), _text(item.cells, "state")
    is_there = not store or one_line(offer.store).casefold() == store.casefold()
    return is_there and (not state or offer.state in ("", state))


def _text(cells: Mapping[str, object], key: str) -> str:
    return one_line(cell) if isinstance(cell := cells.get(key), str) else ""
