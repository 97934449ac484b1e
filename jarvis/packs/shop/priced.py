"""Reads a row of a table as something to be paid: a product, a store's offer, a line of a receipt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...core.money import Money, totals
from ...core.tables import DELIVERY, Price, Rating, Row, Table

FROM = "from"  # the basis of a total that more may be added to
# Of a row's private values: what was asked, where, and for goods in which states.
QUERY, COUNTRY, STATES = "query", "country", "states"
FOR = "for"  # the key of the column that says which query a row belongs to
NEW = "new"
_TITLES = ("product", "item")  # the keys of the column that says what it is


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
