"""Reads a row of a table as something to be paid: a product, a store's offer, a line of a receipt."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

from ...actions.base import Field
from ...core.errors import Refused
from ...core.money import CURRENCIES, Money, totals
from ...core.tables import DELIVERY, Price, Rating, Row, Table
from ...core.text import one_line
from ...core.types import Facts

FROM = "from"  # the basis of a total that more may be added to
# Of a row's private values: what was asked, where, and for goods in which states.
QUERY, COUNTRY, STATES = "query", "country", "states"
FOR = "for"  # the key of the column that says which query a row belongs to
_TITLES = ("product", "item")  # the keys of the column that says what it is
_TITLE = 60  # characters of one that names an offer
# Where shops have to show consumers the price with its tax: the EU and EEA (directive 98/6/EC), and others.
_WITHIN = frozenset(
    "at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk is li no "
    "ch gb uk au nz jp".split()
)
_APART = frozenset({"us", "ca"})  # where it is added at the till
_ROOM = Context(prec=60, rounding=ROUND_HALF_UP)

# What the actions that work on offers share: the schema has one field for all of them.
OFFERS = Field(
    "offers",
    "ids or lines, with how many if not one: o3, 2 of o7; or by a rank: cheapest, top 3 by rating",
    kind="quantities",
)


class Priced(NamedTuple):
    """A row that says what is to be paid for it."""

    row: Row
    price: Money
    delivery: Money | None  # what it costs, 0 where it is free; None: not known, or in another currency
    seen_at: str = ""  # when, as ISO 8601 writes it

    @property
    def title(self) -> str:
        return title_of(self.row)

    @property
    def store(self) -> str:
        return str(self.row.cells.get("store") or "")

    @property
    def state(self) -> str:
        return str(self.row.cells.get("state") or "")

    @property
    def rating(self) -> Rating | None:
        return rated if isinstance(rated := self.row.cells.get("rating"), Rating) else None

    @property
    def query(self) -> str:
        """What was searched for when it was found; empty: that is not known."""
        return str(self.row.cells.get(FOR) or self.row.private.get(QUERY, ""))

    @property
    def country(self) -> str:
        """Where it was asked for, of two letters; empty: that is not known."""
        return self.row.private.get(COUNTRY, "")

    @property
    def states(self) -> tuple[str, ...]:
        """The states that were asked for then; none: any."""
        return tuple(self.row.private.get(STATES, "").split())

    def to_pay(self, count: int = 1) -> Money | Price:
        """Return what *count* of it cost, delivered.

        More may be added where delivery is not known, and where several may not come in one parcel.
        """
        known = [self.delivery] if self.delivery else []
        total = totals([self.price] * count + known)[0]
        is_whole = self.delivery is not None and (count == 1 or not self.delivery.amount)
        return total if is_whole else Price(total, FROM)


def title_of(row: Row) -> str:
    """Return what *row* is, in the words of who sells it."""
    return next((str(said) for key in _TITLES if (said := row.cells.get(key))), "")


def priced(row: Row, seen_at: str = "") -> Priced | None:
    """Return *row* with what is to be paid for it; None where it does not say that, or only from what."""
    price, delivery = row.cells.get("price"), row.cells.get(DELIVERY)
    if not isinstance(price, Money):
        return None
    is_known = isinstance(delivery, Money) and delivery.currency == price.currency
    return Priced(row, price, delivery if is_known and isinstance(delivery, Money) else None, seen_at)


def priced_in(table: Table) -> list[Priced]:
    """Return the rows of *table* that say what is to be paid."""
    return [each for row in table.rows if (each := priced(row, table.seen_at))]


def by_query(offers: Iterable[Priced]) -> list[list[Priced]]:
    """Return *offers* by what was searched for, in the order in which that comes first."""
    wants: dict[str, list[Priced]] = {}
    for each in offers:
        wants.setdefault(each.query, []).append(each)
    return list(wants.values())


class Chosen(NamedTuple):
    """An offer that a plan names."""

    row: Row
    seen_at: str  # when it was found, as ISO 8601 writes it
    line: int = 0  # of the list that the person saw last; 0: it is not in that

    @property
    def told(self) -> str:
        """What to call it: its number, by which they know it, or its title."""
        return str(self.line) if self.line else f"“{one_line(title_of(self.row), _TITLE)}”"


def target(named: Iterable[Chosen]) -> str:
    """Return which offers they are, without a word of who sells them: it is vetted as a query is."""
    return ", ".join(str(each.line) if each.line else each.row.id for each in named)


def chosen(ids: Iterable[str], facts: Facts, most: int) -> list[Chosen]:
    """Return the offers with these *ids*, each once. Raises Refused for one not at hand, and too many."""
    named = dict.fromkeys(ids)
    if len(named) > most:
        raise Refused(f"That is asked of {most} offers at most.", hint="Name fewer at once.")
    return [_found(id_, facts) for id_ in named]


def _found(id_: str, facts: Facts) -> Chosen:
    for table in facts.tables:
        for row in table.rows:
            if row.id == id_:
                return Chosen(row, table.seen_at, facts.shown.index(id_) + 1 if id_ in facts.shown else 0)
    raise Refused(f"{id_} is in no list at hand.")


class Tax(NamedTuple):
    """What is known of the tax on prices. How much it is only the person can say."""

    is_apart: bool | None = None  # whether it is added to the prices that are shown; None: not known
    rate: Decimal | None = None  # in percent, where it is added

    def on(self, price: Money) -> Money:
        """Return the tax on *price* as far as it is known, rounded to what can be paid."""
        digits = CURRENCIES[price.currency].digits if price.currency in CURRENCIES else 2
        tax = _ROOM.multiply(price.amount, self.rate or Decimal(0)).scaleb(-2, _ROOM)
        return Money(tax.quantize(Decimal(1).scaleb(-digits), context=_ROOM), price.currency)


UNKNOWN = Tax()


def tax_in(country: str, rate: Decimal | None = None) -> Tax:
    """Return what is known of it in *country*, of two letters. rate: the one of the person's settings."""
    code = country.lower()
    if code in _WITHIN:
        return Tax(is_apart=False)
    return Tax(True if code in _APART or rate is not None else None, rate)
