"""Asks what the things on the person's own lists cost now, and writes it down."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import JarvisError, KeyRefused, LimitReached, RateLimited, ServiceUnreachable
from ...core.money import Money
from ...core.tables import Row
from ...core.text import one_line
from ...search.offers.offer import Offer, Offers
from ...store.kept import Item, Kept, Seen
from .looking_up import Gone, asked_of, looked_up
from .markets import HOME
from .things import found_by, state_of, store_of

if TYPE_CHECKING:
    from ...search.serpapi import Engines

CHEAPER, DEARER, SAME, CHANGED = "cheaper", "dearer", "same", "changed"
GONE, FAILED, UNKNOWN = "gone", "failed", "unknown"
_AT_ONCE = 5  # things, with one deadline
# What the next search would meet too.
_HOPELESS = (ServiceUnreachable, RateLimited, LimitReached, KeyRefused)


class Checked(NamedTuple):
    """What came of asking for one thing."""

    item: Item  # as it was kept, with the price that was seen last
    now: Seen | None = None  # what it costs now; None: that is not known
    error: JarvisError | None = None  # why that could not be asked
    is_asked: bool = True  # whether there is a service that knows it

    @property
    def state(self) -> str:
        """What became of it: cheaper | dearer | same | changed | gone | failed | unknown.

        changed: what it cost before is not known, or in another currency.
        """
        if self.error:
            return FAILED
        if not self.now:
            return GONE if self.is_asked else UNKNOWN
        percent = change(self.item.price and self.item.price.money, self.now.money)
        if not percent:
            return CHANGED
        before, now = self.item.price, self.now
        if not before or now.money == before.money:
            return SAME
        return CHEAPER if now.money.amount < before.money.amount else DEARER


async def checked(items: Sequence[Item], country: str, engines: Engines, kept: Kept) -> list[Checked]:
    """Return what each of *items* costs now. A few are asked for at once; of each that is written down.

    Raises a JarvisError where nothing could be asked.
    """
    asked = [item for item in items if asked_of(_row(item), country or HOME)]
    found: dict[str, Checked] = {item.id: Checked(item, is_asked=False) for item in items}
    for at in range(0, len(asked), _AT_ONCE):
        some = await _several(asked[at : at + _AT_ONCE], country, engines, kept, is_first=not at)
        found |= {each.item.id: each for each in some}
        if all(isinstance(each.error, _HOPELESS) for each in some):
            left = asked[at + _AT_ONCE :]
            found |= {item.id: Checked(item, error=some[-1].error) for item in left}
            break
    return [found[item.id] for item in items]


async def _several(
    items: Sequence[Item], country: str, engines: Engines, kept: Kept, *, is_first: bool
) -> list[Checked]:
    try:
        answers = await looked_up([_row(item) for item in items], country, engines)
    except JarvisError as error:
        if is_first:
            raise
        return [Checked(item, error=error) for item in items]
    found = []
    for item, answer in zip(items, answers, strict=True):
        if isinstance(answer, JarvisError):
            found.append(Checked(item, error=None if isinstance(answer, Gone) else answer))
            continue
        asked, page = answer
        now = _price(item, asked.read(page))
        if now:
            await kept.note_price(item.id, now.at, now.money, now.source)
        found.append(Checked(item, now))
    return found


def _row(item: Item) -> Row:
    """Return *item* as the row that it was kept from, as far as a service finds it again by that."""
    return Row("", {"product": item.title, "store": store_of(item)}, item.url, private=found_by(item))


def _price(item: Item, found: Offers) -> Seen | None:
    """Return what *item* costs in the store in which it was kept; None where that has it no more."""
    same = [offer for offer in found.offers if _is_same(offer, item)]
    # A store may have several of one product: the very page counts, else the least that it asks.
    same.sort(key=lambda offer: (offer.url != item.url, offer.price.amount))
    return Seen(time.time(), same[0].price, same[0].store or store_of(item)) if same else None


def _is_same(offer: Offer, item: Item) -> bool:
    store, state = store_of(item), state_of(item)
    is_there = not store or one_line(offer.store).casefold() == store.casefold()
    return is_there and (not state or offer.state in ("", state))


def change(before: Money | None, now: Money | None) -> str:
    """Return by how much percent *now* is more than *before*, in digits; empty: that can't be told."""
    if not before or not now or before.currency != now.currency or not before.amount:
        return ""
    percent = (now.amount - before.amount) / before.amount * 100
    return f"{round(percent, 1) + 0:f}"  # no minus before 0
