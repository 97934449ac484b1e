"""What is kept of offers on the person's own lists: what it is, what it cost, and what it costs now."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import JarvisError, UsageError
from ...core.money import Money
from ...core.tables import Row
from ...core.text import one_line
from ...store.kept import Item, Kept, Seen
from .markets import HOME, Answer, Gone, found_again_by, looked_up
from .offers import Offer, Offers, title_of

if TYPE_CHECKING:
    from ...search.serpapi import Engines

WISHLIST = "wishlist"  # where they name no list
CHEAPER, DEARER, SAME, CHANGED = "cheaper", "dearer", "same", "changed"
GONE, FAILED, UNKNOWN = "gone", "failed", "unknown"
_FOUND_BY = "found_by"  # the key of what a service finds it again by; never shown
_KIND = "product"
_LONGEST = 120  # characters of a title, where it is told
_LONGEST_NAMED = 60  # characters of what was said
_AT_ONCE = 5  # things, with one deadline


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
    return Item(_KIND, title_of(row) or row.id, cells, row.url, paid)


def told(item: Item) -> str:
    """Return what was kept, as it was written down: its title, its price and the store."""
    price = f", {item.price.money.told}" if item.price else ""
    store = f" at {one_line(item.price.source)}" if item.price and item.price.source else ""
    return f"{one_line(item.title, _LONGEST)}{price}{store}"


def store_of(item: Item) -> str:
    """Return where *item* was offered; empty: that is not known."""
    return _text(item.cells, "store")


async def item_named(kept: Kept, named: str) -> Item:
    """Return the only thing on a list that is meant by its id, its page, or words of its title.

    Raises UsageError where there is none, or several.
    """
    words = named.casefold().split()
    found = [
        item
        for item in (await kept.items() if words else [])
        if named in (item.id, item.url) or all(word in item.title.casefold() for word in words)
    ]
    if len(found) == 1:
        return found[0]
    several = "Several things on your lists are" if found else "Nothing on your lists is"
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


async def prices_now(items: Sequence[Item], country: str, engines: Engines, kept: Kept) -> list[Entry]:
    """Return what each of *items* costs now, and what it cost when that was seen last.

    A few are asked for at once; of each what it costs is written down. Where all of them fail, the next
    would, too, and are not asked for. Raises a JarvisError where nothing could be asked.
    """
    asked = [item for item in items if found_again_by(_row(item), country or HOME)]
    found = {item.id: Entry(item, item.price, is_asked=False) for item in items}
    left = asked
    while left:
        few, left = left[:_AT_ONCE], left[_AT_ONCE:]
        answers = await _several(few, country, engines, may_fail=few[0] is not asked[0])
        if all(isinstance(each, JarvisError) and not isinstance(each, Gone) for each in answers):
            few, left, answers = [*few, *left], [], [*answers, *answers[-1:] * len(left)]
        for item, answer in zip(few, answers, strict=True):
            found[item.id] = await _noted(item, answer, kept)
    return [*found.values()]


async def _several(items: Sequence[Item], country: str, engines: Engines, *, may_fail: bool) -> list[Answer]:
    try:
        return await looked_up([_row(item) for item in items], country, engines)
    except JarvisError as error:
        if not may_fail:
            raise
        return [error] * len(items)


async def _noted(item: Item, answer: Answer, kept: Kept) -> Entry:
    """Return what *item* costs by that *answer*, once it is written down."""
    if isinstance(answer, JarvisError):
        return Entry(item, item.price, error=None if isinstance(answer, Gone) else answer)
    now = _price(item, answer.offers)
    if now:
        await kept.note_price(item.id, now.at, now.money, now.source)
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
