"""What is for sale, as it was found, and what was left out of it with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from ...core.money import Money
from ...core.tables import DELIVERY, Cell, Rating

NEW, USED, REFURBISHED = "new", "used", "refurbished"
MERCHANT, SERVICE = "merchant", "service"  # whose page an offer's address is

# Why something was left out.
AD = "ads"
AUCTION = "auctions"
BROKEN = "for parts only"
UNREADABLE = "unreadable"
NO_PRICE = "without a price"
NO_SINGLE_PRICE = "without a single price"  # a range, a price from, a price a month
NO_TITLE = "without a title"
NO_STATE = "of unknown state"


class Offer(NamedTuple):
    """One thing for sale. What is not known is None or empty."""

    title: str
    price: Money  # what is paid for it, without delivery
    old_price: Money | None = None
    state: str = ""  # NEW, USED or REFURBISHED
    store: str = ""
    rating: Rating | None = None
    delivery: Money | None = None  # what it costs, 0 where it is free
    notes: tuple[str, ...] = ()  # on delivery, returns, stock: as the service wrote them
    url: str = ""
    link: str = ""  # MERCHANT or SERVICE, where there is an address
    private: Mapping[str, str] = {}  # to look it up again; never shown, and never to the model

    @property
    def cells(self) -> dict[str, Cell]:
        """What a row of a table shows of it, by the keys of the columns."""
        return {
            "product": self.title,
            "price": self.price,
            "was": self.old_price,
            "state": self.state or None,
            "store": self.store or None,
            "rating": self.rating,
            DELIVERY: self.delivery,
        }


class Offers(NamedTuple):
    """What an answer holds, in its order."""

    offers: tuple[Offer, ...] = ()
    left_out: Mapping[str, int] = {}  # how many, by the reason
    searched_as: str = ""  # the words that the service searched for instead of those it was asked


def gathered(
    entries: Iterable[object], read: Callable[[dict[str, object]], Offer | str], searched_as: str = ""
) -> Offers:
    """Return what *read* makes of *entries*: an offer each, or the reason why it is none."""
    read_all = [read(entry) if isinstance(entry, dict) else UNREADABLE for entry in entries]
    offers = tuple(each for each in read_all if isinstance(each, Offer))
    return Offers(offers, dict(Counter(each for each in read_all if isinstance(each, str))), searched_as)


def reduced(old: Money | None, price: Money) -> Money | None:
    """Return the *old* price where the *price* now is lower; else None."""
    is_more = old and old.currency == price.currency and old.amount > price.amount
    return old if is_more else None


def reason_against(title: str, price: Money | None, said: object, state: str, *, is_ad: bool) -> str:
    """Return why an entry is no offer; empty where it is one. said: what stands where its price should."""
    if is_ad:
        return AD
    if not title:
        return NO_TITLE
    if not price:
        return NO_SINGLE_PRICE if said else NO_PRICE
    return BROKEN if state == BROKEN else ""


def within(
    found: Offers, most: Money | None = None, least: Money | None = None, states: Collection[str] = ()
) -> Offers:
    """Return what of *found* is within the limits, and in one of the *states* where any are given.

    A service may ignore what it was asked for. What has another currency can't be held to a limit.
    """
    reasons = [_against(offer, most, least, states) for offer in found.offers]
    offers = tuple(offer for offer, reason in zip(found.offers, reasons, strict=True) if not reason)
    left_out = Counter(found.left_out)
    left_out.update(filter(None, reasons))
    return found._replace(offers=offers, left_out=dict(left_out))


def _against(offer: Offer, most: Money | None, least: Money | None, states: Collection[str]) -> str:
    """Return the first reason against *offer*; empty where there is none."""
    if states and offer.state not in states:
        return offer.state or NO_STATE
    for limit in filter(None, (most, least)):
        if offer.price.currency != limit.currency:
            return f"in {offer.price.currency}"
    if most and offer.price.amount > most.amount:
        return f"over {most.coded}"
    return f"under {least.coded}" if least and offer.price.amount < least.amount else ""
