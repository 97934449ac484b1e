"""What is for sale, as it was found, and what was left out of it with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from ...core.money import Money, price_in
from ...core.tables import DELIVERY, Cell, Rating
from ...core.text import one_line
from ..entries import AD, MERCHANT, NO_TITLE, UNREADABLE

NEW, USED, REFURBISHED = "new", "used", "refurbished"
SERVICE = "service"  # an offer's address is that of the service's page about it; else MERCHANT

# Why something was left out, besides those of entries.py.
AUCTION = "auctions"
BROKEN = "for parts only"
NO_PRICE = "without a price"
NO_SINGLE_PRICE = "without a single price"  # a range, a price from, a price a month
NO_STATE = "of unknown state"

# What eBay and Google write of a condition, in English. The first that stands there counts: “Open box” and
# “New with defects” are not new, “Very Good - Refurbished” is refurbished, not used.
_CONDITIONS = (
    (BROKEN, r"\bfor parts\b|\bparts only\b|\bnot working\b"),
    (REFURBISHED, r"refurbished|renewed|remanufactured|reconditioned"),
    (USED, r"\bused\b|pre-?owned|second[- ]?hand|open[- ]?box|like new|defects|imperfections"),
    (USED, r"^(?:very good|good|acceptable)(?: ·.*)?$"),  # of books and records
    (NEW, r"^(?:brand )?new\b"),
)
# Shops that don't mark an entry as second-hand say so in its title, and these words mean nothing else there.
_IN_TITLE = ((REFURBISHED, r"\b(?:refurbished|renewed)\b"), (USED, r"\b(?:pre-?owned|second[- ]hand)\b"))

# How a service that is asked in English writes what delivery costs. “Free on £50+” and “free for members”
# are not free, and free returns are no delivery: so all of a text has to be one of these, with a day at most.
_DAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|[0-9]{1,2})"
_WHEN = rf"(?:by|on|between) {_DAY}(?:(?: ?[-–,] ?| (?:and )?){_DAY})*"
_KIND = r"(?:[0-9]-day |standard |express |economy |international |local )*"
_WAY = r"(?:delivery|shipping|postage)"
_FREE = rf"free|free {_KIND}{_WAY}(?: {_WHEN})?|get it {_WHEN} \(free\)"
_PAID = rf"\+? ?(\S.*?) ?(?:{_KIND}{_WAY})?"
_LONGEST = 120  # characters of what is said of it


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


class Limits(NamedTuple):
    """What the person wants the offers to be."""

    most: Money | None = None
    least: Money | None = None
    states: Collection[str] = ()  # none: any


ANY = Limits()


def gathered(
    entries: Iterable[object], read: Callable[[dict[str, object]], Offer | str], searched_as: str = ""
) -> Offers:
    """Return what *read* makes of *entries*: an offer each, or the reason why it is none."""
    read_all = [read(entry) if isinstance(entry, dict) else UNREADABLE for entry in entries]
    offers = tuple(each for each in read_all if isinstance(each, Offer))
    return Offers(offers, dict(Counter(each for each in read_all if isinstance(each, str))), searched_as)


def reason_against(title: str, price: Money | None, said: object, state: str, *, is_ad: bool) -> str:
    """Return why an entry is no offer; empty where it is one. said: what stands where its price should."""
    if is_ad:
        return AD
    if not title:
        return NO_TITLE
    if not price:
        return NO_SINGLE_PRICE if said else NO_PRICE
    return BROKEN if state == BROKEN else ""


def within(found: Offers, limits: Limits) -> Offers:
    """Return what of *found* is within the *limits*.

    A service may ignore what it was asked for. What has another currency can't be held to a limit.
    """
    reasons = [_against(offer, limits) for offer in found.offers]
    offers = tuple(offer for offer, reason in zip(found.offers, reasons, strict=True) if not reason)
    left_out = Counter(found.left_out)
    left_out.update(filter(None, reasons))
    return found._replace(offers=offers, left_out=dict(left_out))


def condition_in(said: str) -> str:
    """Return the state that a condition stands for, or that it is broken; empty where it says neither."""
    return _first(said, _CONDITIONS)


def condition_in_title(title: str) -> str:
    """Return the state that *title* itself tells; empty where it tells none."""
    return _first(title, _IN_TITLE)


def reduced(old: Money | None, price: Money) -> Money | None:
    """Return the *old* price where the *price* now is lower; else None."""
    is_more = old and old.currency == price.currency and old.amount > price.amount
    return old if is_more else None


def delivery_cost(said: object, country: str, price: Money, extracted: object = None) -> Money | None:
    """Return what delivery costs by what is *said* of it, 0 for free; None where that is not plain."""
    words = one_line(said, _LONGEST) if isinstance(said, str) else ""
    if re.fullmatch(_FREE, words, re.IGNORECASE):
        return None if extracted else Money(Decimal(0), price.currency)
    paid = re.fullmatch(_PAID, words, re.IGNORECASE)
    return price_in(paid[1], country, extracted, asked=price.currency) if paid else None


def link_of(merchant: str, service: str = "") -> str:
    """Return whose page it is that an offer with these addresses leads to."""
    return MERCHANT if merchant else SERVICE if service else ""


def _against(offer: Offer, limits: Limits) -> str:
    """Return the first reason against *offer*; empty where there is none."""
    most, least, states = limits
    if states and offer.state not in states:
        return offer.state or NO_STATE
    for limit in filter(None, (most, least)):
        if offer.price.currency != limit.currency:
            return f"in {offer.price.currency}"
    if most and offer.price.amount > most.amount:
        return f"over {most.coded}"
    return f"under {least.coded}" if least and offer.price.amount < least.amount else ""


def _first(text: str, patterns: tuple[tuple[str, str], ...]) -> str:
    return next((state for state, said in patterns if re.search(said, text, re.IGNORECASE)), "")
