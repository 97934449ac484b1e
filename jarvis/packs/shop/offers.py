"""Things for sale: a row of a table with its price, and the offers that a plan chooses."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

from ...actions.base import Field
from ...core.errors import Refused
from ...core.money import CURRENCIES, Money, beyond, totals
from ...core.tables import Cell, Column, Rating, Row, Table, money_in
from ...core.types import Facts
from ..sums import FROM

NEW, USED, REFURBISHED = "new", "used", "refurbished"
QUERY, COUNTRY = "query", "country"  # of a row's private values: its search and where
DELIVERY = "delivery"  # the key of the column with what delivery costs
FOR = "for"  # the key of the column that says which query a row belongs to
NO_STATE = "of unknown state"  # why something was left out, besides the reasons of entries.py
_TITLES = ("product", "item")  # the keys of the column that says what it is
_APART = frozenset({"us", "ca"})  # where tax is added at the till
_ROOM = Context(prec=60, rounding=ROUND_HALF_UP)

# What the actions that work on offers share: the schema has one field for all of them.
OFFERS = Field(
    "offers",
    "ids or lines, with how many if not one: o3, 2 of o7; or by a rank: cheapest, top 3 by rating",
    kind="quantities",
)


class Offer(NamedTuple):
    """A row of a table with a price. Unknown values are None or empty."""

    row: Row
    price: Money  # what is paid for it, without delivery
    delivery: Money | None = None  # its price, 0 if free, None also in another currency
    seen_at: str = ""  # when, as ISO 8601 writes it
    quantity: int = 1  # how many of it are wanted

    @property
    def title(self) -> str:
        return title_of(self.row)

    @property
    def store(self) -> str:
        return self._text_of("store")

    @property
    def state(self) -> str:
        return self._text_of("state")

    @property
    def rating(self) -> Rating | None:
        return rated if isinstance(rated := self.row.cells.get("rating"), Rating) else None

    @property
    def query(self) -> str:
        """The search that found it."""
        return self._text_of(FOR) or self.row.private.get(QUERY, "")

    @property
    def country(self) -> str:
        """The country of the search, two letters."""
        return self.row.private.get(COUNTRY, "")

    @property
    def goods(self) -> Money:
        """The price of all pieces, without delivery."""
        return totals([self.price] * self.quantity)[0]

    @property
    def to_pay(self) -> Money:
        """The price of all pieces, delivered.

        It may be more if the delivery price is unknown, or if several may not come in one parcel.
        """
        if self.delivery is None:
            return self.goods._replace(basis=FROM)
        total = totals([self.goods, self.delivery])[0]
        is_sure = self.quantity == 1 or not self.delivery.amount
        return total if is_sure else total._replace(basis=FROM)

    def row_in(self, columns: Iterable[Column], **more: Cell) -> Row:
        """Return it as a row of a table with these *columns*. more: cells that differ, or are new."""
        cells = {**self.row.cells, DELIVERY: self.delivery, "total": self.to_pay, **more}
        return self.row._replace(cells={column.key: cells.get(column.key) for column in columns})

    def _text_of(self, key: str) -> str:
        return str(self.row.cells.get(key) or "")


def offer_in(row: Row, seen_at: str = "") -> Offer | None:
    """Return the offer in *row*, or None if it has no price, or only a lowest one."""
    price, delivery = money_in(row.cells.get("price")), money_in(row.cells.get(DELIVERY))
    if not price or price.basis:
        return None
    is_known = delivery and not delivery.basis and delivery.currency == price.currency
    return Offer(row, price, delivery if is_known else None, seen_at)


def offers_in(table: Table) -> list[Offer]:
    """Return the offers in *table*: its rows with a price."""
    return [each for row in table.rows if (each := offer_in(row, table.seen_at))]


def title_of(row: Row) -> str:
    """Return the title of *row*, in the seller's words."""
    return next((str(title) for key in _TITLES if (title := row.cells.get(key))), "")


class Offers(NamedTuple):
    """The offers in an answer, in its order."""

    offers: tuple[Offer, ...] = ()
    left_out: Mapping[str, int] = {}  # how many, by the reason
    page: Mapping[str, object] = {}  # all of the answer


class Limits(NamedTuple):
    """The user's limits for offers."""

    most: Money | None = None
    least: Money | None = None
    states: Collection[str] = ()  # none: any


ANY = Limits()


def within(found: Offers, limits: Limits) -> Offers:
    """Return the offers in *found* within the *limits*.

    A service may ignore its query. An amount in another currency is neither above nor below a limit.
    """
    reasons = [_against(offer, limits) for offer in found.offers]
    offers = tuple(offer for offer, reason in zip(found.offers, reasons, strict=True) if not reason)
    left_out = Counter(found.left_out)
    left_out.update(filter(None, reasons))
    return found._replace(offers=offers, left_out=dict(left_out))


def _against(offer: Offer, limits: Limits) -> str:
    """Return the first reason against *offer*, or ""."""
    if limits.states and offer.state not in limits.states:
        return offer.state or NO_STATE
    return beyond(offer.price, limits.most, limits.least)


def offers_with_ids(ids: Iterable[str], facts: Facts, most: int) -> list[Row]:
    """Return the offers with these *ids*, each once. Raises Refused for an unknown id, or too many."""
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > most:
        raise Refused(f"That works with {most} offers at most.", hint="Name fewer at once.")
    at_hand = {row.id: row for table in reversed(facts.tables) for row in table.rows}
    if strange := [id_ for id_ in wanted if id_ not in at_hand]:
        raise Refused(f"{strange[0]} is in no current list.")
    return [at_hand[id_] for id_ in wanted]


def called(ids: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Return a label for each of *ids*, with its quantity: 3, or 2 of line 4, or o7.

    It uses the row numbers *shown* last, and no word of a seller, since it is vetted as a query is.
    """
    lines = {id_: str(line) for line, id_ in enumerate(shown, 1)}
    counts = Counter(ids)
    several = {id_: f"{count} of {'line ' if id_ in lines else ''}" for id_, count in counts.items()}
    return [f"{several[id_] if counts[id_] > 1 else ''}{lines.get(id_, id_)}" for id_ in counts]


class Tax(NamedTuple):
    """The known facts about the tax on prices. Only the user can say how much it is."""

    is_apart: bool = False  # whether it is added to the prices that are shown
    rate: Decimal | None = None  # in percent, where it is added

    def on(self, price: Money) -> Money:
        """Return the known tax on *price*, rounded to an amount that people can pay."""
        digits = CURRENCIES[price.currency].digits if price.currency in CURRENCIES else 2
        tax = _ROOM.multiply(price.amount, self.rate or Decimal(0)).scaleb(-2, _ROOM)
        return Money(tax.quantize(Decimal(1).scaleb(-digits), context=_ROOM), price.currency)


NO_TAX = Tax()  # none is known that is added


def tax_in(country: str, rate: Decimal | None = None) -> Tax:
    """Return the tax of *country*, two letters. rate: the percentage that the user says is added there."""
    return Tax(country.lower() in _APART or rate is not None, rate)
